// SPDX-License-Identifier: GPL-3.0-or-later
// Actions on the charts of compared plans: entries of the View menu and the context menu, the flags of the project, and
// the table of operations. All are available by keyboard.
#pragma once

#include <functional>

#include <QObject>
#include <QPoint>
#include <QPointer>

class QAction;
class QDockWidget;
class QKeySequence;
class QMainWindow;
class QMenu;
class QSettings;

namespace pipedeck::session {
class Session;
}  // namespace pipedeck::session

namespace pipedeck::ui::pages {
class ComparePage;
}  // namespace pipedeck::ui::pages

namespace pipedeck::views::compare {
class Pane;
class PlanPanel;
}  // namespace pipedeck::views::compare

namespace pipedeck::views::gantt {
class View;
class OperationTable;
}  // namespace pipedeck::views::gantt

namespace pipedeck::ui::actions {

class ChartActions : public QObject {
  Q_OBJECT

 public:
  struct Parts {
    QMainWindow* window;
    pages::ComparePage* compare;
    session::Session* session;
    QSettings* settings;
    std::function<void()> show_charts;              ///< brings the charts' page to the front
    std::function<void(int from, int to)> explain;  ///< shows the waterfall between two plans
  };
  /// Adds its actions to `menu`.
  ChartActions(Parts parts, QMenu* menu);

  views::gantt::OperationTable& table() const { return *table_; }
  QDockWidget* table_dock() const { return dock_; }

 private:
  QAction* add(QMenu* menu, const QString& text, const char* name, const QKeySequence& shortcut,
               const QString& tool_tip, const std::function<void()>& run);
  QAction* add_switch(QMenu* menu, const QString& text, const char* name, const QKeySequence& shortcut,
                      const QString& tool_tip, const char* key, bool first, const std::function<void(bool)>& run);
  void add_search(QMenu* menu);
  void add_measure(QMenu* menu);
  void add_layout(QMenu* menu);
  void add_lanes(QMenu* menu);
  void connect_flags();
  void show_flags();
  /// Runs `use` with the lane of the context menu, else that under the mouse, else that of the selected operation.
  void with_lane(const std::function<void(views::gantt::View& chart, int lane)>& use);
  void add_table(QMenu* menu);
  void fill_difference_menu(QMenu* menu);
  void show_menu(const QPoint& position);
  void fill_operation_menu(QMenu* menu, views::compare::PlanPanel* panel, const QPoint& position);
  /// Returns the chart of the selected plan, or the first; null if there is none.
  views::gantt::View* chart() const;
  views::compare::Pane& charts() const;
  void zoom_to_selection();
  void copy_operation();
  void follow_plan();
  void show_table();

  Parts parts_;
  QMenu* difference_menu_ = nullptr;
  views::gantt::OperationTable* table_ = nullptr;
  QDockWidget* dock_ = nullptr;
  QMenu* lanes_menu_ = nullptr;
  /// A lane that the open context menu is about.
  struct Lane {
    QPointer<views::gantt::View> chart;
    int device = -1;
  };
  Lane menu_lane_;
};

}  // namespace pipedeck::ui::actions
