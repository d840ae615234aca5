// SPDX-License-Identifier: GPL-3.0-or-later
// The layers of a profile as a table: times, bytes, and missing data.
#pragma once

#include <memory>
#include <vector>

#include <QAbstractTableModel>

#include "core/model/profile.hpp"

namespace pipedeck::models::profile {

class TableModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { position, name, kind, forward, backward, output, saved, parameters, column_count };
  enum Role {
    sort_role = Qt::UserRole + 1,
    share_role,    ///< relative to the column's maximum, [0, 1]; for the bars
    measure_role,  ///< the Measure of an editable figure
  };

  explicit TableModel(QObject* parent = nullptr);

  void set_profile(std::shared_ptr<const Profile> profile);
  const Profile* profile() const { return profile_.get(); }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  /// Requests the change (`edited`); the changed profile arrives by set_profile. Returns false if nothing changes.
  bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;

 signals:
  /// Requests a change to a text, or to a figure in seconds or bytes.
  void edited(int layer, int column, const QVariant& value);

 private:
  static QString spread_text(const Quartiles& quartiles, int repetitions);
  QString text(const Layer& layer, int row, Column column) const;
  double number(const Layer& layer, int row, Column column) const;
  void find_largest();

  std::shared_ptr<const Profile> profile_;
  double largest_[column_count] = {};
};

struct Totals {
  Seconds forward, backward;
  Bytes saved, parameters, largest_output;
  int layers = 0;
  int without_parameters = 0;
};
Totals totals_of(const Profile& profile);

/// A gap in a profile that a planner would have to guess or that limits it: its layers, and a possible remedy.
struct Gap {
  enum Kind { one_size, no_splits, no_time, no_device };
  Kind kind;
  QString text;
  std::vector<int> layers;  ///< positions; empty: the whole profile
  QString offer;            ///< label of a button; empty: no remedy by hand
};
std::vector<Gap> missing_data(const Profile& profile);

}  // namespace pipedeck::models::profile
