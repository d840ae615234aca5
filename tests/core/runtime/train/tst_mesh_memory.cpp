// SPDX-License-Identifier: Apache-2.0
// Predicted peaks of every dimension of a mesh against the trainer's own allocator, device by device: never below, at
// most 5 % above. The profile has the layers of one rank of the plan.
#include <QTest>

#include "core/io/documents/formats.hpp"
#include "core/plan/run_prediction.hpp"
#include "core/plan/validate.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/profile/rank_profile.hpp"
#include "core/runtime/train.hpp"
#include "core/sim/simulate.hpp"
#include "tests/core/runtime/train/paced_layers.hpp"
#include "tests/core/runtime/train/schedule_cases.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_mesh_memory {

using namespace pipedeck::test;

/// The degrees of all stages, and the sharding of their states.
struct Mesh {
  int stages = 1, chunks = 1;
  Shard shard = {};
  int data = 1;
  Sharding sharding = {};
  bool recomputes = false;
  std::vector<std::string> modules = {};
  int adapters = 0;  ///< their rank
  int devices() const { return shard.tensor * shard.context * data; }
};

ModelSpec model_named(const std::string& name) {
  if (name == "routed") return small_mixtral(2, 64, 8, 24);
  if (name == "mixtral") {  // each token passes all experts: rows do not depend on the routing
    ModelSpec model = small_mixtral(3, 32, 32, 24);
    for (ModelLayer& layer : model.layers)
      if (layer.kind == "experts") layer.sizes["per_token"] = layer.sizes["experts"];
    return model;
  }
  ModelSpec model = small_llama(32, 32, 24);
  if (name == "tied") model.layers.front().sizes["tied"] = model.layers[model.layers.size() - 2].sizes["tied"] = 1;
  return model;
}

Plan plan_of(const ModelSpec& model, const Mesh& mesh) {
  const std::vector<int> devices(static_cast<std::size_t>(mesh.stages), mesh.devices());
  Plan plan = mesh.chunks > 1 ? placed_plan(model, ScheduleKind::interleaved, devices, mesh.chunks, 8, 4)
                              : plan_for(model, devices, 8, 4);
  for (Stage& stage : plan.stages) {
    stage.degrees = mesh.shard, stage.tensor_parallel = mesh.shard.tensor, stage.degrees.tensor = 1;
    stage.recompute.all = mesh.recomputes, stage.recompute.modules = mesh.modules;
  }
  plan.sharding = mesh.sharding;
  if (mesh.adapters > 0) plan.choices.emplace().training.adapters.rank = mesh.adapters;
  return plan;
}

/// Returns the profile of a rank with the times of paced layers, as its file has it.
Profile profile_of(const ModelSpec& model, const Plan& plan) {
  Profile profile = runtime::profile::profile_ranks_on_cpu(model, plan, {3, 3, 1, Seconds(0)}).value();
  const auto read = io::documents::profile_from_json(io::documents::profile_to_json(profile));
  if (!read || read->ranks != profile.ranks || read->layers.front().states != profile.layers.front().states)
    qFatal("the file of the profile has something else");
  set_paced_times(profile);
  return profile;
}

Result<Simulation> predicted(const ModelSpec& model, const Plan& plan, const Schedule& schedule) {
  auto profile = std::make_shared<const Profile>(profile_of(model, plan));
  TRY(auto same, plan::predicted_by(plan, *profile));
  const auto cluster = cluster_of(std::max(2, static_cast<int>(devices_used(plan).size())));
  TRY_VOID(plan::validate(*same, *profile, *cluster));
  TRY_VOID(plan::validate_covered(*same));
  // The simulator takes the very lists that run.
  same->schedule = ScheduleKind::explicit_order;
  same->operations.emplace();
  for (const DeviceLane& lane : schedule.lanes) {
    same->operations->emplace_back();
    for (int i = 0; i < operation_count(lane.order); ++i) {
      const Operation operation = operation_at(lane.order, i);
      // Modules are restored inside the backward.
      if (operation.kind == OpKind::recompute && !same->stages[operation.stage.index()].recompute.any()) continue;
      same->operations->back().push_back(operation);
    }
  }
  const Problem problem{profile, cluster, {}};
  return sim::simulate(problem, *same);
}

/// Returns the fault of predicted peaks, a device's below its memory of most steps, or more than 5 % above that of the
/// fullest device of its pipeline rank: experts have other rows on each. Empty if there is none.
QString fault(const Simulation& simulation, const std::vector<StepDone>& steps, std::size_t ranks) {
  QString text;
  for (std::size_t d = 0; d < simulation.devices.size(); ++d) {
    const Bytes predicted = simulation.devices[d].peak, measured = usual(steps, d);
    Bytes fullest;
    for (std::size_t other = d / ranks * ranks; other < d / ranks * ranks + ranks; ++other)
      fullest = std::max(fullest, usual(steps, other));
    const double over = static_cast<double>(predicted.count) / static_cast<double>(fullest.count) - 1;
    const QString line = QString("device %1: predicted %2, measured %3, the fullest %4 (%5 %) ")
                             .arg(d)
                             .arg(predicted.count)
                             .arg(measured.count)
                             .arg(fullest.count)
                             .arg(100 * over, 0, 'f', 2);
    if (qEnvironmentVariableIsSet("SHOW_MEMORY")) qInfo("%s", qPrintable(line));
    if (predicted < measured || over > 0.05) text += line;
  }
  return text;
}

/// Compares the predicted peaks with those of a run. Empty if they are right.
QString difference(const ModelSpec& model, const Plan& plan, std::size_t ranks) {
  const Schedule schedule = built(plan);
  const auto simulation = predicted(model, plan, schedule);
  if (!simulation) return QString::fromStdString(simulation.error().text());
  QString text;
  for (int pace = 1; pace <= 10; ++pace) {  // on a busy machine a thread wakes up late: then with more time
    EventLog log;
    runtime::train::TrainOptions options;
    options.steps = 3;
    const auto trained = runtime::train_with(runtime::cpu::cpu_backend(paced_kernels(pace)), model, plan, schedule,
                                             options, log.sink(), {});
    if (!trained) return QString::fromStdString(trained.error().text());
    text = fault(*simulation, log.of<StepDone>(), ranks);
    if (text.isEmpty()) break;
  }
  return text;
}

class TestMeshMemory : public QObject {
  Q_OBJECT
 private slots:
  void predicted_peaks_are_the_measured_ones_data();
  void predicted_peaks_are_the_measured_ones();
  void other_ranks_are_named();
};

void TestMeshMemory::predicted_peaks_are_the_measured_ones_data() {
  QTest::addColumn<QString>("model");
  QTest::addColumn<Mesh>("mesh");
  const auto row = [](const char* name, const char* model, const Mesh& mesh) {
    QTest::newRow(name) << QString(model) << mesh;
  };
  const auto context = [](ContextKind kind, int degree, int tensor = 1) {
    return Shard{.tensor = tensor, .context = degree, .context_kind = kind};
  };
  row("one device", "llama", {});
  row("D 2", "llama", {.data = 2});
  row("T 2", "llama", {.shard = {.tensor = 2}});
  row("T 2 with divided tokens", "llama", {.shard = {.tensor = 2, .sequence = true}});
  row("C 2 ring", "llama", {.shard = context(ContextKind::ring, 2)});
  row("C 2 gather", "llama", {.shard = context(ContextKind::gather, 2)});
  row("C 2 heads", "llama", {.shard = context(ContextKind::heads, 2)});
  row("C 4 heads+ring", "llama",
      {.shard = {.context = 4, .context_kind = ContextKind::heads_ring, .context_heads = 2}});
  row("C 2 ring, T 2", "llama", {.shard = context(ContextKind::ring, 2, 2)});
  row("e 2", "mixtral", {.shard = {.expert = 2}, .data = 2});
  row("x 2", "mixtral", {.shard = {.expert_tensor = 2}, .data = 2});
  row("e 2, x 2, T 2", "mixtral",
      {.shard = {.tensor = 2, .sequence = true, .expert = 2, .expert_tensor = 2}, .data = 2});
  row("e 2, routed", "routed", {.shard = {.expert = 2}, .data = 2});
  row("e 2, routed, T 2, ZeRO-1", "routed",
      {.shard = {.tensor = 2, .sequence = true, .expert = 2}, .data = 2, .sharding = {.level = 1}});
  row("C 2, e 2", "mixtral", {.shard = {.context = 2, .expert = 2}});
  for (const int level : {1, 2, 3}) {
    const std::string name = "ZeRO-" + std::to_string(level);
    row(name.c_str(), "llama", {.data = 2, .sharding = {.level = level}});
    row((name + ", C 2").c_str(), "llama",
        {.shard = context(ContextKind::ring, 2), .data = 2, .sharding = {.level = level}});
    row((name + ", e 2").c_str(), "mixtral", {.shard = {.expert = 2}, .data = 4, .sharding = {.level = level}});
    row((name + ", P 2").c_str(), "llama", {.stages = 2, .data = 2, .sharding = {.level = level}});
  }
  row("ZeRO-3 after the backward", "llama", {.data = 2, .sharding = {.level = 3, .reshard = Reshard::after_backward}});
  row("ZeRO-3 after the step", "llama", {.data = 2, .sharding = {.level = 3, .reshard = Reshard::after_step}});
  row("ZeRO-1 of two copies", "llama", {.data = 4, .sharding = {.level = 1, .group = 2}});
  row("P 2", "llama", {.stages = 2});
  row("P 2, v 2", "llama", {.stages = 2, .chunks = 2});
  row("P 2, T 2 with divided tokens", "llama", {.stages = 2, .shard = {.tensor = 2, .sequence = true}});
  row("P 2, C 2", "llama", {.stages = 2, .shard = context(ContextKind::ring, 2)});
  row("P 2, e 2", "mixtral", {.stages = 2, .shard = {.expert = 2}, .data = 2});
  row("recomputed, T 2, C 2", "llama", {.shard = context(ContextKind::ring, 2, 2), .recomputes = true});
  row("recomputed modules", "llama", {.modules = {"core_attn", "mlp"}});
  row("recomputed modules, T 2, C 2 gather, P 2", "llama",
      {.stages = 2,
       .shard = {.tensor = 2, .sequence = true, .context = 2, .context_kind = ContextKind::gather},
       .modules = {"core_attn", "mlp"}});
  row("recomputed modules, e 2", "mixtral",
      {.shard = {.expert = 2}, .data = 2, .modules = {"core_attn", "layernorm", "moe_act"}});
  row("adapters", "llama", {.adapters = 4});
  row("adapters, T 2 with divided tokens, P 2", "llama",
      {.stages = 2, .shard = {.tensor = 2, .sequence = true}, .adapters = 4});
  row("adapters, C 2, recomputed", "llama",
      {.shard = context(ContextKind::ring, 2), .recomputes = true, .adapters = 4});
  row("adapters, e 2, x 2", "mixtral", {.shard = {.expert = 2, .expert_tensor = 2}, .data = 4, .adapters = 4});
  for (const int level : {1, 2, 3})
    row(("adapters, ZeRO-" + std::to_string(level)).c_str(), "llama",
        {.data = 2, .sharding = {.level = level}, .adapters = 4});
  // Each end of a pipeline holds the table.
  row("tied, P 2", "tied", {.stages = 2});
  row("tied, P 2, v 2, T 2", "tied", {.stages = 2, .chunks = 2, .shard = {.tensor = 2, .sequence = true}});
  for (const int level : {1, 2, 3})
    row(("tied, P 2, ZeRO-" + std::to_string(level)).c_str(), "tied",
        {.stages = 2, .data = 2, .sharding = {.level = level}});
  row("all of them", "mixtral",
      {.stages = 2,
       .shard = {.tensor = 2, .sequence = true, .context = 2, .expert = 2},
       .data = 2,
       .sharding = {.level = 3}});
}

void TestMeshMemory::predicted_peaks_are_the_measured_ones() {
  QFETCH(QString, model);
  QFETCH(Mesh, mesh);
  const ModelSpec spec = model_named(model.toStdString());
  const QString wrong = difference(spec, plan_of(spec, mesh), static_cast<std::size_t>(mesh.devices()));
  QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
}

/// A profile of a rank predicts plans with the same ranks, and no others.
void TestMeshMemory::other_ranks_are_named() {
  const ModelSpec model = model_named("llama");
  const Plan plan = plan_of(model, {.shard = {.context = 2}, .data = 2});
  const Profile profile = profile_of(model, plan);
  const auto refused = [&](const Mesh& mesh, const char* text) {
    const auto same = plan::predicted_by(plan_of(model, mesh), profile);
    return !same && same.error().place == "/stages/0" && same.error().message.find(text) != std::string::npos;
  };
  QVERIFY(refused({.data = 4}, "found T 1 · D 4, expected the ranks of the profile: T 1 · C 2 (ring) · D 2"));
  QVERIFY(refused({.shard = {.context = 2}, .data = 2, .sharding = {.level = 2}}, "D 2 · ZeRO-2, expected"));
  QVERIFY(refused({.shard = {.context = 2}, .data = 2, .modules = {"mlp"}}, "recomputed mlp, expected"));
  const auto wrong = plan::validate(plan_of(model, {.data = 2}), profile, *cluster_of(2));
  QVERIFY(!wrong);
  QCOMPARE(wrong.error().place, std::string("/stages/0/devices"));
  // Without its ranks a profile has no states.
  Profile broken = profile;
  broken.ranks.reset();
  const auto states = plan::validate(broken);
  QVERIFY(!states);
  QCOMPARE(states.error().place, std::string("/layers/0/states"));
}

PIPEDECK_TEST(TestMeshMemory)

}  // namespace pipedeck::tst_mesh_memory

#include "tst_mesh_memory.moc"
