// SPDX-License-Identifier: GPL-3.0-or-later
// The operations of a chart as table rows. The model reads the timeline's columns in place. A filter takes one bit per
// operation, an order four bytes per row. Rows are split into pages, since views store data for each row of a model.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <QAbstractTableModel>
#include <QStringList>

#include "app/models/background_task.hpp"
#include "app/models/gantt/content.hpp"
#include "app/models/gantt/operation_set.hpp"

namespace pipedeck::models::gantt {

class OperationTableModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { place, kind, micro_batch, stage, start, end, duration, idle, waited, column_count };
  static constexpr std::size_t page_size = 100'000;
  /// Maximum number of rows that can be sorted.
  static constexpr std::size_t max_sorted = 4'000'000;

  explicit OperationTableModel(QObject* parent = nullptr);

  /// Sets the rows; null: none. `kind_names` is indexed by OpKind.
  void set_content(std::shared_ptr<const Content> content, const QStringList& kind_names,
                   const QStringList& device_names = {});
  /// Filters the rows; null: all operations.
  void set_filter(std::shared_ptr<const OperationSet> filter);
  const std::shared_ptr<const Content>& content() const { return content_; }

  std::size_t total() const;  ///< rows of all pages
  std::size_t pages() const { return (total() + page_size - 1) / page_size; }
  std::size_t page() const { return page_; }
  void set_page(std::size_t page);

  /// Returns the operation of a row of this page, as its position in the timeline.
  std::size_t operation(int row) const;
  /// Returns the row over all pages, or nullopt if it is filtered out.
  std::optional<std::size_t> row_of(std::size_t operation) const;
  bool sorting() const { return background_.running(); }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
  void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

 signals:
  void sorted();
  /// Reports that there are too many rows to sort; their order does not change.
  void sort_refused(const QString& why);

 private:
  std::size_t at(std::size_t row) const;  ///< operation of a row of all pages
  std::size_t lane_of(std::size_t operation) const;
  QString text(std::size_t operation, int column) const;
  QString place_of(const TimelineLane& lane) const;
  QString waited_for(std::size_t operation) const;
  QString time_text(std::int64_t nanoseconds) const;

  std::shared_ptr<const Content> content_;
  std::shared_ptr<const OperationSet> filter_;
  std::vector<std::uint32_t> order_;  ///< empty: the timeline's order
  std::size_t page_ = 0;
  int sort_column_ = -1;
  Qt::SortOrder sort_order_ = Qt::AscendingOrder;
  QStringList kind_names_, device_names_;
  BackgroundTask background_;
};

}  // namespace pipedeck::models::gantt
