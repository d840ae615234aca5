// SPDX-License-Identifier: GPL-3.0-or-later
// The plans of a front as a table, with the same data as the chart.
#pragma once

#include <QAbstractTableModel>

#include "app/models/whatif/pareto_content.hpp"

namespace pipedeck::models::whatif {

class FrontTableModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column {
    front,
    name,
    samples,
    tokens,
    mfu,
    iteration,
    memory,
    price,
    per_million,
    devices,
    nodes,
    schedule,
    micro_batch,
    column_count,
  };
  static constexpr int sort_role = Qt::UserRole + 1;

  explicit FrontTableModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

  void set_content(const ParetoContent& content);
  const ParetoContent& content() const { return content_; }

  /// Returns whether a plan's tokens and operations are known.
  bool has_rates() const;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QString text(std::size_t row, Column column) const;
  QVariant number(std::size_t row, Column column) const;

  ParetoContent content_;
};

/// Returns all rows of a model as displayed, with the header and tabs between columns.
QString copied_text(const QAbstractItemModel& model);

}  // namespace pipedeck::models::whatif
