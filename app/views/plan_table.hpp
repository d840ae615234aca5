// SPDX-License-Identifier: GPL-3.0-or-later
// The plans side by side: sortable, tickable, with memory as a bar against the capacity.
#pragma once

#include <vector>

#include <QTableView>

class QAction;
class QSortFilterProxyModel;

namespace pipedeck::app {

class PlanTableModel;

/// Property of a header whose columns a person dragged: nobody else gives them widths then.
inline constexpr const char* columns_by_hand = "columns_by_hand";

class PlanTable : public QTableView {
  Q_OBJECT

 public:
  explicit PlanTable(PlanTableModel* model, QWidget* parent = nullptr);

  /// The plan whose row is current; -1: none.
  int selected_plan() const;
  /// All whose rows are selected, in the order shown.
  std::vector<int> selected_plans() const;
  /// Makes the row current without a signal loop, among others where it is selected with them; -1 clears the selection.
  void select_plan(int id);
  /// Selects these rows; the first becomes current.
  void select_plans(const std::vector<int>& ids);
  /// Opens a field for the name in its row.
  void edit_name(int id);
  /// Plan ids in the order shown.
  std::vector<int> shown_plans() const;
  /// Shown at a right click, and with the menu key, for the plan under it (which becomes selected first).
  void set_context_actions(QList<QAction*> actions);
  /// Heights: header and all rows, for a splitter that wants to show them all.
  int full_height() const;
  /// Widths for the room that there is, where nobody dragged them.
  void share_out_columns();

 signals:
  void plan_selected(int id);
  void plan_activated(int id);  ///< double click or Enter
  void tick_changed(int id, bool on);
  void ticks_changed(const std::vector<int>& ids, bool on);  ///< of several selected rows at once
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

  PlanTableModel* model_;
  QSortFilterProxyModel* sorted_;
  QList<QAction*> context_actions_;
  int reported_ = -1;
};

}  // namespace pipedeck::app
