// SPDX-License-Identifier: GPL-3.0-or-later
// Launching on GPUs from the window: the real command line with its module on the stand-in for NVIDIA's libraries, and
// a library that stands for the driver's NVML. The choice in the project, what is offered where GPUs can't do it, runs
// that fail in the middle, and power, clocks and memory in the charts.
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QToolButton>
#include <QTreeWidget>

#include "app/session/project/backend_choice.hpp"
#include "app/ui/pages/run_page.hpp"
#include "app/views/gantt/view.hpp"
#include "app/views/run/live_chart.hpp"
#include "app/views/run/view.hpp"
#include "core/plan/validate.hpp"
#include "tests/app/ui/fake_gpus.hpp"
#include "tests/app/ui/launch_fixture.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_launch_gpus {

using namespace pipedeck::test;

constexpr int energy_column = 5;
const QString stand_in = QStringLiteral(PIPEDECK_STAND_IN_CLI);

class GpuWindow : public WindowFixture {
 public:
  explicit GpuWindow(const QString& program = stand_in) : WindowFixture(program) {}

  /// mlp-small in two stages, on the page that launches it.
  void prepare() {
    compare_on_this_machine(*this, QStringLiteral("mlp-small"));
    const auto two = std::ranges::find_if(state().plans, [](const session::project::PlanEntry& entry) {
      return entry.feasible() && entry.plan->synchronous() && entry.plan->stages.size() == 2 &&
             devices_used(*entry.plan).size() == 2;
    });
    QVERIFY(two != state().plans.end());
    session().select_plan(two->id);
    window->show_page(ui::window::Page::run);
    page().set_steps(20);
  }
  ui::pages::RunPage& page() const { return window->run_page(); }
  QString here() const {
    auto* label = child<QLabel>("run_gpus_here");
    (void)QTest::qWaitFor([&] { return !label->text().isEmpty(); }, 60000);
    return label->text();
  }
  void choose_gpus() const { child<QComboBox>("run_backend")->setCurrentIndex(1); }
  /// Returns the result of the check before the launch, if there is one.
  QString answer() const {
    auto* label = child<QLabel>("run_answer");
    (void)QTest::qWaitFor([&] { return label->isVisible() && !label->text().isEmpty(); }, 60000);
    return label->text();
  }
  bool launchable() const {
    auto* launch = child<QPushButton>("run_launch");
    return QTest::qWaitFor([&] { return launch->isEnabled() && answer().startsWith("ready"); }, 60000);
  }
  bool offers(const char* name) const { return child<QToolButton>(name)->isVisible(); }
  void take(const char* name) const { QTest::mouseClick(child<QToolButton>(name), Qt::LeftButton); }
  void launch() const { QTest::mouseClick(child<QPushButton>("run_launch"), Qt::LeftButton); }
  bool ends() const {
    return QTest::qWaitFor([&] { return !session().launching(); }, 120000);
  }
  const session::project::RunRecord& last_run() const { return *state().runs.back().run; }
  QString command() const { return child<QLineEdit>("run_command")->text(); }
  QString log() const { return child<QPlainTextEdit>("run_log")->toPlainText(); }
  /// Returns true if no field of the panel covers another one.
  bool rows_lie_apart() const {
    QList<QWidget*> shown;
    for (const char* name : {"run_steps", "run_backend", "run_precision", "run_share_gpus", "run_gpus_here", "run_data",
                             "run_learning_rate", "run_cores", "run_more", "run_command", "run_answer", "run_launch"})
      if (auto* widget = child<QWidget>(name); widget->isVisible()) shown << widget;
    const auto top = [&](qsizetype i) { return shown[i]->mapTo(window.get(), QPoint()).y(); };
    for (qsizetype i = 1; i < shown.size(); ++i)
      if (top(i) < top(i - 1) + shown[i - 1]->height()) return false;
    return true;
  }
  /// The page in both appearances, for people to look at.
  void keep_pictures(const QString& name) const {
    for (const char* appearance : {"light", "dark"}) {
      trigger(qPrintable(QStringLiteral("action_appearance_%1").arg(appearance)));
      QTest::qWait(200);
      QVERIFY2(rows_lie_apart(), qPrintable(name));
      QVERIFY(window->grab().save(QStringLiteral("%1%2-%3.png").arg(pictures_folder(), name, appearance)));
    }
    trigger("action_appearance_light");
  }
};

QByteArray contents(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

class TestLaunchGpus : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (!QFile::exists(stand_in)) QSKIP("the stand-in for NVIDIA's libraries is not built");
  }
  void a_run_on_gpus_shows_what_they_draw();
  void the_choice_is_part_of_the_project();
  void jobs_and_commands_follow_the_choice();
  void without_gpus_the_processor_trains_and_the_page_says_why_data();
  void without_gpus_the_processor_trains_and_the_page_says_why();
  void gpus_that_cannot_are_told_with_what_can_be_done_data();
  void gpus_that_cannot_are_told_with_what_can_be_done();
  void a_plan_for_fewer_gpus_is_offered();
  void unlike_gpus_are_told_before_the_launch();
  void large_models_are_for_gpus();
  void throttling_is_a_warning();
  void a_gpu_lost_in_mid_run_is_told_with_the_way_on();
  void too_little_memory_is_told_with_the_way_on();
  void trials_run_on_gpus();
  void a_model_is_measured_on_a_gpu();
};

void TestLaunchGpus::a_run_on_gpus_shows_what_they_draw() {
  const FakeGpus gpus({"FAKE_WAVE=1"});
  GpuWindow window;
  window.prepare();
  QCOMPARE(window.here(), QStringLiteral("GPUs here: 2 × Stand-in for a GPU"));
  QVERIFY(!window.child<QComboBox>("run_precision")->isVisible());
  QVERIFY(window.child<QLineEdit>("run_cores")->isEnabled());
  QVERIFY(window.child<QLabel>("devices_label")->text().contains("processor core"));
  window.choose_gpus();
  QCOMPARE(window.child<QLabel>("devices_label")->text(), QStringLiteral("Launch trains on GPUs"));
  QVERIFY(window.child<QComboBox>("run_precision")->isVisible());
  QVERIFY(!window.child<QLineEdit>("run_cores")->isEnabled());
  for (const int backend : {0, 1}) {
    window.child<QComboBox>("run_backend")->setCurrentIndex(backend);
    QTest::qWait(50);
    QVERIFY(window.rows_lie_apart());
  }
  QVERIFY2(window.launchable(), qPrintable(window.answer()));
  QVERIFY(!window.offers("run_offer_processor"));
  window.page().set_steps(60);
  QVERIFY(window.launchable());
  const std::size_t profiles = window.state().profiles.size();
  window.launch();
  QVERIFY(window.ends());
  QVERIFY2(window.errors.isEmpty(), qPrintable(window.errors.join('\n')));
  const models::run::Model& model = window.page().view().model();
  QCOMPARE(model.gpus().size(), std::size_t{2});
  QVERIFY(!model.power(0).empty() && !model.clock(1).empty() && !model.gpu_memory(1).empty());
  for (const char* chart : {"chart_power", "chart_clock"}) {
    QTRY_VERIFY(window.child<views::run::LiveChart>(chart)->isVisible());
    QVERIFY(window.child<views::run::LiveChart>(chart)->shown_points(0) > 0);
  }
  const session::project::RunRecord& run = window.last_run();
  QCOMPARE(run.state, session::project::RunOutcome::finished);
  QVERIFY(run.predicted);  // as it was planned: nothing was measured for it
  QCOMPARE(window.state().profiles.size(), profiles);
  QVERIFY(model.energy() && run.energy == model.energy());
  QVERIFY(window.page().timeline());
  QVERIFY(!window.child<QTreeWidget>("run_list")->isColumnHidden(energy_column));
  QVERIFY2(window.log().contains("--backend cuda"), qPrintable(window.log()));
  window.keep_pictures("run-on-gpus");
}

void TestLaunchGpus::the_choice_is_part_of_the_project() {
  const FakeGpus gpus;
  GpuWindow window;
  window.prepare();
  const auto step = [&](const char* name, const RunBackend& expected) {
    QCOMPARE(window.session().undo_name(), QString(name));
    QCOMPARE(window.state().backend, expected);
    const RunBackend now = window.state().backend;
    window.trigger("action_undo");
    QVERIFY(window.state().backend != now);
    QCOMPARE(window.child<QComboBox>("run_backend")->currentIndex(), window.state().backend.gpus ? 1 : 0);
    QCOMPARE(window.child<QCheckBox>("run_share_gpus")->isChecked(), window.state().backend.share_gpus);
    window.trigger("action_redo");
    QCOMPARE(window.state().backend, now);
  };
  window.choose_gpus();
  step("Train on GPUs", {.gpus = true});
  window.child<QComboBox>("run_precision")->setCurrentText("bf16");
  step("Precision bf16", {.gpus = true, .precision = ProductPrecision::bf16});
  window.child<QCheckBox>("run_share_gpus")->setChecked(true);
  step("Share GPUs", {.gpus = true, .precision = ProductPrecision::bf16, .share_gpus = true});
  window.child<QComboBox>("run_backend")->setCurrentIndex(0);
  step("Train on the processor", {.precision = ProductPrecision::bf16, .share_gpus = true});
  window.choose_gpus();
  QVERIFY(window.session().modified());
  QVERIFY(window.session().save_as(window.path("gpus.pipedeck")));

  GpuWindow second;
  second.window->open_files({window.path("gpus.pipedeck")});
  QCOMPARE(second.state().backend, window.state().backend);
  QCOMPARE(second.child<QComboBox>("run_backend")->currentIndex(), 1);
  QCOMPARE(second.child<QComboBox>("run_precision")->currentText(), QStringLiteral("bf16"));
  QVERIFY(!second.session().modified());
  QCOMPARE(session::project::backend_from_json({{"precision", "fp8"}, {"gpus", "yes"}}), RunBackend());
}

void TestLaunchGpus::jobs_and_commands_follow_the_choice() {
  const FakeGpus gpus({"FAKE_GPUS=1"});
  GpuWindow window;
  window.prepare();
  window.choose_gpus();
  window.child<QComboBox>("run_precision")->setCurrentText("tf32");
  window.child<QCheckBox>("run_share_gpus")->setChecked(true);
  QVERIFY2(window.launchable(), qPrintable(window.answer()));
  QVERIFY2(window.answer().contains("2 devices share one GPU"), qPrintable(window.answer()));
  QVERIFY2(window.command().contains("--backend cuda --precision tf32 --oversubscribe"), qPrintable(window.command()));
  window.answers.file_to_save = window.path("job.sh");
  window.trigger("action_export_job_slurm");
  QTest::mouseClick(window.child<QPushButton>("slurm_save"), Qt::LeftButton);
  const QByteArray job = contents(window.path("job.sh"));
  QVERIFY2(job.contains("#SBATCH --gpus-per-task=2\n"), job);
  QVERIFY2(job.contains("  --backend cuda --precision tf32 --steps 20"), job);
  QVERIFY(!job.contains("--oversubscribe"));  // it has a GPU for each device
  window.launch();
  QVERIFY(window.ends());
  QVERIFY2(window.errors.isEmpty(), qPrintable(window.errors.join('\n')));
  QCOMPARE(window.page().view().model().gpus().size(), std::size_t{1});
}

void TestLaunchGpus::without_gpus_the_processor_trains_and_the_page_says_why_data() {
  QTest::addColumn<QString>("program");
  QTest::addColumn<QList<QByteArray>>("machine");
  QTest::addColumn<QString>("why");
  using L = QList<QByteArray>;
  QTest::newRow("no GPU") << stand_in << L{"FAKE_GPUS=0"} << "nvidia-smi";
  QTest::newRow("old driver") << stand_in << L{"FAKE_DRIVER=11040"} << "found a driver for CUDA 11.4";
  QTest::newRow("no program") << QStringLiteral("/nowhere/pipedeck-cli") << L{} << "could not be started";
}

void TestLaunchGpus::without_gpus_the_processor_trains_and_the_page_says_why() {
  QFETCH(QString, program);
  QFETCH(QList<QByteArray>, machine);
  QFETCH(QString, why);
  const FakeGpus gpus(machine);
  GpuWindow window(program);
  window.prepare();
  QVERIFY2(window.here().contains(why), qPrintable(window.here()));
  QVERIFY(window.child<QLabel>("run_gpus_here")->isVisible());
  QCOMPARE(window.state().backend, RunBackend());
  QCOMPARE(window.child<QComboBox>("run_backend")->currentIndex(), 0);
  QVERIFY(window.command().contains("--backend cpu"));
  QVERIFY(window.child<QPushButton>("run_launch")->isEnabled());
  if (program == stand_in) window.keep_pictures(QStringLiteral("without-%1").arg(QTest::currentDataTag()));
  window.choose_gpus();
  auto* launch = window.child<QPushButton>("run_launch");
  QVERIFY(QTest::qWaitFor([&] { return !launch->isEnabled(); }, 60000));
  QVERIFY2(window.answer().contains(why), qPrintable(window.answer()));
  QVERIFY(!window.child<QLabel>("run_gpus_here")->isVisible());  // shown once
  QVERIFY(!window.child<QPushButton>("run_trials")->isEnabled());
  QVERIFY(!window.offers("run_offer_sharing"));
  window.take("run_offer_processor");
  QTRY_VERIFY(launch->isEnabled());
  QCOMPARE(window.state().backend, RunBackend());
}

void TestLaunchGpus::gpus_that_cannot_are_told_with_what_can_be_done_data() {
  QTest::addColumn<QList<QByteArray>>("machine");
  QTest::addColumn<QString>("said");
  using L = QList<QByteArray>;
  QTest::newRow("fewer GPUs") << L{"FAKE_GPUS=1"}
                              << "The plan needs 2 GPUs, one per device. Found here: 1 × Stand-in for a GPU.";
  QTest::newRow("slices") << L{"FAKE_MIG=1", "FAKE_NAMES=NVIDIA A100 MIG 1g.5gb;NVIDIA A100 MIG 1g.5gb"} << "MIG slice";
}

void TestLaunchGpus::gpus_that_cannot_are_told_with_what_can_be_done() {
  QFETCH(QList<QByteArray>, machine);
  QFETCH(QString, said);
  const FakeGpus gpus(machine);
  GpuWindow window;
  window.prepare();
  window.choose_gpus();
  QVERIFY2(window.answer().contains(said), qPrintable(window.answer()));
  QVERIFY(!window.child<QPushButton>("run_launch")->isEnabled());
  QVERIFY(!window.answer().contains("--oversubscribe"));  // which is the button's
  QVERIFY(window.offers("run_offer_sharing") && window.offers("run_offer_processor"));
  QVERIFY(!window.offers("run_offer_fewer"));  // all plans are for two
  window.keep_pictures(QStringLiteral("offers-%1").arg(QTest::currentDataTag()));
  window.take("run_offer_sharing");
  QVERIFY2(window.launchable(), qPrintable(window.answer()));
  QVERIFY(!window.offers("run_offer_sharing") && !window.offers("run_offer_processor"));
  QCOMPARE(window.session().undo_name(), QStringLiteral("Share GPUs"));
  window.launch();
  QVERIFY(window.ends());
  QVERIFY2(window.errors.isEmpty(), qPrintable(window.errors.join('\n')));
  QCOMPARE(window.last_run().state, session::project::RunOutcome::finished);
}

void TestLaunchGpus::a_plan_for_fewer_gpus_is_offered() {
  const FakeGpus gpus({"FAKE_GPUS=1"});
  GpuWindow window;
  window.prepare();
  session::project::PlanEntry alone = *session::project::find_plan(window.state(), window.state().selected_plan);
  Plan plan = *alone.plan;
  plan.name = "One device";
  plan.stages.front().last = plan.stages.back().last;
  plan.stages.resize(1);
  plan.warmup_counts.reset();
  QVERIFY(plan::validate(plan, *window.session().problem()->profile, *window.session().problem()->cluster));
  alone.plan = std::make_shared<const Plan>(plan);
  alone.edited = true;
  const session::project::Added added = session::project::with_plan(window.state(), alone);
  window.session().change("Add", added.state);
  QVERIFY(window.settle());
  window.choose_gpus();
  QVERIFY2(window.answer().contains("needs 2 GPUs"), qPrintable(window.answer()));
  QTRY_VERIFY(window.offers("run_offer_fewer"));
  QCOMPARE(window.child<QToolButton>("run_offer_fewer")->text(), QStringLiteral("Choose One device"));
  window.keep_pictures("offers-three");
  QVERIFY(window.child<QWidget>("run_panel")->grab().save(pictures_folder() + "offers-panel.png"));
  window.take("run_offer_fewer");
  QCOMPARE(window.state().selected_plan, added.id);
  QVERIFY2(window.launchable(), qPrintable(window.answer()));
}

void TestLaunchGpus::unlike_gpus_are_told_before_the_launch() {
  const FakeGpus gpus({"FAKE_NAMES=NVIDIA A100;NVIDIA H200"});
  GpuWindow window;
  window.prepare();
  QCOMPARE(window.here(), QStringLiteral("GPUs here: 1 × NVIDIA A100, 1 × NVIDIA H200"));
  window.choose_gpus();
  QVERIFY2(window.launchable(), qPrintable(window.answer()));
  QVERIFY2(window.answer().contains("the GPUs are not alike"), qPrintable(window.answer()));
}

void TestLaunchGpus::large_models_are_for_gpus() {
  const FakeGpus gpus;
  GpuWindow window;
  QVERIFY(window.open_sample());  // BERT-48
  window.window->show_page(ui::window::Page::run);
  auto* why_not = window.child<QLabel>("run_why_not");
  QVERIFY2(why_not->text().contains("too large"), qPrintable(why_not->text()));
  QVERIFY(!window.here().isEmpty());
  QTRY_VERIFY(window.offers("run_offer_gpus"));
  window.take("run_offer_gpus");
  QTRY_VERIFY(!why_not->text().contains("too large"));
  QVERIFY(window.state().backend.gpus);
}

void TestLaunchGpus::throttling_is_a_warning() {
  const FakeGpus gpus({"FAKE_THROTTLE=0x4", "FAKE_CLOCK=1200"});
  GpuWindow window;
  window.prepare();
  window.choose_gpus();
  QVERIFY2(window.launchable(), qPrintable(window.answer()));
  window.launch();
  QVERIFY(window.ends());
  QVERIFY2(window.log().contains("its power limit holds its clocks back (1200 of 1980 MHz)"), qPrintable(window.log()));
  QVERIFY(window.child<QLabel>("run_gpus")->text().contains("G0 held back: power limit"));
}

void TestLaunchGpus::a_gpu_lost_in_mid_run_is_told_with_the_way_on() {
  GpuWindow window;
  {
    const FakeGpus gpus;
    window.prepare();
    window.choose_gpus();
    QVERIFY2(window.launchable(), qPrintable(window.answer()));
    window.page().set_steps(1000000);
    QVERIFY(window.launchable());
  }
  const FakeGpus gpus({"FAKE_LOST_AFTER=4000"});
  window.launch();
  QVERIFY(window.ends());
  QCOMPARE(window.last_run().state, session::project::RunOutcome::failed);
  QVERIFY(window.last_run().samples_per_second.value_or(0) > 0);  // what was measured is kept
  const QString said = window.errors.join('\n');
  QVERIFY2(said.contains("ECC") && said.contains("Train on the processor"), qPrintable(said));
  QTRY_VERIFY(window.offers("run_offer_processor"));
  window.keep_pictures("gpu-lost");
  window.take("run_offer_processor");
  QVERIFY(!window.offers("run_offer_processor"));
  window.page().set_steps(3);
  window.launch();
  QVERIFY(window.ends());
  QCOMPARE(window.last_run().state, session::project::RunOutcome::finished);
}

void TestLaunchGpus::too_little_memory_is_told_with_the_way_on() {
  const FakeGpus gpus({"FAKE_MEMORY=200"});
  GpuWindow window;
  window.prepare();
  window.choose_gpus();
  QVERIFY2(window.launchable(), qPrintable(window.answer()));
  window.launch();
  QVERIFY(window.ends());
  QCOMPARE(window.last_run().state, session::project::RunOutcome::failed);
  const QString said = window.errors.join('\n');
  QVERIFY2(said.contains("memory") && said.contains("Compare again with a smaller micro-batch"), qPrintable(said));
  QTRY_VERIFY(window.offers("run_offer_processor"));
}

void TestLaunchGpus::trials_run_on_gpus() {
  const FakeGpus gpus;
  GpuWindow window;
  window.prepare();
  window.choose_gpus();
  QVERIFY(!window.here().isEmpty());
  window.page().set_steps(5);
  window.page().try_best(2);
  QVERIFY(window.page().trials().running());
  QVERIFY(QTest::qWaitFor([&] { return !window.page().trials().running(); }, 240000));
  QVERIFY2(window.errors.isEmpty(), qPrintable(window.errors.join('\n')));
  QCOMPARE(window.page().trials().done().size(), std::size_t{2});
  for (const study::Trial& trial : window.page().trials().done()) QVERIFY2(trial.measured, trial.failure.c_str());
  for (const session::project::RunEntry& entry : window.state().runs) {
    const auto* started = std::get_if<RunStarted>(&entry.run->events.front());
    QVERIFY(started && started->backend.starts_with("cuda"));
  }
}

void TestLaunchGpus::a_model_is_measured_on_a_gpu() {
  const FakeGpus gpus({"FAKE_NAMES=NVIDIA H200;NVIDIA H200"});
  GpuWindow window;
  window.session().choose_profile_preset(QStringLiteral("mlp-small"));
  window.session().set_global_batch(8);
  window.window->show_page(ui::window::Page::run);
  window.choose_gpus();
  window.window->show_page(ui::window::Page::profile);
  QTRY_VERIFY(window.action("action_profile_measure")->toolTip().contains("first GPU"));
  const std::size_t steps = window.session().undo_steps();
  window.trigger("action_profile_measure");
  QVERIFY(window.settle(120000));
  QVERIFY2(window.errors.isEmpty(), qPrintable(window.errors.join('\n')));
  QCOMPARE(window.session().undo_steps(), steps + 1);
  const session::project::PlanningSetup& question = window.state().question;
  const Profile& profile = *session::project::find_profile(window.state(), question.profile)->profile;
  QCOMPARE(profile.name, std::string("mlp-small (measured on a GPU)"));
  QVERIFY2(profile.source.find("NVIDIA H200") != std::string::npos, profile.source.c_str());
  const Cluster& cluster = *session::project::find_cluster(window.state(), question.cluster)->cluster;
  QCOMPARE(cluster.device_types.front().name, profile.device);
  QCOMPARE(devices_of(cluster).size(), std::size_t{2});
}

PIPEDECK_WINDOW_TEST(TestLaunchGpus)

}  // namespace pipedeck::tst_launch_gpus

#include "tst_launch_gpus.moc"
