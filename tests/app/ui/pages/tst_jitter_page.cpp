// SPDX-License-Identifier: GPL-3.0-or-later
// The variation of iterations, on the explain page of the real window: computed in the background, again for another
// figure, and equal to the core's.
#include <QtTest/QTest>

#include <QDoubleSpinBox>
#include <QLabel>

#include "app/ui/pages/explain_page.hpp"
#include "app/views/whatif/explain_view.hpp"
#include "app/views/widgets/bar_table.hpp"
#include "core/sim/explain/jitter.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_jitter_page {

using namespace pipedeck::test;

views::widgets::BarTable& table_of(const WindowFixture& fixture) {
  return fixture.window->explain_page().view().jitter();
}

bool open_page(const WindowFixture& fixture) {
  if (!fixture.open_sample()) return false;
  fixture.trigger("action_page_explain");
  return fixture.settle() && QTest::qWaitFor([&] { return table_of(fixture).rows().size() == 2; }, 30000);
}

JitterBand band_of(const WindowFixture& fixture, double variation) {
  const session::project::PlanEntry* entry =
      session::project::find_plan(fixture.state(), fixture.state().selected_plan);
  const Problem problem = session::project::make_problem(fixture.state(), *entry).value();
  const sim::Simulator simulator =
      sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions).value();
  return sim::explain::jitter_band(simulator, *entry->plan, {.variation = variation}).value();
}

class TestJitterPage : public QObject {
  Q_OBJECT
 private slots:
  void bandIsTheCoresOwn();
  void anotherFigureIsAnotherBand();
  void cancelledWorkStaysSo();
};

void TestJitterPage::bandIsTheCoresOwn() {
  WindowFixture fixture;
  QVERIFY(open_page(fixture));
  QCOMPARE(fixture.child<QDoubleSpinBox>("jitter_variation")->value(), 5.0);
  const JitterBand band = band_of(fixture, 0.05);
  const models::whatif::BarRow& row = table_of(fixture).rows().front();
  QCOMPARE(row.from, to_seconds(band.p5).count);
  QCOMPARE(row.mark, to_seconds(band.p50).count);
  QCOMPARE(row.to, to_seconds(band.p95).count);
  QCOMPARE(row.faint_mark, to_seconds(band.is_disabled).count);
  for (const models::whatif::BarRow& each : table_of(fixture).rows()) {
    QVERIFY(each.from <= each.mark && each.mark <= each.to);
    QCOMPARE(each.text.count(u'/'), 2);
    for (const double value : {each.from, each.to, each.mark, each.faint_mark})
      QVERIFY(table_of(fixture).least() < value && value < table_of(fixture).most());
  }
  QVERIFY2(row.tool_tip.contains("200 iterations"), qPrintable(row.tool_tip));
  QVERIFY(fixture.window->explain_page().grab().save(pictures_folder() + "jitter.png"));
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
}

void TestJitterPage::anotherFigureIsAnotherBand() {
  WindowFixture fixture;
  QVERIFY(open_page(fixture));
  auto* variation = fixture.child<QDoubleSpinBox>("jitter_variation");
  variation->setValue(10);  // no longer wanted at once
  variation->setValue(20);
  const double expected = to_seconds(band_of(fixture, 0.2).p95).count;
  const auto shown = [&](double p95) {
    return table_of(fixture).rows().size() == 2 && table_of(fixture).rows().front().to == p95;
  };
  QTRY_VERIFY_WITH_TIMEOUT(shown(expected), 30000);
  variation->setValue(0);
  QTRY_VERIFY_WITH_TIMEOUT(shown(to_seconds(band_of(fixture, 0).is_disabled).count), 30000);
  const models::whatif::BarRow& row = table_of(fixture).rows().front();
  QCOMPARE(row.from, row.to);
  variation->setValue(20);  // remembered
  QVERIFY(shown(expected));
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
}

void TestJitterPage::cancelledWorkStaysSo() {
  WindowFixture fixture;
  QVERIFY(open_page(fixture));
  auto* variation = fixture.child<QDoubleSpinBox>("jitter_variation");
  variation->setValue(30);
  fixture.session().jobs().cancel_all();
  QVERIFY(fixture.settle());
  QTRY_VERIFY(table_of(fixture).rows().size() < 2);
  QTest::qWait(100);
  QVERIFY(!fixture.session().jobs().any_running());
  variation->setValue(31);
  variation->setValue(30);
  QTRY_VERIFY_WITH_TIMEOUT(table_of(fixture).rows().size() == 2, 30000);
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
}

PIPEDECK_WINDOW_TEST(TestJitterPage)

}  // namespace pipedeck::tst_jitter_page

#include "tst_jitter_page.moc"
