// SPDX-License-Identifier: GPL-3.0-or-later
// Launching for real from the window: the runtime trains in a child process, charts fill, differences are listed, Stop
// stops, and a project keeps its runs.
#include <QComboBox>

#include "app/session/project_content.hpp"
#include "app/ui/compare_page.hpp"
#include "app/ui/run_page.hpp"
#include "app/views/gantt_view.hpp"
#include "app/views/run_view.hpp"
#include "tests/app/ui/window_fixture.hpp"

using namespace pipedeck;
using namespace pipedeck::app;
using namespace pipedeck::app::test;

class TestLaunch : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (!QFile::exists(command_line_program())) QSKIP("pipedeck-cli is not built");
  }
  void small_models_train_to_the_end_data();
  void small_models_train_to_the_end();
  void stop_stops();
  void runs_are_saved_and_shown_again();
  void large_models_say_why_they_are_not_trained();

 private:
  /// The model compared on the smallest cluster; the best plan of at most two devices selected.
  static void prepare(WindowFixture& fixture, const QString& model) {
    fixture.session().choose_profile_preset(model);
    fixture.session().choose_cluster_preset(cluster());
    fixture.session().set_global_batch(16);
    fixture.session().compare();
    QVERIFY(fixture.settle());
    QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
    QVERIFY(fixture.state().selected_plan > 0);
  }
  static QString cluster() {
    for (const QString& name : cluster_preset_list()) {
      if (name.contains("CPU", Qt::CaseInsensitive) || name.contains("machine", Qt::CaseInsensitive)) return name;
    }
    return cluster_preset_list().front();
  }
};

void TestLaunch::small_models_train_to_the_end_data() {
  QTest::addColumn<QString>("model");
  QTest::newRow("transformer") << "gpt-tiny";
  QTest::newRow("perceptron") << "mlp-small";
}

void TestLaunch::small_models_train_to_the_end() {
  QFETCH(QString, model);
  WindowFixture fixture;
  prepare(fixture, model);
  RunPage& page = fixture.window->run_page();
  page.set_steps(6);
  fixture.trigger("action_launch");
  QVERIFY(fixture.session().launching());
  QCOMPARE(fixture.window->page(), Page::run);
  QVERIFY(QTest::qWaitFor([&] { return !fixture.session().launching(); }, 120000));
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));

  QCOMPARE(fixture.state().runs.size(), std::size_t{1});
  const RunRecord& run = *fixture.state().runs[0].run;
  QCOMPARE(run.state, RunOutcome::finished);
  QVERIFY(run.predicted);
  const RunModel& charts = page.view().model();
  QCOMPARE(charts.steps_done(), 6);
  QCOMPARE(charts.throughput().size(), std::size_t{6});
  QCOMPARE(charts.loss().size(), std::size_t{6});
  QVERIFY(page.timeline());
  QVERIFY(page.timeline()->content());
  const auto difference = differences_of(run.predicted.get(), run.events);
  QVERIFY(difference);
  QVERIFY(difference->measured_iteration.count > 0);
  for (const KindDifference& kind : difference->kinds) {
    if (kind.kind == OpKind::forward || kind.kind == OpKind::backward) {
      QCOMPARE(kind.measured_count, kind.predicted_count);  // the same operations, predicted and run
    }
  }
  bool measured_here = false;
  for (const ProfileEntry& entry : fixture.state().profiles) {
    measured_here |= entry.profile->name == model.toStdString() + " (measured here)";
  }
  QVERIFY(measured_here);
  fixture.trigger("action_undo");  // the run, then the measured profile
  QVERIFY(fixture.state().runs.empty());
}

void TestLaunch::stop_stops() {
  WindowFixture fixture;
  prepare(fixture, "mlp-small");
  fixture.window->run_page().set_steps(100000);
  fixture.trigger("action_launch");
  const auto steps = [&] { return fixture.window->run_page().view().model().steps_done(); };
  QVERIFY(QTest::qWaitFor([&] { return steps() > 2 || !fixture.session().launching(); }, 120000));
  QVERIFY2(fixture.session().launching(), qPrintable(fixture.errors.join('\n')));
  fixture.trigger("action_stop");
  QVERIFY(QTest::qWaitFor([&] { return !fixture.session().launching(); }, 10000));
  QCOMPARE(fixture.state().runs.back().run->state, RunOutcome::stopped);
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
  QVERIFY(!fixture.window->run_page().view().running());
}

void TestLaunch::runs_are_saved_and_shown_again() {
  WindowFixture fixture;
  prepare(fixture, "mlp-small");
  fixture.window->run_page().set_steps(4);
  fixture.trigger("action_launch");
  QVERIFY(QTest::qWaitFor([&] { return !fixture.session().launching(); }, 120000));
  fixture.answers.file_to_save = fixture.path("run.pipedeck");
  fixture.trigger("action_save");
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));

  WindowFixture second;
  second.window->open_files({fixture.path("run.pipedeck")});
  QVERIFY2(second.errors.isEmpty(), qPrintable(second.errors.join('\n')));
  QCOMPARE(second.state().runs.size(), std::size_t{1});
  const RunRecord& before = *fixture.state().runs[0].run;
  QVERIFY(second.state().runs[0].run->events.empty());  // read when they are looked at
  const auto whole = with_traces(second.state().runs[0].run);
  QVERIFY2(whole, whole ? "" : whole.error().text().c_str());
  const RunRecord& after = **whole;
  QCOMPARE(after.name, before.name);
  QCOMPARE(after.state, before.state);
  QVERIFY(after.plan == before.plan);
  QCOMPARE(after.events.size(), before.events.size());
  QVERIFY(after.events == before.events);
  second.window->run_page().show_run(second.state().runs[0].id);
  QCOMPARE(second.window->run_page().view().model().steps_done(), 4);
  QVERIFY(second.window->run_page().timeline());
  QVERIFY(differences_of(after.predicted.get(), after.events));

  // Launched again: this machine is one cluster, however often it is measured.
  const std::size_t clusters = fixture.state().clusters.size();
  fixture.trigger("action_launch");
  QVERIFY(QTest::qWaitFor([&] { return !fixture.session().launching(); }, 120000));
  QCOMPARE(fixture.state().runs.size(), std::size_t{2});
  QCOMPARE(fixture.state().clusters.size(), clusters);
}

void TestLaunch::large_models_say_why_they_are_not_trained() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  fixture.trigger("action_launch");
  QVERIFY(!fixture.session().launching());
  QCOMPARE(fixture.errors.size(), 1);
  QVERIFY2(fixture.errors[0].contains("BERT-48"), qPrintable(fixture.errors[0]));
}

QTEST_MAIN(TestLaunch)
#include "tst_launch.moc"
