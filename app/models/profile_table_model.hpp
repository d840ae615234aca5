// SPDX-License-Identifier: GPL-3.0-or-later
// The layers of a profile as a table: times, bytes, and what is missing.
#pragma once

#include <memory>

#include <QAbstractTableModel>

#include "core/domain/profile.hpp"

namespace pipedeck::app {

class ProfileTableModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { position, name, kind, forward, backward, output, saved, parameters, column_count };
  enum Role {
    sort_role = Qt::UserRole + 1,
    share_role,  ///< of the column's largest figure, [0, 1]; for the bars
  };

  explicit ProfileTableModel(QObject* parent = nullptr);

  void set_profile(std::shared_ptr<const Profile> profile);
  const Profile* profile() const { return profile_.get(); }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QString text(const Layer& layer, int row, Column column) const;
  double number(const Layer& layer, int row, Column column) const;

  std::shared_ptr<const Profile> profile_;
  double largest_[column_count] = {};
};

struct ProfileTotals {
  Seconds forward, backward;
  Bytes saved, parameters, largest_output;
  int layers = 0;
  int without_parameters = 0;
};
ProfileTotals totals_of(const Profile& profile);

/// Sentences on what a planner would have to guess or cannot do with this profile; empty: nothing.
QStringList gaps_of(const Profile& profile);

}  // namespace pipedeck::app
