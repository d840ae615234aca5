// SPDX-License-Identifier: GPL-3.0-or-later
// A sortable table of the plans with check boxes and memory bars against the capacity.
#pragma once

#include <vector>

#include <QTableView>

class QAction;
class QSortFilterProxyModel;

namespace pipedeck::models::compare {
class PlanTableModel;
}  // namespace pipedeck::models::compare

namespace pipedeck::views::compare {

/// Property of a header whose columns the user has dragged. The program then no longer sets their widths.
inline constexpr const char* columns_by_hand = "columns_by_hand";

class PlanTable : public QTableView {
  Q_OBJECT

 public:
  explicit PlanTable(models::compare::PlanTableModel* model, QWidget* parent = nullptr);

  /// Returns the plan of the current row, or -1.
  int selected_plan() const;
  /// Returns the plans of all selected rows, in the order shown.
  std::vector<int> selected_plans() const;
  /// Makes the row current without emitting signals; a selection that contains it stays. -1 clears the selection.
  void select_plan(int id);
  /// Selects these rows; the first becomes current.
  void select_plans(const std::vector<int>& ids);
  /// Opens an editor for the name in its row.
  void edit_name(int id);
  /// Returns the plan ids in the order shown.
  std::vector<int> shown_plans() const;
  /// Sets the actions of the context menu, opened by a right click or the menu key. The plan under it is selected
  /// first.
  void set_context_actions(QList<QAction*> actions);
  /// Returns the height of the header and all rows, for a splitter that shows them all.
  int full_height() const;
  /// Distributes the available width over the columns, unless the user has dragged them.
  void share_out_columns();

 signals:
  void plan_selected(int id);
  void plan_activated(int id);  ///< double click or Enter
  void tick_changed(int id, bool on);
  void ticks_changed(const std::vector<int>& ids, bool on);  ///< for several selected rows at once
  void plan_renamed(int id, const QString& name);
  void selection_changed();

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void report_current();
  void show_measured();

  models::compare::PlanTableModel* model_;
  QSortFilterProxyModel* sorted_;
  QList<QAction*> context_actions_;
  int reported_ = -1;
};

}  // namespace pipedeck::views::compare
