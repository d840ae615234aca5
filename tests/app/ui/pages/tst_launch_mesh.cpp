// SPDX-License-Identifier: GPL-3.0-or-later
// Plans of format version 2 launched from the window: the planner's and edited ones train on processor threads, with a
// prediction, checkpoints and a list of what the run leaves out.
#include <algorithm>
#include <functional>

#include <QComboBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSpinBox>

#include "app/session/project/content.hpp"
#include "app/ui/layout/picture.hpp"
#include "app/ui/pages/run_page.hpp"
#include "app/views/gantt/view.hpp"
#include "app/views/run/view.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/files.hpp"
#include "core/planner/planner.hpp"
#include "tests/app/ui/launch_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_launch_mesh {

using namespace pipedeck::test;

/// Llama as its config.json describes it, small enough to train here.
constexpr const char* small_llama = R"({"model_type": "llama", "hidden_size": 64, "intermediate_size": 128,
    "num_hidden_layers": 4, "num_attention_heads": 4, "vocab_size": 128, "max_position_embeddings": 64})";

class TestLaunchMesh : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<WindowFixture> fixture_;

  ui::pages::RunPage& page() const { return fixture_->window->run_page(); }
  const models::run::Model& charts() const { return page().view().model(); }
  QString answer() const { return fixture_->child<QLabel>("run_answer")->text(); }
  QString log() const { return fixture_->child<QPlainTextEdit>("run_log")->toPlainText(); }
  const session::project::RunRecord& last_run() const { return *fixture_->state().runs.back().run; }

  /// The planner `mesh` is asked for four GPUs.
  void compare(const QString& model) {
    fixture_ = std::make_unique<WindowFixture>();
    fixture_->session().choose_cluster_preset(QStringLiteral("4 × RTX-4090"));
    if (model.endsWith(QLatin1String(".json")))
      fixture_->window->open_files({model});
    else
      fixture_->session().choose_profile_preset(model);
    session::project::Planning planning = fixture_->state().question.planning;
    for (const planner::PlannerInfo& planner : planner::planners())
      planning.planners[planner.name].compared = planner.name == "mesh";
    planning.planners["mesh"].options = {{"ep", "1"}, {"etp", "1"}};  // experts are not divided in a run
    planning.pins.stages = 2;
    fixture_->session().set_planning(planning);
    fixture_->session().set_global_batch(8);
    fixture_->session().compare();
    QVERIFY(fixture_->settle());
    QVERIFY2(fixture_->errors.isEmpty(), qPrintable(fixture_->errors.join('\n')));
    const auto mesh = std::ranges::find_if(fixture_->state().plans, [](const session::project::PlanEntry& entry) {
      return entry.feasible() && has_mesh(*entry.plan);
    });
    QVERIFY(mesh != fixture_->state().plans.end());
    fixture_->session().select_plan(mesh->id);
  }
  const Plan& plan() const {
    return *session::project::find_plan(fixture_->state(), fixture_->state().selected_plan)->plan;
  }
  /// Opens the selected plan as `change` makes it.
  void open_changed(const std::function<void(Plan&)>& change) {
    Plan changed = plan();
    change(changed);
    changed.certificate.reset(), changed.predicted.reset(), changed.objective.reset();
    const QString file = fixture_->path("changed.plan.json");
    QVERIFY(io::write_file(file.toStdString(), io::documents::plan_to_json(changed)));
    fixture_->window->open_files({file});
    QVERIFY(fixture_->settle());
    QVERIFY2(fixture_->errors.isEmpty(), qPrintable(fixture_->errors.join('\n')));
    QCOMPARE(plan().name, changed.name);
  }
  void train(int steps) {
    page().set_steps(steps);
    fixture_->trigger("action_launch");
    QVERIFY(fixture_->session().launching());
    QVERIFY(QTest::qWaitFor([&] { return !fixture_->session().launching(); }, 120000));
    QVERIFY2(fixture_->errors.isEmpty(), qPrintable(fixture_->errors.join('\n')));
    QCOMPARE(last_run().state, session::project::RunOutcome::finished);
    QCOMPARE(charts().steps_done(), steps);
  }

  void picture(const QString& name, const QSize& size) {
    fixture_->window->resize(size);
    QTest::qWait(150);
    for (const QLabel* label : fixture_->child<QScrollArea>("run_panel")->findChildren<QLabel*>())
      if (label->isVisible() && label->wordWrap())
        QTRY_VERIFY2(label->height() >= label->heightForWidth(label->width()), qPrintable(label->text()));
    QCOMPARE(ui::layout::write_picture(*fixture_->window, pictures_folder() + name + ".png"), QString());
  }

 private slots:
  void initTestCase() {
    if (!QFile::exists(command_line_program())) QSKIP("pipedeck-cli is not built");
  }
  void small_models_train_by_meshes_data();
  void small_models_train_by_meshes();
  void a_configuration_trains();
  void devices_are_several_processes();
  void sharded_states_go_on_from_their_checkpoints();
  void context_ranks_are_predicted_by_a_measured_rank();
  void context_ranks_of_unlike_stages_have_no_prediction();
  void what_a_run_leaves_out_is_listed();
};

void TestLaunchMesh::small_models_train_by_meshes_data() {
  QTest::addColumn<QString>("model");
  for (const char* model : {"llama-tiny", "mixtral-tiny", "deepseek-tiny"}) QTest::newRow(model) << model;
}

void TestLaunchMesh::small_models_train_by_meshes() {
  QFETCH(QString, model);
  compare(model);
  if (QTest::currentTestFailed()) return;
  train(6);
  if (QTest::currentTestFailed()) return;
  QVERIFY(has_mesh(last_run().plan));
  QVERIFY(last_run().predicted);
  QCOMPARE(charts().loss().size(), std::size_t{6});
  QVERIFY(page().timeline() && page().timeline()->content());
  const auto difference = session::runs::differences_of(last_run().predicted.get(), last_run().events);
  QVERIFY(difference && difference->measured_iteration.count > 0);
  int compared = 0;
  for (const sim::KindDifference& kind : difference->kinds)
    if (kind.kind == OpKind::forward || kind.kind == OpKind::backward) {
      QCOMPARE(kind.measured_count, kind.predicted_count);  // the same operations, predicted and run
      ++compared;
    }
  QCOMPARE(compared, 2);
  picture("launch-" + model, {1440, 900});
  // A long name of a plan wraps: nothing is wider than the page.
  QCOMPARE(fixture_->child<QScrollArea>("run_charts_scroll")->horizontalScrollBar()->maximum(), 0);
}

void TestLaunchMesh::a_configuration_trains() {
  QTemporaryDir folder;
  const QString file = folder.filePath("config.json");
  QVERIFY(io::write_file(file.toStdString(), small_llama));
  compare(file);
  if (QTest::currentTestFailed()) return;
  train(4);
  QCOMPARE(fixture_->session().launch_at_hand()->spec().model->layers.size(), std::size_t{8});
}

/// Four processes, which may be more than cores, compute what the threads of one do, and are compared with the
/// prediction.
void TestLaunchMesh::devices_are_several_processes() {
  qputenv("OMPI_ALLOW_RUN_AS_ROOT", "1");  // containers have no other user
  qputenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  compare("llama-tiny");
  if (QTest::currentTestFailed()) return;
  fixture_->window->show_page(ui::window::Page::run);
  page().refresh();
  auto* transport = fixture_->child<QComboBox>("run_transport");
  if (!QTest::qWaitFor([&] { return transport->isEnabled(); }, 10000)) QSKIP(qPrintable(transport->toolTip()));
  QCOMPARE(devices_used(plan()).size(), std::size_t{4});
  const auto losses = [&](int processes) {
    views::run::LaunchSettings settings;
    settings.more.processes = processes;
    page().view().options().set_settings(settings);
    train(4);
    std::vector<double> found;
    for (const RunEvent& event : last_run().events)
      if (const auto* step = std::get_if<StepDone>(&event)) found.push_back(step->loss);
    return found;
  };
  const std::vector<double> expected = losses(0);
  if (QTest::currentTestFailed()) return;
  QVERIFY(losses(4) == expected);
  if (QTest::currentTestFailed()) return;
  QVERIFY2(log().contains("mpirun -n 4 "), qPrintable(log()));
  QVERIFY(has_mesh(last_run().plan) && last_run().predicted);
  const auto difference = session::runs::differences_of(last_run().predicted.get(), last_run().events);
  QVERIFY(difference && difference->measured_iteration.count > 0);
  picture("launch-processes", {1440, 900});
  fixture_->window->resize(1280, 720);
  QVERIFY(QTest::qWaitFor([&] { return answer().startsWith("ready"); }, 30000));
  for (const char* name : {"run_checkpoint_every", "run_processes", "run_timeout"}) {
    const auto* field = fixture_->child<QWidget>(name);
    QTRY_VERIFY2(field->height() >= field->minimumSizeHint().height(), name);  // the answer is laid out last
  }
  fixture_->child<QScrollArea>("run_panel")->ensureWidgetVisible(fixture_->child<QSpinBox>("run_processes"));
  picture("launch-processes-more", {1280, 720});
}

void TestLaunchMesh::sharded_states_go_on_from_their_checkpoints() {
  compare("llama-tiny");
  if (QTest::currentTestFailed()) return;
  open_changed([](Plan& plan) { plan.name = "sharded", plan.sharding = {.level = 3}; });
  if (QTest::currentTestFailed()) return;
  fixture_->window->show_page(ui::window::Page::run);
  page().refresh();
  views::run::LaunchSettings settings;
  settings.more.checkpoint = fixture_->path("kept");
  settings.more.checkpoint_every = 2;
  page().view().options().set_settings(settings);
  train(4);
  if (QTest::currentTestFailed()) return;
  settings.more = {};
  settings.more.resume = fixture_->path("kept");
  page().view().options().set_settings(settings);
  train(6);
  QCOMPARE(charts().loss().size(), std::size_t{2});  // steps 5 and 6
}

/// Both stages have equal ranks; the prediction counts the plan's own samples, not those of context ranks.
void TestLaunchMesh::context_ranks_are_predicted_by_a_measured_rank() {
  compare("llama-tiny");
  if (QTest::currentTestFailed()) return;
  open_changed([](Plan& plan) {
    plan.name = "context";
    for (Stage& stage : plan.stages) stage.tensor_parallel = 1, stage.degrees = {.context = 2};
  });
  if (QTest::currentTestFailed()) return;
  train(6);
  if (QTest::currentTestFailed()) return;
  QVERIFY2(last_run().predicted && !log().contains("not compared"), qPrintable(log()));
  const Simulation& predicted = *last_run().predicted;
  QCOMPARE(predicted.samples_per_second, last_run().plan.global_batch / to_seconds(predicted.iteration).count);
  QCOMPARE(last_run().plan.predicted->samples_per_second, predicted.samples_per_second);
  Bytes most;
  for (const RunEvent& event : last_run().events)
    if (const auto* step = std::get_if<StepDone>(&event))
      for (const Bytes memory : step->memory) most = std::max(most, memory);
  Bytes peak;
  for (const SimulatedDevice& device : predicted.devices) peak = std::max(peak, device.peak);
  QVERIFY2(most <= peak && static_cast<double>(peak.count) <= 1.05 * static_cast<double>(most.count),
           qPrintable(QStringLiteral("%1 %2").arg(most.count).arg(peak.count)));
  const auto measured = std::ranges::find_if(fixture_->state().profiles,
                                             [](const auto& entry) { return entry.profile->ranks.has_value(); });
  QVERIFY(measured != fixture_->state().profiles.end());
  QCOMPARE(measured->profile->ranks->shard.context, 2);
  QVERIFY2(measured->profile->name.find("a rank of") != std::string::npos, measured->profile->name.c_str());
  picture("launch-context", {1440, 900});
}

void TestLaunchMesh::context_ranks_of_unlike_stages_have_no_prediction() {
  compare("llama-tiny");
  if (QTest::currentTestFailed()) return;
  open_changed([](Plan& plan) {
    plan.name = "context";
    for (Stage& stage : plan.stages) stage.tensor_parallel = 1, stage.degrees = {.context = 2};
    plan.stages.back().recompute = {.modules = {"mlp"}};
  });
  if (QTest::currentTestFailed()) return;
  train(3);
  if (QTest::currentTestFailed()) return;
  QVERIFY(!last_run().predicted);
  QVERIFY2(log().contains("not compared with a prediction"), qPrintable(log()));
  QVERIFY(page().timeline() && page().timeline()->content());
}

void TestLaunchMesh::what_a_run_leaves_out_is_listed() {
  compare("llama-tiny");
  if (QTest::currentTestFailed()) return;
  fixture_->window->show_page(ui::window::Page::run);
  auto* launch = fixture_->child<QPushButton>("run_launch");
  QVERIFY(QTest::qWaitFor([&] { return answer().startsWith("ready"); }, 30000));
  for (const char* line :
       {"\nchanges in training: nothing", "\n• the plan's products are in", "padding of the vocabulary"})
    QVERIFY2(answer().contains(QString::fromUtf8(line)), qPrintable(answer()));
  QVERIFY(launch->isEnabled());
  for (const char* appearance : {"dark", "light"}) {
    fixture_->trigger((QByteArray("action_appearance_") + appearance).constData());
    picture(QStringLiteral("launch-remarks-") + appearance, {1280, 720});
  }
  for (int i = 0; i < 3; ++i) fixture_->trigger("action_interface_larger");
  picture("launch-remarks-150", {1680, 1050});
  fixture_->trigger("action_interface_normal");
  open_changed([](Plan& plan) {
    plan.name = "operations";
    for (Stage& stage : plan.stages) stage.recompute = {.all = true, .operations = true};
  });
  if (QTest::currentTestFailed()) return;
  fixture_->window->show_page(ui::window::Page::run);
  QVERIFY(QTest::qWaitFor([&] { return answer().contains("found operations of blocks"); }, 30000));
  QVERIFY(!launch->isEnabled() && !fixture_->action("action_launch")->isEnabled());
  picture("launch-refused", {1280, 720});
}

PIPEDECK_WINDOW_TEST(TestLaunchMesh)

}  // namespace pipedeck::tst_launch_mesh

#include "tst_launch_mesh.moc"
