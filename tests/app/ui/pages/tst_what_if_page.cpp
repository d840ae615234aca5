// SPDX-License-Identifier: GPL-3.0-or-later
// The what-if page in the real window: sliders move, plans follow, results are saved and undone.
#include <QAccessible>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QMouseEvent>
#include <QPushButton>
#include <QTableView>
#include <QTableWidget>
#include <QToolButton>

#include "app/ui/layout/picture.hpp"
#include "app/ui/pages/what_if_page.hpp"
#include "app/views/gantt/preview.hpp"
#include "app/views/whatif/front_pane.hpp"
#include "app/views/whatif/panel.hpp"
#include "app/views/whatif/pareto_view.hpp"
#include "app/views/whatif/stop_slider.hpp"
#include "app/views/whatif/summary.hpp"
#include "app/views/whatif/upgrade_pane.hpp"
#include "app/views/widgets/bar_table.hpp"
#include "app/views/widgets/hover_card.hpp"
#include "tests/app/ui/latency_probe.hpp"
#include "tests/app/ui/pages/what_if_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_what_if_page {

using test::WindowFixture;

struct Opened : test::WhatIfFixture {
  /// With the front and purchases, or without.
  [[nodiscard]] bool show(bool all = false) {
    page->set_preload(all);
    open_page();
    return fixture.window->page() == ui::window::Page::what_if && settle();
  }
  const PlanCandidate& today() const { return page->study().current().best->found; }
  const PlanCandidate& now() const { return page->study().now().best->found; }
  QPoint point(std::size_t plan) const { return page->front().view().geometry_of_points().points[plan].toPoint(); }
  /// Returns a figure of today (1), then (2), or its change (3).
  QString cell(const QString& label, int column) const {
    const QTableWidget& table = page->summary().table();
    for (int row = 0; row < table.rowCount(); ++row)
      if (table.item(row, 0)->text() == label) return table.item(row, column)->text();
    return {};
  }
};

class TestWhatIfPage : public QObject {
  Q_OBJECT

 private slots:
  void without_a_question();
  void a_slider_plans_anew();
  void typed_figures_have_units();
  void reset_goes_back();
  void another_device_type();
  void micro_batch_follows_the_batch();
  void a_price_is_edited();
  void nothing_fits_says_so();
  void the_window_is_never_blocked();
  void clusters_and_plans_are_kept();
  void the_front_by_mouse();
  void the_front_by_keyboard();
  void the_front_can_be_heard();
  void the_table_twin();
  void buy_first_moves_the_sliders();
  void pictures();
};

void TestWhatIfPage::without_a_question() {
  WindowFixture fixture;
  fixture.window->show_page(ui::window::Page::what_if);
  QVERIFY(!fixture.window->what_if_page().study().question());
}

void TestWhatIfPage::a_slider_plans_anew() {
  Opened opened;
  QVERIFY(opened.show());
  QCOMPARE(opened.page->panel().between().value(), 3.125e9);
  QVERIFY(opened.page->panel().between().is_at_current());
  const QString today = opened.cell("Samples per second", 1);
  auto* slider = opened.child<views::whatif::MarkedSlider>("what_if_between_slider");
  slider->setFocus();
  for (int i = 0; i < 3; ++i) QTest::keyClick(slider, Qt::Key_PageUp);
  QVERIFY(slider->value() == slider->mark() + 12);
  QVERIFY(opened.settle());
  QCOMPARE(opened.page->study().change().between->count, 25e9);
  QVERIFY(opened.now().samples_per_second > opened.today().samples_per_second);
  QCOMPARE(opened.cell("Samples per second", 1), today);
  QVERIFY(opened.cell("Samples per second", 2) != today);
  QVERIFY(opened.cell("Samples per second", 3).startsWith(QStringLiteral("✓")));
  QVERIFY(opened.page->summary().words().contains("more samples per second"));
  // By the mouse, back to the mark.
  const QPoint handle(slider->x_of(slider->value()), slider->height() / 2);
  const QPoint mark(slider->x_of(slider->mark()), slider->height() / 2);
  QTest::mousePress(slider, Qt::LeftButton, {}, handle);
  QTest::mouseMove(slider, (handle + mark) / 2);
  QTest::mouseMove(slider, mark);
  QTest::mouseRelease(slider, Qt::LeftButton, {}, mark);
  QVERIFY(opened.settle());
  QVERIFY(opened.page->panel().between().is_at_current());
  QCOMPARE(opened.page->study().change(), WhatIf());
  QCOMPARE(opened.now().samples_per_second, opened.today().samples_per_second);
}

void TestWhatIfPage::typed_figures_have_units() {
  Opened opened;
  QVERIFY(opened.show());
  auto* field = opened.child<views::widgets::QuantityEdit>("what_if_between_field");
  field->setFocus();
  field->selectAll();
  QTest::keyClicks(field, "100 Gbit/s");
  QTest::keyClick(field, Qt::Key_Return);
  QVERIFY(opened.settle());
  QCOMPARE(opened.page->study().change().between->count, 12.5e9);
  auto* memory = opened.child<views::widgets::QuantityEdit>("what_if_memory_field");
  memory->setFocus();
  memory->selectAll();
  QTest::keyClicks(memory, "80 GiB");
  QTest::keyClick(memory, Qt::Key_Return);
  QVERIFY(opened.settle());
  QCOMPARE(opened.page->study().change().memory->count, std::int64_t{80} << 30);
  QCOMPARE(opened.now().capacity.count, std::int64_t{80} << 30);
}

void TestWhatIfPage::reset_goes_back() {
  Opened opened;
  QVERIFY(opened.show());
  QVERIFY(!opened.child<QPushButton>("what_if_reset")->isEnabled());
  opened.child<views::whatif::MarkedSlider>("what_if_nodes_slider")->setValue(3);
  opened.child<views::whatif::MarkedSlider>("what_if_inside_slider")->setValue(0);
  QVERIFY(opened.settle());
  QVERIFY(opened.page->study().change().nodes && opened.page->study().change().inside);
  opened.click("what_if_nodes_reset");
  QVERIFY(opened.settle());
  QVERIFY(!opened.page->study().change().nodes && opened.page->study().change().inside);
  opened.click("what_if_reset");
  QVERIFY(opened.settle());
  QCOMPARE(opened.page->study().change(), WhatIf());
  QVERIFY(opened.page->panel().inside().is_at_current());
}

void TestWhatIfPage::another_device_type() {
  Opened opened;
  QVERIFY(opened.show());
  auto* types = opened.child<QComboBox>("what_if_type");
  const int a100 = types->findData("A100-80GB");
  QVERIFY(a100 > 0);
  types->setCurrentIndex(a100);
  emit types->activated(a100);
  QVERIFY(opened.settle());
  QVERIFY(opened.now().samples_per_second > 1.5 * opened.today().samples_per_second);
  QCOMPARE(opened.page->panel().memory().value(), static_cast<double>(std::int64_t{80} << 30));
  QVERIFY(opened.page->panel().memory().is_at_current());
  auto* times = opened.child<QLabel>("what_if_times");
  QVERIFY(times->isVisible() && times->text().contains("V100-16GB"));
  QVERIFY(opened.child<views::widgets::QuantityEdit>("what_if_price_A100-80GB"));
  types->setCurrentIndex(0);
  emit types->activated(0);
  QVERIFY(opened.settle());
  QCOMPARE(opened.page->study().change(), WhatIf());
  QVERIFY(!times->isVisible());
}

void TestWhatIfPage::micro_batch_follows_the_batch() {
  Opened opened;
  QVERIFY(opened.show());
  auto* micro = opened.child<views::whatif::MarkedSlider>("what_if_micro_batch_slider");
  micro->setValue(micro->maximum());
  QVERIFY(opened.settle());
  QCOMPARE(*opened.page->study().change().micro_batch, 64);
  auto* batch = opened.child<views::whatif::MarkedSlider>("what_if_global_batch_slider");
  batch->setValue(batch->mark() - 1);
  QVERIFY(opened.settle());
  QCOMPARE(*opened.page->study().change().global_batch, 32);
  QVERIFY(opened.page->study().change().micro_batch.value_or(0) == 0);
  QVERIFY(opened.page->study().now().best);
  QCOMPARE(opened.now().plan->global_batch, 32);
}

void TestWhatIfPage::a_price_is_edited() {
  Opened opened;
  QVERIFY(opened.show());
  auto* field = opened.child<views::widgets::QuantityEdit>("what_if_price_V100-16GB");
  QVERIFY(field && field->value());
  field->setFocus();
  field->selectAll();
  QTest::keyClicks(field, "10");
  QTest::keyClick(field, Qt::Key_Return);
  QVERIFY(opened.settle());
  QCOMPARE(*opened.now().price_per_hour, 10.0 * 8 * opened.now().nodes);
  QVERIFY(
      opened.cell("Price per hour", 2).contains("160") &&
      opened.cell("Price per hour", 2).endsWith(QString::fromStdString(session::whatif::CapacityStudy::currency())));
}

void TestWhatIfPage::nothing_fits_says_so() {
  Opened opened;
  QVERIFY(opened.show());
  auto* field = opened.child<views::widgets::QuantityEdit>("what_if_memory_field");
  field->setFocus();
  field->selectAll();
  QTest::keyClicks(field, "100 MiB");
  QTest::keyClick(field, Qt::Key_Return);
  QVERIFY(opened.settle());
  QVERIFY(!opened.page->study().now().best);
  QVERIFY(opened.page->summary().words().startsWith("No plan"));
  QVERIFY(!opened.child<QPushButton>("what_if_keep_plan")->isEnabled());
  QVERIFY(opened.child<QPushButton>("what_if_keep_cluster")->isEnabled());
}

/// A slider that is pulled to and fro: every turn of the event loop stays short.
void TestWhatIfPage::the_window_is_never_blocked() {
  Opened opened;
  QVERIFY(opened.show());
  auto* slider = opened.child<views::whatif::MarkedSlider>("what_if_nodes_slider");
  test::LatencyProbe probe;
  for (int i = 0; i < 40; ++i) {
    slider->setValue(i % slider->maximum());
    QTest::qWait(10);
  }
  const double longest = probe.longest_ms(), own = probe.longest_own_ms();
  qInfo("longest without an answer: %.0f ms, in processor time %.0f ms", longest, own);
  QVERIFY(opened.settle());
  QVERIFY2(own < 40, qPrintable(QString::number(own)));           // whatever else the machine does
  QVERIFY2(longest < 200, qPrintable(QString::number(longest)));  // it never waits
  QCOMPARE(opened.page->study().now().change.nodes.value_or(2), static_cast<int>(opened.page->panel().nodes().value()));
}

void TestWhatIfPage::clusters_and_plans_are_kept() {
  Opened opened;
  QVERIFY(opened.show());
  opened.child<views::whatif::MarkedSlider>("what_if_nodes_slider")->setValue(3);
  QVERIFY(opened.settle());
  const session::project::State before = opened.fixture.state();
  const std::size_t steps = opened.fixture.session().undo_steps();
  opened.click("what_if_keep_cluster");
  QCOMPARE(opened.fixture.session().undo_steps(), steps + 1);
  QCOMPARE(opened.fixture.state().clusters.size(), before.clusters.size() + 1);
  QVERIFY(opened.fixture.session().undo_name().startsWith("Add cluster"));
  QVERIFY(opened.page->study().change().nodes);  // the sliders stay
  opened.fixture.trigger("action_undo");
  QVERIFY(opened.fixture.state().clusters == before.clusters);
  opened.click("what_if_keep_plan");
  QCOMPARE(opened.fixture.session().undo_steps(), steps + 1);
  QCOMPARE(opened.fixture.state().plans.size(), before.plans.size() + 1);
  QCOMPARE(opened.fixture.state().clusters.size(), before.clusters.size() + 1);
  QVERIFY(opened.fixture.session().undo_name().startsWith("Keep plan"));
  opened.fixture.trigger("action_undo");
  QVERIFY(opened.fixture.state().plans == before.plans && opened.fixture.state().clusters == before.clusters);
  QVERIFY(opened.fixture.errors.isEmpty());
}

void TestWhatIfPage::the_front_by_mouse() {
  Opened opened;
  QVERIFY(opened.show(true));
  views::whatif::ParetoView& view = opened.page->front().view();
  QVERIFY(view.content().plans.size() > 50);
  const std::size_t plan = view.content().line.front();
  QMouseEvent move(QEvent::MouseMove, opened.point(plan), view.mapToGlobal(opened.point(plan)), Qt::NoButton,
                   Qt::NoButton, Qt::NoModifier);
  QCoreApplication::sendEvent(&view, &move);
  QVERIFY(view.card().isVisible());
  QVERIFY(view.card().lines().size() >= 4);
  QTest::mouseClick(&view, Qt::LeftButton, {}, opened.point(plan));
  QVERIFY(view.selected());
  QVERIFY(opened.settle());
  const PlanCandidate& picked = view.content().plans[*view.selected()];
  QCOMPARE(opened.cell("Best plan", 2), QString::fromStdString(picked.plan->name));
  QVERIFY(opened.page->summary().words().startsWith("Picked"));
  const std::size_t plans = opened.fixture.state().plans.size(), steps = opened.fixture.session().undo_steps();
  QTest::mouseDClick(&view, Qt::LeftButton, {}, opened.point(plan));
  QCOMPARE(opened.fixture.state().plans.size(), plans + 1);
  QCOMPARE(opened.fixture.session().undo_steps(), steps + 1);
  QTest::mouseClick(&view, Qt::LeftButton, {}, view.geometry_of_points().plot.topLeft().toPoint() + QPoint(3, 3));
  QVERIFY(!view.selected());
  QVERIFY(!opened.page->summary().words().startsWith("Picked"));
}

void TestWhatIfPage::the_front_can_be_heard() {
  Opened opened;
  QVERIFY(opened.show(true));
  views::whatif::ParetoView& view = opened.page->front().view();
  QAccessibleInterface* chart = QAccessible::queryAccessibleInterface(&view);
  QVERIFY(chart && chart->role() == QAccessible::Chart);
  QCOMPARE(static_cast<std::size_t>(chart->childCount()), view.content().plans.size());
  const auto plan = static_cast<int>(view.content().line.front());
  QAccessibleInterface* point = chart->child(plan);
  const PlanCandidate& found = view.content().plans[static_cast<std::size_t>(plan)];
  QVERIFY(point->text(QAccessible::Name).contains(QString::fromStdString(found.plan->name)));
  QVERIFY(chart->rect().contains(point->rect().center()));
  QCOMPARE(chart->indexOfChild(point), plan);
  QCOMPARE(point->parent(), chart);
  QVERIFY(!point->state().selected);
  point->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
  QVERIFY(point->state().selected && view.selected() == static_cast<std::size_t>(plan));
  QVERIFY(!chart->child(-1) && !chart->child(chart->childCount()));
  view.set_content({});
  QVERIFY(!point->isValid());
  QCOMPARE(chart->childCount(), 0);
}

void TestWhatIfPage::the_front_by_keyboard() {
  Opened opened;
  QVERIFY(opened.show(true));
  views::whatif::ParetoView& view = opened.page->front().view();
  view.setFocus();
  QTest::keyClick(&view, Qt::Key_Home);
  QVERIFY(view.selected() && view.content().on_front[*view.selected()]);
  const auto memory = [&] { return view.content().plans[*view.selected()].largest_peak; };
  Bytes before = memory();
  for (int i = 0; i < 4; ++i) {
    QTest::keyClick(&view, Qt::Key_Right);
    QVERIFY(memory() >= before && view.content().on_front[*view.selected()]);
    before = memory();
  }
  QVERIFY(!view.accessibleDescription().isEmpty());
  const std::size_t plans = opened.fixture.state().plans.size();
  QTest::keyClick(&view, Qt::Key_Return);
  QCOMPARE(opened.fixture.state().plans.size(), plans + 1);
  QTest::keyClick(&view, Qt::Key_Escape);
  QVERIFY(!view.selected());
}

void TestWhatIfPage::the_table_twin() {
  Opened opened;
  QVERIFY(opened.show(true));
  opened.click("front_as_table");
  QVERIFY(opened.page->front().table_shown());
  QTableView& table = opened.page->front().table();
  QCOMPARE(table.model()->rowCount(), static_cast<int>(opened.page->front().plans().size()));
  table.setFocus();
  table.selectRow(0);
  QVERIFY(opened.page->summary().words().startsWith("Picked"));
  QTest::keySequence(&table, QKeySequence::Copy);
  opened.fixture.answers.file_to_save = opened.fixture.path("front.csv");
  opened.click("front_csv");
  QFile csv(opened.fixture.path("front.csv"));
  QVERIFY(csv.open(QIODevice::ReadOnly));
  QVERIFY(csv.readAll().startsWith("front,plan,planner"));
  auto* across = opened.child<QComboBox>("front_x");
  across->setCurrentIndex(1);
  emit across->activated(1);
  QVERIFY(opened.page->front().view().content().x == models::whatif::FrontMeasure::price);
}

void TestWhatIfPage::buy_first_moves_the_sliders() {
  Opened opened;
  QVERIFY(opened.show(true));
  views::widgets::BarTable& table = opened.page->purchases().table();
  QVERIFY(table.rowCount() >= 7);
  int nodes = -1, single = -1;
  const auto& items = opened.page->study().purchases().items;
  for (int i = 0; i < static_cast<int>(items.size()); ++i) {
    if (items[static_cast<std::size_t>(i)].purchase.kind == UpgradeKind::node) nodes = i;
    if (items[static_cast<std::size_t>(i)].purchase.kind == UpgradeKind::one_device) single = i;
  }
  QVERIFY(nodes >= 0 && single >= 0);
  const double gained = items[static_cast<std::size_t>(nodes)].best->samples_per_second;
  QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(table.model()->index(nodes, 0)).center());
  QVERIFY(opened.settle());
  QCOMPARE(opened.page->panel().nodes().value(), 3.0);
  QVERIFY(opened.now().samples_per_second >= gained);
  QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(table.model()->index(single, 0)).center());
  QVERIFY(opened.settle());
  QCOMPARE(opened.page->study().change().swaps.size(), std::size_t{1});
  QVERIFY(opened.child<QLabel>("what_if_also")->isVisible());
  opened.click("what_if_drop_also");
  QVERIFY(opened.settle());
  QVERIFY(opened.page->study().change().swaps.empty());
}

/// To be looked at.
void TestWhatIfPage::pictures() {
  Opened opened;
  QVERIFY(opened.show(true));
  auto* types = opened.child<QComboBox>("what_if_type");
  types->setCurrentIndex(types->findData("A100-80GB"));
  emit types->activated(types->currentIndex());
  opened.child<views::whatif::MarkedSlider>("what_if_nodes_slider")->setValue(3);
  QVERIFY(opened.settle());
  views::whatif::ParetoView& view = opened.page->front().view();
  view.setFocus();
  for (const char* appearance : {"light", "dark"}) {
    opened.fixture.trigger((QByteArray("action_appearance_") + appearance).constData());
    QVERIFY(opened.settle());
    QCOMPARE(ui::layout::write_picture(*opened.page, test::pictures_folder() + "what-if-" + appearance + ".png"),
             QString());
  }
  opened.fixture.trigger("action_appearance_light");
  opened.fixture.window->resize(1100, 700);
  QVERIFY(opened.settle());
  QCOMPARE(ui::layout::write_picture(*opened.page, test::pictures_folder() + "what-if-small.png"), QString());
}

PIPEDECK_WINDOW_TEST(TestWhatIfPage)

}  // namespace pipedeck::tst_what_if_page

#include "tst_what_if_page.moc"
