// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/actions/chart_actions.hpp"

#include <set>

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QKeySequence>
#include <QMainWindow>
#include <QMenu>
#include <QSettings>
#include <QTableView>

#include "app/session/project/entry_edits.hpp"
#include "app/session/session.hpp"
#include "app/ui/pages/compare_page.hpp"
#include "app/views/compare/comparison_pane.hpp"
#include "app/views/compare/plan_panel.hpp"
#include "app/views/gantt/chart_search.hpp"
#include "app/views/gantt/operation_table.hpp"
#include "app/views/gantt/pointer_keys.hpp"

namespace pipedeck::ui::actions {

ChartActions::ChartActions(Parts parts, QMenu* menu) : QObject(parts.window), parts_(std::move(parts)) {
  setObjectName(QStringLiteral("chart_actions"));
  add_search(menu);
  add_measure(menu);
  add_layout(menu);
  add_lanes(menu);
  add_table(menu);
  connect_flags();
  charts().setContextMenuPolicy(Qt::CustomContextMenu);
  connect(&charts(), &QWidget::customContextMenuRequested, this, &ChartActions::show_menu);
  connect(&charts(), &views::compare::Pane::charts_changed, this, &ChartActions::follow_plan);
  connect(parts_.compare, &pages::ComparePage::rows_changed, this, &ChartActions::follow_plan);
}

views::compare::Pane& ChartActions::charts() const { return parts_.compare->charts(); }

QAction* ChartActions::add(QMenu* menu, const QString& text, const char* name, const QKeySequence& shortcut,
                           const QString& tool_tip, const std::function<void()>& run) {
  QAction* action = menu->addAction(text);
  action->setObjectName(QLatin1String(name));
  action->setShortcut(shortcut);
  action->setToolTip(tool_tip);
  if (run) connect(action, &QAction::triggered, this, run);
  return action;
}

QAction* ChartActions::add_switch(QMenu* menu, const QString& text, const char* name, const QKeySequence& shortcut,
                                  const QString& tool_tip, const char* key, bool first,
                                  const std::function<void(bool)>& run) {
  QAction* action = add(menu, text, name, shortcut, tool_tip, {});
  action->setCheckable(true);
  const QString setting = QLatin1String(key);
  action->setChecked(parts_.settings->value(setting, first).toBool());
  run(action->isChecked());
  connect(action, &QAction::toggled, this, [this, setting, run](bool on) {
    run(on);
    parts_.settings->setValue(setting, on);
  });
  charts().addAction(action);
  return action;
}

void ChartActions::add_search(QMenu* menu) {
  QAction* find = add(menu, tr("Find in c&harts…"), "action_chart_search", {},
                      tr("Find operations by micro-batch, stage, device and kind"), [this] {
                        parts_.show_charts();
                        charts().search().open();
                      });
  find->setShortcuts({QKeySequence(Qt::Key_Slash), QKeySequence::Find});
  charts().addAction(find);
  add(menu, tr("Find &next"), "action_chart_search_next", QKeySequence::FindNext, tr("Go to the next found operation"),
      [this] { charts().search().next(); });
  add(menu, tr("Find pre&vious"), "action_chart_search_previous", QKeySequence::FindPrevious,
      tr("Go to the previous found operation"), [this] { charts().search().previous(); });
}

void ChartActions::add_measure(QMenu* menu) {
  QAction* measure = add(menu, tr("Select a &span"), "action_measure", QKeySequence(Qt::Key_M),
                         tr("Set one end, then the other. Ends snap to operations and can be dragged"), [this] {
                           auto* focused = views::gantt::view_at_pointer(*parts_.window);
                           if (!focused) focused = qobject_cast<views::gantt::TimeView*>(QApplication::focusWidget());
                           if (!focused) focused = chart();
                           if (focused) focused->mark_here();
                         });
  measure->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  charts().addAction(measure);
  add(menu, tr("Zoom to the spa&n"), "action_span_zoom", {}, tr("Show the selected span over the whole width"), [this] {
    if (const auto span = charts().link().span()) charts().link().zoom_to(span->first, span->second);
  });
  add(menu, tr("&Keep the span as a flag"), "action_span_flag", {}, tr("Keep the span on the time scale, with a note"),
      [this] {
        if (const auto span = charts().link().span()) charts().link().add_flag({span->first, span->second});
      });
  add(menu, tr("Remo&ve the span"), "action_measure_remove", {}, tr("Removes both ends"),
      [this] { charts().link().set_measure(std::nullopt); });
  QAction* flag = add(menu, tr("Add a fla&g"), "action_flag", QKeySequence(Qt::Key_N),
                      tr("Add a flag to the time scale, for a note. The project keeps it"), [this] {
                        const auto& link = charts().link();
                        const double time = link.cursor().value_or((link.axis().begin + link.axis().end) / 2);
                        charts().link().add_flag({time, time});
                      });
  flag->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  charts().addAction(flag);
  QAction* zoom = add(menu, tr("Zoom to the selected operation"), "action_zoom_selection", QKeySequence(Qt::Key_Z),
                      tr("Zoom until the operation fills a third of the chart"), [this] { zoom_to_selection(); });
  zoom->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  charts().addAction(zoom);
}

void ChartActions::add_layout(QMenu* menu) {
  views::compare::Pane* pane = &charts();
  add_switch(menu, tr("Charts &side by side"), "action_side_by_side", QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_B),
             tr("Show as many charts side by side as fit"), "window/side_by_side", false,
             [pane](bool on) { pane->set_side_by_side(on); });
  QAction* links = add_switch(menu, tr("Lanes of &links"), "action_links", QKeySequence(Qt::Key_L),
                              tr("Show a lane per link, with its transfers"), "window/links", false,
                              [pane](bool on) { pane->set_links_visible(on); });
  links->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  connect(pane, &views::compare::Pane::links_visible_changed, links, &QAction::setChecked);
  add_switch(menu, tr("&Overview strip"), "action_overview", {},
             tr("Show the whole time range, with the visible part as a frame"), "window/overview", true,
             [pane](bool on) { pane->set_overview_visible(on); });
  difference_menu_ = menu->addMenu(tr("&Difference to"));
  difference_menu_->setObjectName(QStringLiteral("difference_menu"));
  connect(difference_menu_, &QMenu::aboutToShow, this, [this] { fill_difference_menu(difference_menu_); });
  connect(pane, &views::compare::Pane::difference_closed, pane, [pane] { pane->set_difference(0, 0); });
}

void ChartActions::add_lanes(QMenu* menu) {
  lanes_menu_ = menu->addMenu(tr("La&nes"));
  lanes_menu_->setObjectName(QStringLiteral("lanes_menu"));
  lanes_menu_->setToolTipsVisible(true);
  const auto scoped = [this](QAction* action) {
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    charts().addAction(action);
  };
  add(lanes_menu_, tr("&Pin or unpin the lane"), "action_lane_pin", {},
      tr("Show the lane above all charts, next to other pinned lanes"), [this] {
        with_lane([](views::gantt::View& chart, int lane) {
          chart.set_pinned(DeviceId(lane), !chart.pinned().contains(DeviceId(lane)));
        });
      });
  add(lanes_menu_, tr("&Unpin all lanes"), "action_lanes_unpin", {}, {}, [this] {
    for (const views::compare::PlanPanel* panel : charts().panels())
      for (const DeviceId lane : std::set<DeviceId>(panel->gantt().pinned())) panel->gantt().set_pinned(lane, false);
  });
  lanes_menu_->addSeparator();
  for (const bool up : {true, false}) {
    QAction* move =
        add(lanes_menu_, up ? tr("Move the lane &up") : tr("Move the lane &down"),
            up ? "action_lane_up" : "action_lane_down",
            QKeySequence(static_cast<int>(Qt::ALT) | (up ? Qt::Key_Up : Qt::Key_Down)),
            tr("Or drag the name of the lane"), [this, up] {
              with_lane([up](views::gantt::View& chart, int lane) { chart.move_lane(DeviceId(lane), up ? -1 : 1); });
            });
    scoped(move);
  }
  for (const bool open : {true, false})
    scoped(
        add(lanes_menu_, open ? tr("Show the lane's p&arts") : tr("&Hide the lane's parts"),
            open ? "action_lane_parts" : "action_lane_whole",
            QKeySequence(static_cast<int>(Qt::ALT) | (open ? Qt::Key_Right : Qt::Key_Left)),
            tr("A lane each for compute, TP, CP, EP, DP and PP, as far as the plan has them. Or click the arrow at the "
               "lane's name"),
            [this, open] {
              with_lane([open](views::gantt::View& chart, int lane) { chart.set_divided(DeviceId(lane), open); });
            }));
  add(lanes_menu_, tr("Lanes in their own &order"), "action_lanes_order", {}, {}, [this] {
    for (const views::compare::PlanPanel* panel : charts().panels()) panel->gantt().reset_order();
  });
  lanes_menu_->addSeparator();
  for (const bool open : {true, false})
    add(lanes_menu_, open ? tr("O&pen all lanes") : tr("&Close all lanes"),
        open ? "action_lanes_open" : "action_lanes_close", {},
        open ? tr("A lane per device") : tr("One lane for devices with the same operations"), [this, open] {
          for (const views::compare::PlanPanel* panel : charts().panels()) panel->gantt().set_all_opened(open);
        });
}

void ChartActions::with_lane(const std::function<void(views::gantt::View&, int)>& use) {
  if (menu_lane_.chart && menu_lane_.device >= 0) return use(*menu_lane_.chart, menu_lane_.device);
  auto* chart = qobject_cast<views::gantt::View*>(views::gantt::view_at_pointer(*parts_.window));
  std::optional<DeviceId> lane;
  if (chart) lane = chart->lane_at(QPointF(chart->mapFromGlobal(QCursor::pos())));
  if (!lane) {
    chart = this->chart();
    lane = chart ? chart->lane_at(std::nullopt) : std::nullopt;
  }
  if (lane) return use(*chart, lane->value);
  emit parts_.session->notice(tr("Point at a lane, or select an operation of it, first."));
}

/// Keeps the flags of the time scale in the project.
void ChartActions::connect_flags() {
  views::gantt::TimeAxisController& link = charts().link();
  connect(&link, &views::gantt::TimeAxisController::flags_edited, this,
          [this](const std::vector<models::gantt::Flag>& flags, const QString& name) {
            std::vector<session::project::ChartFlag> stored;
            for (const models::gantt::Flag& flag : flags) stored.push_back({0, 0, 0, flag.begin, flag.end, flag.note});
            parts_.session->change(name, session::project::with_flags(parts_.session->state(), std::move(stored)));
          });
  connect(parts_.session, &session::Session::state_changed, this, &ChartActions::show_flags);
  show_flags();
}

void ChartActions::show_flags() {
  std::vector<models::gantt::Flag> flags;
  for (const session::project::ChartFlag& flag : session::project::flags_of_question(parts_.session->state()))
    flags.push_back({flag.begin, flag.end, flag.note});
  charts().link().set_flags(flags);
}

void ChartActions::add_table(QMenu* menu) {
  table_ = new views::gantt::OperationTable;
  dock_ = new QDockWidget(tr("OPERATIONS"), parts_.window);
  dock_->setObjectName(QStringLiteral("operations_dock"));
  dock_->setFont(views::widgets::section_font(parts_.window->font()));
  table_->setFont(parts_.window->font());
  dock_->setWidget(table_);
  dock_->setFeatures(QDockWidget::DockWidgetClosable | QDockWidget::DockWidgetMovable);
  parts_.window->addDockWidget(Qt::BottomDockWidgetArea, dock_);
  dock_->hide();
  QAction* toggle = dock_->toggleViewAction();
  toggle->setText(tr("&Table of operations"));
  toggle->setObjectName(QStringLiteral("action_operation_table"));
  toggle->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_T));
  toggle->setToolTip(tr("Show the chart's operations as a table to filter, sort and copy"));
  menu->addAction(toggle);
  charts().addAction(toggle);
  connect(toggle, &QAction::triggered, this, [this](bool on) {
    if (on) show_table();
  });
}

/// Raises the table above docks in the same place, high enough for some rows.
void ChartActions::show_table() {
  constexpr int rows_height = 220;
  dock_->show();
  dock_->raise();
  if (dock_->height() < rows_height) parts_.window->resizeDocks({dock_}, {rows_height}, Qt::Vertical);
}

views::gantt::View* ChartActions::chart() const {
  views::compare::PlanPanel* shown = nullptr;
  for (views::compare::PlanPanel* panel : charts().panels())
    if (!shown || panel->selected()) shown = panel;
  return shown ? &shown->gantt() : nullptr;
}

void ChartActions::follow_plan() { table_->set_chart(chart()); }

/// Lists the differences from every other plan to the selected one.
void ChartActions::fill_difference_menu(QMenu* menu) {
  menu->clear();
  const views::gantt::View* to = chart();
  const auto shown = charts().difference_plans();
  if (!to || charts().panels().size() < 2) {
    menu->addAction(tr("Tick two plans to see their difference"))->setEnabled(false);
    return;
  }
  const int id = to->chart_id();
  for (const views::compare::PlanPanel* panel : charts().panels()) {
    const int from = panel->plan_id();
    if (from == id) continue;
    QAction* lane = menu->addAction(models::compare::plan_title(panel->row()));
    lane->setObjectName(QStringLiteral("action_difference_%1").arg(from));
    lane->setToolTip(tr("Show time gained and lost in a lane under the chart"));
    lane->setCheckable(true);
    const bool on = shown == std::pair(from, id);
    lane->setChecked(on);
    connect(lane, &QAction::triggered, this, [this, from, id, on] { charts().set_difference(on ? id : from, id); });
  }
  menu->addSeparator();
  for (const views::compare::PlanPanel* panel : charts().panels()) {
    const int from = panel->plan_id();
    if (from == id) continue;
    QAction* waterfall =
        menu->addAction(tr("Explain the difference to %1").arg(models::compare::plan_title(panel->row())));
    waterfall->setObjectName(QStringLiteral("action_waterfall_%1").arg(from));
    connect(waterfall, &QAction::triggered, this, [this, from, id] { parts_.explain(from, id); });
  }
}

void ChartActions::show_menu(const QPoint& position) {
  auto* menu = new QMenu(parts_.window);
  menu->setObjectName(QStringLiteral("chart_context_menu"));
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->setToolTipsVisible(true);
  menu_lane_ = {};
  if (views::compare::PlanPanel* panel = charts().panel_at(position)) {
    fill_operation_menu(menu, panel, position);
    views::gantt::View& gantt = panel->gantt();
    const QPoint at = gantt.mapFrom(&charts(), position);
    if (const auto lane = gantt.rect().contains(at) ? gantt.lane_at(QPointF(at)) : std::nullopt) {
      menu_lane_ = {&gantt, lane->value};
      menu->addSection(gantt.lane_text(*lane));
      menu->addActions(lanes_menu_->actions());
    }
  }
  connect(menu, &QMenu::aboutToHide, this, [this] {
    // The action is triggered after the menu is hidden.
    QMetaObject::invokeMethod(
        this, [this] { menu_lane_ = {}; }, Qt::QueuedConnection);
  });
  fill_difference_menu(menu->addMenu(tr("&Difference to")));
  menu->addSeparator();
  menu->addActions(charts().actions());
  menu->popup(charts().mapToGlobal(position));
}

void ChartActions::fill_operation_menu(QMenu* menu, views::compare::PlanPanel* panel, const QPoint& position) {
  views::gantt::View& gantt = panel->gantt();
  const auto hit = gantt.hit(gantt.mapFrom(&charts(), position));
  emit panel->clicked(panel->plan_id());
  if (!hit) return;
  const TimelineRow row = gantt.content()->timeline->row(hit->operation);
  charts().link().set_selection(views::gantt::SelectedOperation{gantt.chart_id(), hit->operation, row.operation});
  menu->addSection(gantt.describe(*hit).first());
  add(menu, tr("&Zoom to it"), "action_context_zoom", {}, {}, [this] { zoom_to_selection(); });
  add(menu, tr("&Copy its text"), "action_context_copy", {}, {}, [this] { copy_operation(); });
  const Operation operation = row.operation;
  if (operation.kind != OpKind::all_reduce && operation.kind != OpKind::optimizer)
    add(menu, tr("&Find micro-batch %1").arg(operation.micro_batch), "action_context_find", {}, {},
        [this, operation] { charts().search().open(QString::number(operation.micro_batch)); });
  add(menu, tr("&Select its span"), "action_context_measure", {}, {}, [this, row] {
    charts().link().set_measure(
        views::gantt::TimeMeasure{static_cast<double>(row.start.count), static_cast<double>(row.end().count)});
  });
  add(menu, tr("Show in the &table"), "action_context_table", {}, {}, [this] {
    show_table();
    table_->table().setFocus();
  });
  menu->addSeparator();
}

void ChartActions::zoom_to_selection() {
  const views::gantt::View* shown = chart();
  if (!shown || !shown->selected()) return;
  const TimelineRow row = shown->content()->timeline->row(shown->selected()->operation);
  const double begin = static_cast<double>(row.start.count), end = static_cast<double>(row.end().count);
  views::gantt::TimeAxisController& link = charts().link();
  models::gantt::TimeAxis axis =
      link.axis().zoomed(link.axis().span() / std::max(1.0, 3 * (end - begin)), (begin + end) / 2);
  link.set_axis(axis.panned((begin + end) / 2 - (axis.begin + axis.end) / 2));
}

void ChartActions::copy_operation() {
  const views::gantt::View* shown = chart();
  if (shown && shown->selected())
    QApplication::clipboard()->setText(shown->describe(*shown->selected()).join(QLatin1Char('\n')));
}

}  // namespace pipedeck::ui::actions
