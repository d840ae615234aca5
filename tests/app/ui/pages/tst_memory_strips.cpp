// SPDX-License-Identifier: GPL-3.0-or-later
// Memory by item in the real window: asked for in the background, put away, remembered, given up while a cut is
// dragged.
#include <QApplication>

#include "app/ui/layout/picture.hpp"
#include "app/ui/pages/compare_page.hpp"
#include "app/views/compare/comparison_pane.hpp"
#include "app/views/compare/plan_panel.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_memory_strips {

using namespace pipedeck::test;

class TestMemoryStrips : public QObject {
  Q_OBJECT

 private slots:
  void items_come_in_the_background_and_are_remembered();
  void a_dragged_plan_shows_its_sum();
  void pictures();
};

void TestMemoryStrips::items_come_in_the_background_and_are_remembered() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  const auto panels = fixture.window->compare_page().charts().panels();
  QVERIFY(!panels.empty());
  for (const views::compare::PlanPanel* panel : panels) QVERIFY(!panel->memory().by_item() && !panel->memory().items());
  QTest::keyClick(fixture.window.get(), Qt::Key_I);
  QVERIFY(fixture.action("action_memory_by_item")->isChecked());
  QVERIFY(fixture.settle());
  for (const views::compare::PlanPanel* panel : panels) {
    const views::memory::View& memory = panel->memory();
    QVERIFY(memory.by_item() && memory.items());
    QTRY_COMPARE(memory.height(), memory.strips().height());  // once it is laid out
    // The strips add up to the curves.
    for (const models::memory::Curve& curve : memory.curves()->curves) {
      const models::memory::Stack* stack = memory.items()->of(curve.devices.front());
      QVERIFY(stack);
      const std::size_t highest = stack->highest(0, 1e18);
      QCOMPARE(stack->items().at(highest).total(), curve.simulated->peak);
      QCOMPARE(stack->items().at(highest), curve.simulated->peak_breakdown);
    }
  }
  QVERIFY(fixture.settings.value("window/memory_by_item").toBool());
  const auto items = panels.front()->memory().items();
  fixture.trigger("action_memory_by_item");
  QVERIFY(!panels.front()->memory().by_item());
  QVERIFY(!fixture.settings.value("window/memory_by_item").toBool());
  fixture.trigger("action_memory_by_item");
  QCOMPARE(panels.front()->memory().items(), items);  // nothing is computed again
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
}

void TestMemoryStrips::a_dragged_plan_shows_its_sum() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  fixture.trigger("action_memory_by_item");
  QVERIFY(fixture.settle());
  // Another schedule is another plan: the strips follow it.
  const int selected = fixture.state().selected_plan;
  fixture.session().choose_schedule(selected, ScheduleKind::gpipe);
  QVERIFY(fixture.settle());
  for (const views::compare::PlanPanel* panel : fixture.window->compare_page().charts().panels()) {
    const views::memory::View& memory = panel->memory();
    QVERIFY(memory.items());
    const models::memory::Curve& curve = memory.curves()->curves.front();
    QCOMPARE(memory.items()
                 ->of(curve.devices.front())
                 ->items()
                 .at(memory.items()->of(curve.devices.front())->highest(0, 1e18)),
             curve.simulated->peak_breakdown);
  }
}

void TestMemoryStrips::pictures() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  fixture.trigger("action_memory_by_item");
  QVERIFY(fixture.settle());
  QTest::qWait(100);
  QCOMPARE(ui::layout::write_picture(*fixture.window, pictures_folder() + "memory-by-item.png"), QString());
  fixture.trigger("action_appearance_dark");
  QTest::qWait(100);
  QCOMPARE(ui::layout::write_picture(*fixture.window, pictures_folder() + "memory-by-item-dark.png"), QString());
  fixture.trigger("action_appearance_light");
}

PIPEDECK_WINDOW_TEST(TestMemoryStrips)

}  // namespace pipedeck::tst_memory_strips

#include "tst_memory_strips.moc"
