// SPDX-License-Identifier: GPL-3.0-or-later
// A sortable table of the plans with check boxes and memory bars against the capacity.
#pragma once

#include <vector>

#include <QTableView>

#include "app/views/compare/plan_delegate.hpp"

class QAction;

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

  /// Shows these rows. The selected one keeps its place on the screen.
  void set_rows(std::vector<models::compare::PlanRow> rows);
  /// Shows or hides the rows of a group.
  void open_group(models::compare::PlanGroup group, bool on);
  bool group_open(models::compare::PlanGroup group) const;
  /// Returns false for a row that is folded into an equal one.
  bool shows(const models::compare::PlanRow& row) const;
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
  /// Returns the height of the header and as many rows.
  int height_of(int rows) const;
  /// Lowers the rows, for small windows.
  void set_dense(bool dense);
  /// Distributes the available width over the columns, unless the user has dragged them.
  void share_out_columns();

 signals:
  void plan_selected(int id);
  void plan_activated(int id);  ///< double click or Enter
  void tick_changed(int id, bool on);
  void ticks_changed(const std::vector<int>& ids, bool on);  ///< for several selected rows at once
  void plan_renamed(int id, const QString& name);
  void selection_changed();
  void baseline_chosen(int id);  ///< 0: none
  void requested(int id, views::compare::RowRequest request);
  void groups_changed();  ///< other rows are shown

 protected:
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  class Shown;
  void report_current();
  void receive(int id, RowRequest request);
  void arrange();
  void set_row_heights();

  models::compare::PlanTableModel* model_;
  Shown* sorted_;
  QList<QAction*> context_actions_;
  int reported_ = -1;
  bool setting_rows_ = false;  ///< a row that leaves moves the selection, which the user did not
  bool dense_ = false;
  bool measured_ = false, tokens_ = false, baseline_ = false;  ///< shown columns
};

}  // namespace pipedeck::views::compare
