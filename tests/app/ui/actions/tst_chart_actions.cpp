// SPDX-License-Identifier: GPL-3.0-or-later
// The charts' tools in the real window: search, measure, layouts, difference, table of operations, context menu.
#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QTableView>

#include "app/ui/pages/compare_page.hpp"
#include "app/ui/pages/explain_page.hpp"
#include "app/views/compare/comparison_pane.hpp"
#include "app/views/compare/plan_panel.hpp"
#include "app/views/gantt/chart_search.hpp"
#include "app/views/gantt/difference_view.hpp"
#include "app/views/gantt/minimap_view.hpp"
#include "app/views/gantt/operation_table.hpp"
#include "app/views/gantt/ruler_view.hpp"
#include "app/views/gantt/span_panel.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_chart_actions {

using namespace pipedeck::test;

views::compare::Pane& charts(const WindowFixture& fixture) { return fixture.window->compare_page().charts(); }

views::compare::PlanPanel& selected_panel(const WindowFixture& fixture) {
  for (views::compare::PlanPanel* panel : charts(fixture).panels())
    if (panel->selected()) return *panel;
  return *charts(fixture).panels().front();
}

class TestChartActions : public QObject {
  Q_OBJECT

 private slots:
  void slash_finds_in_all_charts() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    views::compare::Pane& pane = charts(fixture);
    QVERIFY(pane.panels().size() >= 2);
    views::gantt::View& gantt = pane.panels()[0]->gantt();
    gantt.setFocus();
    QTest::keyClick(&gantt, Qt::Key_Slash);
    auto* field = fixture.child<QLineEdit>("chart_search_field");
    QTRY_VERIFY(field->hasFocus());
    QTest::keyClicks(field, "F 0 s0");
    QTRY_VERIFY(pane.search().count() >= pane.panels().size());
    QTest::keyClick(field, Qt::Key_Return);
    QVERIFY(pane.link().selection());
    QVERIFY(fixture.child<QLabel>("chart_search_count")->text().startsWith("1 of "));
    fixture.trigger("action_chart_search_next");
    QVERIFY(fixture.child<QLabel>("chart_search_count")->text().startsWith("2 of "));
    fixture.trigger("action_chart_search_previous");
    QTest::keyClick(field, Qt::Key_Escape);
    QVERIFY(!pane.search().isVisible());
    QVERIFY(qobject_cast<views::gantt::View*>(QApplication::focusWidget()));
  }

  void a_measure_goes_through_all_charts() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    views::compare::Pane& pane = charts(fixture);
    views::gantt::View& gantt = pane.panels()[0]->gantt();
    QTest::mouseClick(&gantt, Qt::LeftButton, Qt::ShiftModifier, {gantt.plot().left() + 60, 8});
    QTest::mouseClick(&gantt, Qt::LeftButton, Qt::ShiftModifier, {gantt.plot().left() + 260, 8});
    QVERIFY(pane.link().measure()->to);
    QVERIFY(pane.span_panel().isVisible());
    const QImage other = pane.panels()[1]->memory().grab().toImage();
    const double x = pane.panels()[1]->memory().x_of(pane.link().measure()->from);
    const QColor line = other.pixelColor(static_cast<int>(x), 2);
    QVERIFY2(line.blue() > line.red() + 30, qPrintable(line.name()));
    QVERIFY(fixture.window->grab().save(pictures_folder() + "span.png"));
    fixture.trigger("action_measure_remove");
    QVERIFY(!pane.span_panel().isVisible());
    gantt.setFocus();
    QTest::keyClick(&gantt, Qt::Key_M);
    QVERIFY(pane.link().measure());
    QTest::keyClick(&gantt, Qt::Key_Escape);
    QVERIFY(!pane.link().measure());
  }

  /// Flags are edits of the project: undone, saved, and shown for their question only.
  void flags_belong_to_the_project() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    views::compare::Pane& pane = charts(fixture);
    auto* ruler = pane.findChild<views::gantt::RulerView*>();
    QTest::mouseDClick(ruler, Qt::LeftButton, {}, {ruler->plot().left() + 200, 10});
    auto* note = ruler->findChild<QLineEdit*>("flag_note");
    QVERIFY(note);
    QTest::keyClicks(note, "warm-up ends");
    QTest::keyClick(note, Qt::Key_Return);
    QCOMPARE(pane.link().flags().size(), std::size_t{1});
    QCOMPARE(fixture.state().flags.size(), std::size_t{1});
    QCOMPARE(fixture.state().flags[0].note, "warm-up ends");
    QCOMPARE(fixture.session().undo_name(), "Note on a flag");
    fixture.session().undo();
    QCOMPARE(pane.link().flags()[0].note, "");
    fixture.session().undo();
    QVERIFY(pane.link().flags().empty());
    fixture.session().redo();
    fixture.session().redo();
    const auto flag = pane.link().flags()[0];
    QCOMPARE(flag.note, "warm-up ends");
    const int batch = fixture.state().question.workload.global_batch;
    fixture.session().set_global_batch(2 * batch);
    QVERIFY(pane.link().flags().empty());  // another question
    fixture.session().set_global_batch(batch);
    QCOMPARE(pane.link().flags().size(), std::size_t{1});
    QVERIFY(fixture.session().save_as(fixture.path("flags.pipedeck")));
    fixture.session().new_project();
    QVERIFY(pane.link().flags().empty());
    QVERIFY(fixture.session().open(fixture.path("flags.pipedeck")));
    QCOMPARE(pane.link().flags().size(), std::size_t{1});
    QVERIFY(pane.link().flags()[0] == flag);
  }

  void lanes_are_pinned_above_the_charts() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    views::compare::Pane& pane = charts(fixture);
    views::compare::PlanPanel& panel = *pane.panels()[0];
    views::gantt::View& gantt = panel.gantt();
    QVERIFY(!pane.pinned_lanes(panel.plan_id()));
    // By the context menu, on the name of the second lane.
    const models::gantt::Row& lane = gantt.geometry_of_lanes().rows[1];
    emit pane.customContextMenuRequested(gantt.mapTo(&pane, QPoint(20, lane.top + lane.height / 2)));
    auto* menu = fixture.child<QMenu>("chart_context_menu");
    QVERIFY(menu);
    QAction* pin = nullptr;
    for (QAction* action : menu->actions())
      if (action->objectName() == "action_lane_pin") pin = action;
    QVERIFY(pin);
    pin->trigger();
    menu->close();
    QCOMPARE(gantt.pinned().size(), std::size_t{1});
    views::gantt::View* pinned = pane.pinned_lanes(panel.plan_id());
    QVERIFY(pinned);
    QTRY_VERIFY(pinned->isVisible());
    QCOMPARE(pinned->row_text(0), gantt.row_text(1));
    QTRY_VERIFY(pinned->mapTo(&pane, QPoint(0, 0)).y() < gantt.mapTo(&pane, QPoint(0, 0)).y());
    QTRY_COMPARE(pinned->plot().width(), gantt.plot().width());  // one time scale
    QTest::mouseMove(pinned, {400, 10});
    fixture.trigger("action_lanes_unpin");
    QVERIFY(!pane.pinned_lanes(panel.plan_id()));
    fixture.trigger("action_lanes_open");
    QVERIFY(gantt.geometry_of_lanes().rows.size() > 2);
    fixture.trigger("action_lanes_close");
    fixture.trigger("action_lanes_order");
  }

  /// The mouse decides, not the focus.
  void keys_of_charts_work_with_the_focus_in_the_table() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    views::compare::Pane& pane = charts(fixture);
    QWidget& table = *fixture.child<QTableView>("plan_table");
    table.setFocus();
    views::gantt::View& gantt = pane.panels()[0]->gantt();
    QTest::mouseMove(&gantt, {gantt.plot().left() + 100, 10});
    QTest::keyClick(&table, Qt::Key_W);
    QVERIFY(pane.link().axis() != pane.link().axis().fitted());
    QTest::keyClick(&table, Qt::Key_F);
    QCOMPARE(pane.link().axis(), pane.link().axis().fitted());
    QTest::keyClick(&table, Qt::Key_M);
    QVERIFY(pane.link().measure());
    QVERIFY(table.hasFocus());
    QTest::keyClick(&table, Qt::Key_Question);
    QTRY_VERIFY(fixture.child<QWidget>("shortcut_overlay")->isVisible());
    QTest::keyClick(fixture.child<QWidget>("shortcut_search"), Qt::Key_Escape);
    table.setFocus();
    QTest::keyClick(&table, Qt::Key_Slash);
    QTRY_VERIFY(pane.search().isVisible());
  }

  void charts_stand_side_by_side_and_stay_so() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    views::compare::Pane& pane = charts(fixture);
    fixture.trigger("action_side_by_side");
    QCoreApplication::processEvents();
    views::compare::PlanPanel &first = *pane.panels()[0], &second = *pane.panels()[1];
    QTRY_VERIFY(second.x() > first.x());
    QCOMPARE(second.y(), first.y());
    QVERIFY(std::abs(second.width() - first.width()) <= 1);
    const auto rulers = pane.findChildren<views::gantt::RulerView*>();
    QVERIFY(rulers.size() >= 2);
    QTRY_VERIFY(rulers[0]->plot().width() == first.gantt().plot().width());
    QVERIFY(fixture.settings.value("window/side_by_side").toBool());
    fixture.trigger("action_side_by_side");
    QTRY_VERIFY(second.y() > first.y());
    QCOMPARE(second.x(), first.x());
  }

  void links_and_overview_are_switched() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    views::compare::Pane& pane = charts(fixture);
    const auto links = [](const views::compare::PlanPanel& panel) {
      std::size_t rows = 0;
      for (const models::gantt::Row& row : panel.gantt().geometry_of_lanes().rows)
        rows += row.kind == models::gantt::Row::Kind::link;
      return rows;
    };
    QCOMPARE(links(*pane.panels()[0]), std::size_t{0});
    for (const NetworkModel network : {NetworkModel::ideal, NetworkModel::shared}) {
      SimulationOptions conventions = fixture.state().question.workload.conventions;
      conventions.network = network;
      fixture.session().set_conventions(conventions);
      QVERIFY(fixture.settle());
      if (!fixture.action("action_links")->isChecked()) fixture.trigger("action_links");
      std::size_t shown = 0;
      for (const views::compare::PlanPanel* panel : pane.panels()) {
        QTRY_VERIFY(panel->gantt().content());
        shown += links(*panel);
      }
      QVERIFY(shown > 0);
    }
    QVERIFY(pane.minimap().isVisible());
    fixture.trigger("action_overview");
    QVERIFY(!pane.minimap().isVisible());
    QVERIFY(!fixture.settings.value("window/overview").toBool());
  }

  void the_difference_of_two_plans_is_a_lane_and_a_waterfall() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    views::compare::Pane& pane = charts(fixture);
    auto* menu = fixture.child<QMenu>("difference_menu");
    emit menu->aboutToShow();
    QAction* lane = nullptr;
    for (QAction* action : menu->actions())
      if (action->objectName().startsWith("action_difference_")) lane = action;
    QVERIFY(lane);
    const int from = lane->objectName().section('_', -1).toInt();
    const int to = selected_panel(fixture).plan_id();
    lane->trigger();
    QVERIFY(pane.difference());
    QTRY_VERIFY(pane.difference()->difference());
    QVERIFY(selected_panel(fixture).isAncestorOf(pane.difference()));
    QVERIFY2(pane.difference()->headline().contains("gained"), qPrintable(pane.difference()->headline()));
    QTRY_VERIFY(pane.difference()->height() >= pane.difference()->sizeHint().height());
    QStringList told;
    QAccessibleInterface* heard = QAccessible::queryAccessibleInterface(pane.difference());
    QVERIFY(heard && heard->childCount() > 2);
    bool gained = false;
    for (int i = 0; i < heard->childCount(); ++i) {
      const QString name = heard->child(i)->text(QAccessible::Name);
      QVERIFY2(name.startsWith("G"), qPrintable(name));
      gained |= name.endsWith("is busy: gained");
      QVERIFY(heard->rect().intersects(heard->child(i)->rect()) || heard->child(i)->state().offscreen);
    }
    QVERIFY(gained);
    for (int y = 0; y < pane.difference()->height() && told.isEmpty(); y += 4)
      told = pane.difference()->describe({pane.difference()->plot().center().x() * 1.0, y * 1.0});
    QVERIFY(told.size() >= 3);
    emit menu->aboutToShow();
    fixture.window->grab().save(pictures_folder() + "difference.png");
    for (QAction* action : menu->actions())
      if (action->objectName() == QString("action_waterfall_%1").arg(from)) {
        action->trigger();
        break;
      }
    QCOMPARE(fixture.window->page(), ui::window::Page::explain);
    QCOMPARE(fixture.window->explain_page().from_plan(), from);
    fixture.window->show_page(ui::window::Page::compare);
    pane.set_difference(to, to);
    QVERIFY(!pane.difference());
    pane.set_difference(from, to);
    QVERIFY(pane.difference());
    fixture.session().set_ticked(from, false);  // one of the two is not shown any more
    QTRY_VERIFY(!pane.difference());
  }

  void the_table_and_the_chart_follow_each_other() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    fixture.trigger("action_operation_table");
    auto* table = fixture.child<views::gantt::OperationTable>("operation_table");
    QTRY_VERIFY(table->isVisible() && table->model().rowCount() > 0);
    views::gantt::View& gantt = selected_panel(fixture).gantt();
    QCOMPARE(table->model().content(), gantt.content());
    table->table().setFocus();
    table->table().setCurrentIndex(table->model().index(3, 0));
    QVERIFY(gantt.selected());
    QCOMPARE(charts(fixture).link().selection()->position, table->model().operation(3));
    gantt.setFocus();
    QTest::keyClick(&gantt, Qt::Key_Right);
    QCOMPARE(table->model().operation(table->table().currentIndex().row()),
             charts(fixture).link().selection()->position);
    auto* field = fixture.child<QLineEdit>("operation_filter");
    QTest::keyClicks(field, "B s0");
    const std::size_t all = table->model().content()->timeline->size();
    QTRY_VERIFY(table->model().total() < all && table->model().total() > 0);
    table->table().sortByColumn(models::gantt::OperationTableModel::duration, Qt::DescendingOrder);
    QTRY_VERIFY(!table->model().sorting());
    table->table().selectRow(0);
    QTest::keyClick(&table->table(), Qt::Key_C, Qt::ControlModifier);
    const QStringList lines = QApplication::clipboard()->text().split('\n');
    QCOMPARE(lines.size(), 2);
    QVERIFY(lines[0].startsWith("Where\tOperation") && lines[1].contains("backward"));
    fixture.window->grab().save(pictures_folder() + "operations.png");
    field->setText("nonsense");
    QVERIFY(fixture.child<QLabel>("operation_count")->text().contains("nonsense"));
  }

  void a_right_click_offers_what_can_be_done_with_an_operation() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    views::compare::Pane& pane = charts(fixture);
    views::gantt::View& gantt = pane.panels()[0]->gantt();
    const QPoint at =
        gantt.mapTo(&pane, gantt.box_of({0, gantt.content()->timeline->lanes[0].begin}).center().toPoint());
    emit pane.customContextMenuRequested(at);
    auto* menu = fixture.child<QMenu>("chart_context_menu");
    QVERIFY(menu);
    QTRY_VERIFY(menu->isVisible());
    QVERIFY(pane.link().selection());
    const auto entry = [menu](const char* name) -> QAction* { return menu->findChild<QAction*>(QLatin1String(name)); };
    for (const char* name : {"action_context_zoom", "action_context_copy", "action_context_find",
                             "action_context_measure", "action_context_table"})
      QVERIFY2(entry(name), name);
    entry("action_context_measure")->trigger();
    QVERIFY(pane.link().measure() && pane.link().measure()->to);
    entry("action_context_copy")->trigger();
    QVERIFY(QApplication::clipboard()->text().contains("forward"));
    entry("action_context_zoom")->trigger();
    QVERIFY(pane.link().axis() != pane.link().axis().fitted());
    entry("action_context_find")->trigger();
    QVERIFY(pane.search().isVisible());
    QTRY_VERIFY(pane.search().count() > 0);
    menu->close();
  }
};

PIPEDECK_WINDOW_TEST(TestChartActions)

}  // namespace pipedeck::tst_chart_actions

#include "tst_chart_actions.moc"
