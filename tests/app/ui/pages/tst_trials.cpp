// SPDX-License-Identifier: GPL-3.0-or-later
// The best plans of a comparison, run one after another, and their measured times next to the predicted ones.
#include <csignal>

#include <QLabel>
#include <QPushButton>
#include <QSpinBox>

#include "app/models/compare/plan_table_model.hpp"
#include "app/ui/pages/compare_page.hpp"
#include "app/ui/pages/run_page.hpp"
#include "app/views/compare/plan_table.hpp"
#include "app/views/run/view.hpp"
#include "tests/app/ui/launch_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_trials {

using namespace pipedeck::test;

class TestTrials : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (!QFile::exists(command_line_program())) QSKIP("pipedeck-cli is not built");
  }
  void the_best_plans_are_tried_one_after_the_other();
  void a_trial_that_breaks_stops_no_other();
  void what_else_goes_wrong_is_told_meanwhile();
  void stop_ends_all_trials();

 private:
  /// Trials of the best two plans; the first trains.
  static void begin_trials(ui::pages::RunPage& page, int steps) {
    page.set_steps(steps);
    page.try_best(2);
    QVERIFY(QTest::qWaitFor([&] { return page.view().model().steps_done() > 2; }, 120000));
  }
  static void stop_trials(const WindowFixture& fixture) {
    fixture.child<QPushButton>("run_stop")->click();
    QVERIFY(QTest::qWaitFor([&] { return !fixture.window->run_page().trials().running(); }, 60000));
  }
};

void TestTrials::the_best_plans_are_tried_one_after_the_other() {
  WindowFixture fixture;
  compare_on_this_machine(fixture, "mlp-small");
  ui::pages::RunPage& page = fixture.window->run_page();
  const views::compare::PlanTable& table = fixture.window->compare_page().table();
  QVERIFY(table.isColumnHidden(models::compare::PlanTableModel::measured));
  fixture.window->show_page(ui::window::Page::run);
  page.set_steps(5);
  auto* count = fixture.child<QSpinBox>("run_trial_count");
  QVERIFY(count->maximum() >= 2);
  count->setValue(2);
  fixture.child<QPushButton>("run_trials")->click();
  QVERIFY(page.trials().running());
  QVERIFY(!fixture.child<QPushButton>("run_launch")->isEnabled());
  QVERIFY(fixture.child<QLabel>("run_trial_words")->text().contains("plan 1 of 2"));
  QVERIFY(QTest::qWaitFor([&] { return !page.trials().running(); }, 240000));
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));

  const std::vector<study::Trial>& trials = page.trials().done();
  QCOMPARE(trials.size(), std::size_t{2});
  QCOMPARE(fixture.state().runs.size(), std::size_t{2});
  for (std::size_t i = 0; i < 2; ++i) {
    const session::project::RunRecord& run = *fixture.state().runs[i].run;
    QVERIFY2(trials[i].measured && trials[i].predicted, trials[i].failure.c_str());
    QCOMPARE(run.state, session::project::RunOutcome::finished);
    QCOMPARE(trials[i].measured->count, run.plan.global_batch / *run.samples_per_second);
  }
  QVERIFY(trials[0].plan != trials[1].plan);
  const int fastest = *trials[0].measured <= *trials[1].measured ? trials[0].plan : trials[1].plan;
  QCOMPARE(fixture.state().selected_plan, fastest);
  QVERIFY(fixture.child<QLabel>("run_trial_words")->text().contains("fastest"));
  QVERIFY(!table.isColumnHidden(models::compare::PlanTableModel::measured));
  int measured = 0;
  for (int row = 0; row < table.model()->rowCount(); ++row) {
    const QModelIndex cell = table.model()->index(row, models::compare::PlanTableModel::measured);
    measured += cell.data(models::compare::PlanTableModel::sort_role).isValid();
    const Seconds least = std::min(*trials[0].measured, *trials[1].measured);
    QCOMPARE(cell.data().toString().contains("fastest"),
             cell.data(models::compare::PlanTableModel::sort_role) == QVariant(least.count));
    if (cell.data(models::compare::PlanTableModel::id_role).toInt() == fastest)
      QVERIFY(cell.data().toString().contains("fastest"));
  }
  QVERIFY(measured >= 2);
  for (const bool dark : {false, true}) {
    fixture.trigger(dark ? "action_appearance_dark" : "action_appearance_light");
    for (const auto& [shown, name] :
         {std::pair(ui::window::Page::run, "run"), {ui::window::Page::compare, "compare"}}) {
      fixture.window->show_page(shown);
      QTest::qWait(200);
      fixture.window->grab().save(pictures_folder() + QString("trials_%1_%2.png").arg(name, dark ? "dark" : "light"));
    }
  }
}

/// The first is killed while it trains.
void TestTrials::a_trial_that_breaks_stops_no_other() {
  WindowFixture fixture;
  compare_on_this_machine(fixture, "mlp-small");
  ui::pages::RunPage& page = fixture.window->run_page();
  begin_trials(page, 3000);
  const qint64 process = fixture.session().launch_at_hand()->process_id();
  QVERIFY(process > 0);  // 0 is the test's own group
  ::kill(static_cast<pid_t>(process), SIGKILL);
  QVERIFY(QTest::qWaitFor([&] { return !page.trials().running(); }, 240000));
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
  const std::vector<study::Trial>& trials = page.trials().done();
  QCOMPARE(trials.size(), std::size_t{2});
  QVERIFY2(!trials[0].measured && trials[0].failure.find("signal 9") != std::string::npos, trials[0].failure.c_str());
  QVERIFY2(trials[1].measured, trials[1].failure.c_str());
  QCOMPARE(fixture.state().selected_plan, trials[1].plan);
  QVERIFY(fixture.child<QLabel>("run_trial_words")->text().contains("signal 9"));
}

/// Parts of a failure that the table does not show are reported as usual.
void TestTrials::what_else_goes_wrong_is_told_meanwhile() {
  WindowFixture fixture;
  compare_on_this_machine(fixture, "mlp-small");
  ui::pages::RunPage& page = fixture.window->run_page();
  begin_trials(page, 1000000);
  QVERIFY(!fixture.session().import(fixture.path("missing.json")));
  QVERIFY(QTest::qWaitFor([&] { return !fixture.errors.isEmpty(); }, 30000));
  QVERIFY2(fixture.errors.front().contains("missing.json"), qPrintable(fixture.errors.front()));
  QVERIFY(page.trials().running());
  stop_trials(fixture);
  QCOMPARE(fixture.errors.size(), 1);
}

void TestTrials::stop_ends_all_trials() {
  WindowFixture fixture;
  compare_on_this_machine(fixture, "mlp-small");
  ui::pages::RunPage& page = fixture.window->run_page();
  const int selected = fixture.state().selected_plan;
  begin_trials(page, 1000000);
  stop_trials(fixture);
  QCOMPARE(page.trials().done().size(), std::size_t{1});
  QVERIFY(!page.trials().done()[0].measured);
  QCOMPARE(fixture.state().selected_plan, selected);
  QVERIFY(fixture.child<QLabel>("run_trial_words")->text().contains("not started"));
  QVERIFY(fixture.child<QPushButton>("run_launch")->isEnabled());
  QVERIFY(!fixture.session().launching());
}

PIPEDECK_WINDOW_TEST(TestTrials)

}  // namespace pipedeck::tst_trials

#include "tst_trials.moc"
