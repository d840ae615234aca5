// SPDX-License-Identifier: GPL-3.0-or-later
// Calibrating from the window: runs ticked, fitted, used in one undo step, switched off and on, kept in the project.
#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QToolButton>

#include "app/session/project/content.hpp"
#include "app/ui/dialogs/calibration_dialog.hpp"
#include "app/ui/layout/picture.hpp"
#include "app/ui/pages/run_page.hpp"
#include "core/io/checksum.hpp"
#include "core/io/documents/calibration.hpp"
#include "core/io/importers.hpp"
#include "core/sim/simulate.hpp"
#include "tests/app/session/session_fixture.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_calibration_dialog {

using namespace pipedeck::test;

const Calibration truth{microseconds(400), 1, 0.5};

Plan chain_of(int stages, int micro_batches) {
  Plan plan;
  plan.name = std::to_string(stages) + " stages, " + std::to_string(micro_batches);
  plan.planner = "hand";
  plan.optimizer = Optimizer::none;
  plan.micro_batches = plan.global_batch = micro_batches;
  for (int s = 0; s < stages; ++s)
    plan.stages.push_back({6 * s / stages, 6 * (s + 1) / stages, {DeviceId(s)}, 1, {}, {}, {}, {}});
  return plan;
}

/// A run of the plan where `truth` is true.
std::shared_ptr<const session::project::RunRecord> run_of(Plan plan, const Profile& profile, const Cluster& cluster) {
  Problem problem;
  problem.profile = std::make_shared<const Profile>(profile);
  problem.cluster = std::make_shared<const Cluster>(cluster);
  problem.workload.conventions.overlap = Overlap::none;
  problem.workload.conventions.calibration = truth;
  const Simulation simulation = sim::simulate(problem, plan).value();
  plan.profile = profile.name;
  plan.cluster = cluster.name;
  plan.profile_sha256 = io::sha256_of(profile);
  plan.cluster_sha256 = io::sha256_of(cluster);
  session::project::RunRecord run;
  run.name = QString::fromStdString(plan.name);
  run.when = QDateTime(QDate(2026, 11, 21), QTime(15, 0));
  run.state = session::project::RunOutcome::finished;
  run.steps = 2;
  run.events = {RunStarted{plan.name, "six", "cpu", 2, static_cast<int>(plan.stages.size())},
                StepDone{1, 1, Seconds(1), 1, {}, {}}, StepDone{2, 1, to_seconds(simulation.iteration), 1, {}, {}},
                MeasuredTimeline{2, simulation.timeline}, RunFinished{2, 1, Seconds(1), Seconds(1), false}};
  run.plan = std::move(plan);
  return std::make_shared<const session::project::RunRecord>(std::move(run));
}

/// A project with a plan and three good runs, and one that failed.
session::project::State with_runs() {
  Cluster cluster = small_cluster();
  cluster.nodes[0].link = Link{gigabytes_per_second(0.1), microseconds(20)};
  session::project::Added added = session::project::with_profile({}, small_profile());
  added.state.question.profile = added.id;
  added = session::project::with_cluster(std::move(added.state), cluster);
  added.state.question.cluster = added.id;
  session::project::PlanEntry entry;
  entry.profile = added.state.question.profile;
  entry.cluster = added.id;
  entry.plan = std::make_shared<const Plan>(chain_of(2, 8));
  added = session::project::with_plan(std::move(added.state), entry);
  added.state.selected_plan = added.id;
  added.state.question.workload.global_batch = 8;
  for (const auto& [stages, batches] : {std::pair{1, 6}, {2, 4}, {3, 5}})
    added =
        session::project::with_run(std::move(added.state), run_of(chain_of(stages, batches), small_profile(), cluster));
  session::project::RunRecord failed = *run_of(chain_of(2, 3), small_profile(), cluster);
  failed.events.push_back(RunFailed{"device 1: no memory"});
  return session::project::with_run(std::move(added.state),
                                    std::make_shared<const session::project::RunRecord>(std::move(failed)))
      .state;
}

QString cpu_cluster() {
  for (const QString& name : session::project::cluster_preset_list())
    if (name.contains("CPU", Qt::CaseInsensitive)) return name;
  return {};
}

struct Calibrating : WindowFixture {
  Calibrating() {
    const std::string file = path("runs.pipedeck").toStdString();
    if (!store::write_project(file, session::project::content_of(with_runs()))) qFatal("the project can't be written");
    window->open_files({path("runs.pipedeck")});
    trigger("action_calibrate");
    dialog = window->findChild<ui::dialogs::CalibrationDialog*>();
  }
  QTableWidget* runs() const { return dialog->findChild<QTableWidget*>("calibration_runs"); }
  QTableWidget* figures() const { return dialog->findChild<QTableWidget*>("calibration_figures"); }
  QString summary() const { return dialog->findChild<QLabel*>("calibration_summary")->text(); }
  QPushButton* button(const char* name) const { return dialog->findChild<QPushButton*>(QLatin1String(name)); }
  QComboBox* box(int row) const { return qobject_cast<QComboBox*>(runs()->cellWidget(row, 1)); }
  [[nodiscard]] bool fit() const {
    button("calibration_fit")->click();
    return settle();
  }
  Nanoseconds predicted() const {
    if (!settle()) return {};
    const auto plan_result = session().plan_result(state().plans[0]);
    return plan_result ? plan_result->simulation->iteration : Nanoseconds();
  }

  ui::dialogs::CalibrationDialog* dialog = nullptr;
};

class TestCalibration : public QObject {
  Q_OBJECT

 private slots:
  void runs_are_listed_and_fitted() {
    Calibrating fixture;
    QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
    QVERIFY(fixture.dialog);
    QCOMPARE(fixture.runs()->rowCount(), 4);
    QVERIFY(fixture.runs()->item(3, 1)->text().contains("no memory"));
    QVERIFY(!fixture.box(3));
    QVERIFY(!fixture.button("calibration_use")->isEnabled());
    fixture.box(2)->setCurrentIndex(1);
    QVERIFY(fixture.fit());
    QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
    QVERIFY2(fixture.summary().contains("1 run held out"), qPrintable(fixture.summary()));
    QVERIFY(!fixture.runs()->item(2, 6)->text().isEmpty());
    QCOMPARE(fixture.figures()->rowCount(), 3);
    QCOMPARE(fixture.figures()->item(0, 2)->text(), QStringLiteral("400\u00A0\u00B5s"));
    QCOMPARE(fixture.figures()->item(2, 2)->text(), QStringLiteral("0.500"));
    QVERIFY(fixture.state().calibration.record == nullptr);  // fitted, not used
  }

  void none_held_out_each_in_turn() {
    Calibrating fixture;
    QVERIFY(fixture.fit());
    QVERIFY2(fixture.summary().contains("3 runs left out in turn"), qPrintable(fixture.summary()));
  }

  void use_is_one_step_and_judges_anew() {
    Calibrating fixture;
    const Nanoseconds before = fixture.predicted();
    QVERIFY(before.count > 0);
    auto* mark = fixture.child<QToolButton>("calibration_mark");
    QVERIFY(!mark->isVisible());
    QVERIFY(!fixture.action("action_calibrated")->isEnabled());
    QVERIFY(fixture.fit());
    const std::size_t steps = fixture.session().undo_steps();
    fixture.button("calibration_use")->click();
    QCOMPARE(fixture.session().undo_steps(), steps + 1);
    QVERIFY(fixture.state().calibration.on);
    const Nanoseconds calibrated = fixture.predicted();
    QVERIFY(calibrated > before);
    QVERIFY(mark->isVisible() && mark->isChecked());
    QVERIFY2(mark->text().startsWith("calibrated: 20"), qPrintable(mark->text()));
    QVERIFY(!fixture.button("calibration_use")->isEnabled());

    mark->click();
    QVERIFY(!fixture.state().calibration.on);
    QCOMPARE(fixture.predicted(), before);
    QCOMPARE(mark->text(), QStringLiteral("calibration off"));
    fixture.trigger("action_calibrated");
    QCOMPARE(fixture.predicted(), calibrated);
    for (int i = 0; i < 3; ++i) fixture.trigger("action_undo");
    QVERIFY(!fixture.state().calibration.record);
    QCOMPARE(fixture.predicted(), before);
    QVERIFY(!mark->isVisible());
  }

  void the_project_keeps_it() {
    Calibrating fixture;
    QVERIFY(fixture.fit());
    fixture.button("calibration_use")->click();
    fixture.answers.file_to_save = fixture.path("saved.pipedeck");
    fixture.trigger("action_save_as");
    QVERIFY(fixture.session().finish_saving());
    const CalibrationRecord record = *fixture.state().calibration.record;
    fixture.window.reset();  // it is the one that may write the file
    WindowFixture second;
    second.window->open_files({fixture.path("saved.pipedeck")});
    QVERIFY2(second.errors.isEmpty(), qPrintable(second.errors.join('\n')));
    QVERIFY(second.state().calibration.on);
    QCOMPARE(*second.state().calibration.record, record);
    QCOMPARE(second.state().question.workload.conventions.calibration, record.values);
    second.trigger("action_calibrate");
    const auto* summary =
        second.window->findChild<ui::dialogs::CalibrationDialog*>()->findChild<QLabel*>("calibration_summary");
    QVERIFY(summary->text().startsWith("The project's calibration: 20"));

    second.child<QToolButton>("calibration_mark")->click();
    second.trigger("action_save");
    QVERIFY(second.session().finish_saving());
    WindowFixture third;
    third.window->open_files({fixture.path("saved.pipedeck")});
    QVERIFY(third.state().calibration.record && !third.state().calibration.on);
    QCOMPARE(third.state().question.workload.conventions.calibration, Calibration());
  }

  void files_come_and_go() {
    Calibrating fixture;
    QVERIFY(fixture.fit());
    fixture.answers.file_to_save = fixture.path("box.calibration.json");
    fixture.button("calibration_save")->click();
    const auto saved = io::read_calibration(fixture.path("box.calibration.json").toStdString());
    QVERIFY(saved);
    QVERIFY(!saved->host.empty() && !saved->devices.empty());
    QCOMPARE(saved->sources.size(), std::size_t{2});
    QCOMPARE(saved->runs.size(), std::size_t{3});
    WindowFixture other;
    other.window->open_files({fixture.path("box.calibration.json")});
    QVERIFY2(other.errors.isEmpty(), qPrintable(other.errors.join('\n')));
    QVERIFY(other.state().calibration.on);
    QCOMPARE(*other.state().calibration.record, *saved);
  }

  // Runs of this machine, for people to look at: the dialog and the window behind it, light and dark.
  void pictures() {
    if (!QFile::exists(command_line_program())) QSKIP("pipedeck-cli is not built");
    WindowFixture fixture;
    fixture.session().choose_profile_preset("gpt-tiny");
    fixture.session().choose_cluster_preset(cpu_cluster());
    fixture.session().set_global_batch(16);
    fixture.session().compare();
    QVERIFY(fixture.settle());
    fixture.window->run_page().set_steps(15);
    std::vector<int> ids;
    for (const session::project::PlanEntry& entry : fixture.state().plans)
      if (entry.feasible() && fixture.session().not_launchable_reason(entry.id).isEmpty()) ids.push_back(entry.id);
    session::runs::RunSettings settings;
    settings.steps = 15;
    for (std::size_t i = 0; i < std::min<std::size_t>(4, ids.size()); ++i) {
      QVERIFY(fixture.session().launch({ids[i], nullptr, settings}));
      QVERIFY(QTest::qWaitFor([&] { return !fixture.session().launching(); }, 120000));
    }
    fixture.trigger("action_calibrate");
    auto* dialog = fixture.window->findChild<ui::dialogs::CalibrationDialog*>();
    auto* runs = dialog->findChild<QTableWidget*>("calibration_runs");
    qobject_cast<QComboBox*>(runs->cellWidget(runs->rowCount() - 1, 1))->setCurrentIndex(1);
    dialog->findChild<QPushButton*>("calibration_fit")->click();
    QVERIFY(fixture.settle());
    dialog->findChild<QPushButton*>("calibration_use")->click();
    QVERIFY(fixture.settle());
    const QString folder = QStringLiteral(PIPEDECK_BUILD_DIR "/pictures");
    QDir().mkpath(folder);
    for (const char* appearance : {"light", "dark"}) {
      fixture.trigger(qPrintable(QString("action_appearance_%1").arg(appearance)));
      QCoreApplication::processEvents();
      QVERIFY(ui::layout::write_picture(*dialog, QString("%1/calibration-%2.png").arg(folder, appearance)).isEmpty());
      QVERIFY(ui::layout::write_picture(*fixture.window, QString("%1/calibrated-%2.png").arg(folder, appearance))
                  .isEmpty());
    }
    fixture.trigger("action_appearance_system");
    QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
  }

  void a_broken_calibration_says_where() {
    store::ProjectContent content = session::project::content_of(with_runs());
    content.settings["calibration"] = R"({"format": "pipedeck.calibration", "version": 1})";
    const auto state = session::project::state_of(content, "p.pipedeck");
    QVERIFY(!state);
    QCOMPARE(QString::fromStdString(state.error().text()),
             QStringLiteral("p.pipedeck: calibration: /date: found no 'date', expected it"));
  }
};

PIPEDECK_WINDOW_TEST(TestCalibration)

}  // namespace pipedeck::tst_calibration_dialog

#include "tst_calibration_dialog.moc"
