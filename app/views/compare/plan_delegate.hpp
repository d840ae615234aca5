// SPDX-License-Identifier: GPL-3.0-or-later
// The painting of the table of plans, with the buttons inside its cells.
#pragma once

#include <functional>
#include <vector>

#include "app/models/compare/plan_row.hpp"
#include "app/views/widgets/table_style.hpp"

namespace pipedeck::models::compare {
class PlanTableModel;
}  // namespace pipedeck::models::compare

namespace pipedeck::views::compare {

/// A request in a row. keep_best: end the search with its best plan; more_time: search longer; fold: show equal plans
/// as one row or one by one.
enum class RowRequest { keep_best, more_time, fold };

class PlanDelegate : public widgets::FlatDelegate {
 public:
  using Requested = std::function<void(int id, RowRequest request)>;
  PlanDelegate(const models::compare::PlanTableModel& model, Requested requested, QObject* parent);

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                   const QModelIndex& index) override;

  /// A button painted in a cell.
  struct Button {
    RowRequest request = RowRequest::keep_best;
    QString text;
    QRect rect;
  };
  /// Returns the buttons of a cell from left to right.
  std::vector<Button> buttons(const QStyleOptionViewItem& option, const QModelIndex& index) const;

 private:
  void paint_name(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                  const widgets::Theme& theme) const;
  void paint_search(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                    const widgets::Theme& theme) const;
  const models::compare::PlanRow* row_of(const QModelIndex& index) const;

  const models::compare::PlanTableModel& model_;
  Requested requested_;
};

/// Returns "6.2 of 10 s", with the best plan so far; "waiting" before the search.
QString search_text(const models::compare::PlanSearch& search);

}  // namespace pipedeck::views::compare
