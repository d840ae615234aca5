// SPDX-License-Identifier: Apache-2.0
// Expert ranks, each with some experts of a layer or some columns of them, train what one device trains: together with
// tensor, context, data and pipeline parallelism, and with sharded states.
#include <QTest>

#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/exec/layout.hpp"
#include "core/runtime/layers/context.hpp"
#include "core/runtime/train.hpp"
#include "tests/core/runtime/layers/layer_case.hpp"
#include "tests/core/runtime/random_plans.hpp"
#include "tests/core/runtime/reference_experts.hpp"
#include "tests/core/runtime/thread_collective.hpp"
#include "tests/core/runtime/train/meshes.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_expert_parallel {

using namespace pipedeck::test;

Plan plan_with(const ModelSpec& model, const Mesh& mesh, int micro_batch = 4) {
  Plan plan = plan_for(model, std::vector<int>(static_cast<std::size_t>(mesh.stages), mesh.devices()), micro_batch, 4);
  shard(plan, mesh);
  return plan;
}

/// Attention and experts in each block; `more` are sizes of the experts.
ModelSpec model_with(const std::map<std::string, std::int64_t>& more, int blocks = 1, std::int64_t sequence = 8) {
  ModelSpec model = small_mixtral(blocks, 8, sequence, 10);
  for (ModelLayer& layer : model.layers)
    if (layer.kind == "experts") {
      layer.sizes["auxiliary_loss_permille"] = 0;
      for (const auto& [size, value] : more) layer.sizes[size] = value;
    }
  return model;
}

const std::map<std::string, std::int64_t> balanced{{"auxiliary_loss_permille", 20}, {"shared_feed_forward", 6}},
    limited{{"capacity_percent", 75},
            {"sigmoid", 1},
            {"experts", 6},
            {"feed_forward", 10},
            {"auxiliary_loss_permille", 50}},
    one_choice{{"per_token", 1}, {"experts", 8}, {"normalised", 0}};

bool refused(const ModelSpec& spec, const Plan& plan, const char* place, const char* text) {
  const auto result = runtime::train_on_cpu(spec, plan, built(plan), {}, {});
  if (result) return qWarning("it was not refused"), false;
  const Error& error = result.error();
  const bool named =
      error.code == ErrorCode::bad_input && error.place == place && error.message.find(text) != std::string::npos;
  if (!named) qWarning("%s", error.text().c_str());
  return named;
}

class TestExpertParallel : public QObject {
  Q_OBJECT
 private slots:
  void ranks_equal_one_device_data();
  void ranks_equal_one_device();
  void random_plans_equal_one_device_data();
  void random_plans_equal_one_device();
  void a_capacity_factor_equals_one_device();
  void two_runs_have_the_same_bits();
  void gradients_are_central_differences_data();
  void gradients_are_central_differences();
  void a_rank_holds_its_experts();
  void another_mesh_goes_on_the_same();
  void what_cannot_be_divided_is_named();
};

void TestExpertParallel::ranks_equal_one_device_data() {
  QTest::addColumn<Mesh>("mesh");
  for (const Mesh& mesh : std::vector<Mesh>{{.data = 2, .expert = 2},
                                            {.data = 4, .expert = 2},
                                            {.data = 4, .expert = 4},
                                            {.data = 3, .expert = 3},
                                            {.data = 2, .expert_tensor = 2},
                                            {.data = 4, .expert = 2, .expert_tensor = 2},
                                            {.tensor = 2, .expert = 2},
                                            {.tensor = 2, .expert_tensor = 2},
                                            {.data = 2, .tensor = 2, .expert = 2},
                                            {.data = 2, .tensor = 2, .expert = 4},
                                            {.data = 2, .tensor = 2, .expert = 2, .expert_tensor = 2},
                                            {.data = 2, .tensor = 4, .expert = 4, .expert_tensor = 2},
                                            {.tensor = 2, .expert = 2, .tokens = true},
                                            {.data = 2, .tensor = 3, .expert = 3, .tokens = true},
                                            {.context = 2, .tensor = 2, .expert = 4, .tokens = true},
                                            {.tensor = 4, .expert = 2, .expert_tensor = 2, .tokens = true},
                                            {.context = 2},
                                            {.context = 3, .expert = 3},
                                            {.context = 2, .tensor = 2},
                                            {.context = 2, .tensor = 2, .expert = 2, .expert_tensor = 2},
                                            {.stages = 2, .data = 2, .context = 2, .expert = 4},
                                            {.stages = 2, .data = 2, .tensor = 2, .expert = 4}})
    QTest::newRow(qPrintable(text_of(mesh))) << mesh;
}

void TestExpertParallel::ranks_equal_one_device() {
  QFETCH(Mesh, mesh);
  for (const auto& sizes : {balanced, limited, one_choice}) {
    const ModelSpec spec = model_with(sizes, 1, mesh.context == 3 ? 12 : 8);
    for (const int level : {0, 1, 2, 3}) {
      Plan plan = plan_with(spec, mesh);
      plan.sharding.level = level;
      const QString wrong = difference_from_one_device(spec, plan, 20);
      QVERIFY2(wrong.isEmpty(), qPrintable(QString("level %1: %2").arg(level).arg(wrong)));
    }
  }
}

void TestExpertParallel::random_plans_equal_one_device_data() {
  QTest::addColumn<int>("kind");
  for (const ScheduleKind kind : schedules_of_random_plans)
    QTest::newRow(std::string(name_of(kind)).c_str()) << static_cast<int>(kind);
}

void TestExpertParallel::random_plans_equal_one_device() {
  QFETCH(int, kind);
  const auto schedule = static_cast<ScheduleKind>(kind);
  for (unsigned seed = 1; seed <= 4; ++seed) {
    Draw random(seed * 100 + static_cast<unsigned>(kind));
    const int ranks = bidirectional(schedule) ? 2 : random.integer(1, 2);
    const Needs needs = needs_of(schedule, ranks, random);
    Mesh mesh;
    mesh.context = random.integer(1, 2), mesh.tensor = random.integer(1, 2);
    mesh.data = ranks * mesh.context * mesh.tensor > 4 ? 1 : random.integer(1, 2);
    if (mesh.devices() == 1) mesh.data = 2;
    std::vector<int> divisors;
    for (int degree = 1; degree <= mesh.devices(); ++degree)
      if (mesh.devices() % degree == 0) divisors.push_back(degree);
    const int all = divisors[static_cast<std::size_t>(random.integer(1, static_cast<int>(divisors.size()) - 1))];
    mesh.expert_tensor = all % 2 == 0 && random.once_in(2) ? 2 : 1;
    mesh.expert = all / mesh.expert_tensor;
    mesh.tokens = random.once_in(2);
    std::map<std::string, std::int64_t> sizes = random.once_in(4) ? one_choice : random.once_in(2) ? balanced : limited;
    sizes["experts"] = std::max(mesh.expert, random.integer(3, 8));
    const ModelSpec spec = model_with(sizes, ranks * needs.chunks > 3 ? 2 : 1, 4 * random.integer(1, 2));
    Plan plan = placed_plan(spec, schedule, std::vector<int>(static_cast<std::size_t>(ranks), mesh.devices()),
                            needs.chunks, mesh.data + random.integer(0, 3), std::max(needs.min_batches, 4));
    cut_anywhere(plan, random);
    shard(plan, mesh);
    for (Stage& stage : plan.stages)
      if (random.once_in(2)) stage.samples_per_replica = random.shares(plan.micro_batch, mesh.data);
    if (random.once_in(2)) recompute_some(plan, random);
    plan.sharding.level = random.integer(0, bidirectional(schedule) ? 1 : 3);
    plan.sharding.copies = static_cast<CopySync>(random.integer(0, 2));
    const QString wrong = difference_from_one_device(spec, plan, 20);
    QVERIFY2(
        wrong.isEmpty(),
        qPrintable(
            QString("seed %1, %2, level %3: %4").arg(seed).arg(text_of(mesh)).arg(plan.sharding.level).arg(wrong)));
  }
}

/// A plan's capacity factor is of whole samples, and so of any mesh. It trains other weights than none does.
void TestExpertParallel::a_capacity_factor_equals_one_device() {
  const ModelSpec spec = model_with({});
  for (const Mesh& mesh : std::vector<Mesh>{{.data = 2, .expert = 2}, {.context = 2, .tensor = 2, .expert = 2}}) {
    Plan plan = plan_with(spec, mesh);
    const auto free = trained_with(spec, plan, built(plan), 20).parameters;
    plan.choices.emplace().layers.capacity = 0.75;
    const QString wrong = difference_from_one_device(spec, plan, 20);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    QVERIFY(parameter_difference(trained_with(spec, plan, built(plan), 20).parameters, free) > 1e-3);
  }
}

void TestExpertParallel::two_runs_have_the_same_bits() {
  const ModelSpec spec = model_with(balanced, 2);
  for (const Overlap overlap : {Overlap::none, Overlap::layer}) {
    Plan plan = plan_with(spec, {.data = 4, .tensor = 2, .expert = 2, .expert_tensor = 2});
    plan.sharding = {2, 2, Reshard::after_forward, CopySync::shard_optimizer};
    runtime::train::TrainOptions options;
    options.steps = 5, options.overlap = overlap;
    const auto run = [&] { return runtime::train_on_cpu(spec, plan, built(plan), options, {}).value().layers; };
    const auto first = run();
    QVERIFY(run() == first);
  }
}

void TestExpertParallel::gradients_are_central_differences_data() {
  QTest::addColumn<int>("experts");
  QTest::addColumn<int>("columns");
  QTest::newRow("experts on two ranks") << 2 << 1;
  QTest::newRow("columns on two ranks") << 1 << 2;
  QTest::newRow("experts and columns on four ranks") << 2 << 2;
}

/// Each rank has its own samples. The gradient of an expert is that of the sum over all ranks' samples.
void TestExpertParallel::gradients_are_central_differences() {
  QFETCH(int, experts);
  QFETCH(int, columns);
  const int ranks = experts * columns;
  ModelLayer layer = model_with(balanced, 1, 3).layers[2];
  layer.sizes["experts"] = 3, layer.sizes["feed_forward"] = 4;
  std::vector<Case> cases;
  for (int rank = 0; rank < ranks; ++rank) {
    cases.emplace_back(layer);
    pipedeck::Random random(20 + static_cast<std::uint64_t>(rank));
    for (auto* values : {&cases.back().input, &cases.back().direction})
      for (float& value : *values) value = random.normal();
  }
  const std::vector<float> whole = cases[0].parameters;
  std::vector<Gradients> found(static_cast<std::size_t>(ranks));
  as_a_group(ranks, [&](int rank, std::shared_ptr<runtime::transport::Collective> group) {
    const runtime::layers::ExpertShard shard{rank, experts, columns, std::move(group)};
    Case& own = cases[static_cast<std::size_t>(rank)];
    own.kernel = runtime::cpu::make_divided_experts(layer, {nullptr, nullptr, &shard}).value();
    own.parameters.resize(static_cast<std::size_t>(own.kernel->parameters()));
    runtime::layers::extract_blocks(own.kernel->blocks(), whole, own.parameters);
    found[static_cast<std::size_t>(rank)] = computed(own, true);
  });
  // The experts' gradients are complete on their ranks; the others are sums over the ranks.
  std::vector<float> sum(whole.size());
  for (int rank = 0; rank < ranks; ++rank) {
    const auto& kernel = *cases[static_cast<std::size_t>(rank)].kernel;
    std::vector<float> own(found[static_cast<std::size_t>(rank)].parameters.begin(),
                           found[static_cast<std::size_t>(rank)].parameters.end());
    std::vector<float> spread(whole.size());
    runtime::layers::insert_blocks(kernel.blocks(), own, spread);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += spread[i];
  }
  const auto objective = [&](const Vector& p) {
    double all = 0;
    for (const Case& own : cases) all += own.objective(wide(own.input), p, wide(own.direction));
    return all;
  };
  const Vector expected = numerical_gradient(objective, wide(whole));
  const double apart = relative_difference(wide(sum), expected);
  QVERIFY2(apart < 2e-4, qPrintable(QString::number(apart)));
  for (const Case& own : cases) {
    const auto& one = found[static_cast<std::size_t>(&own - cases.data())];
    QVERIFY(relative_difference(one.output, own.reference(wide(own.input), wide(whole))) < 2e-5);
    const Vector input = numerical_gradient(
        [&](const Vector& x) { return own.objective(x, wide(whole), wide(own.direction)); }, wide(own.input));
    QVERIFY(relative_difference(one.input, input) < 2e-4);
  }
}

/// Nearly all weights are those of experts: 16 bytes with gradients and Adam's moments, over e x ranks. The rows of
/// other ranks are as many as the routing sends: a bound, not a formula.
void TestExpertParallel::a_rank_holds_its_experts() {
  constexpr std::int64_t hidden = 64, columns = 512;
  ModelSpec spec = small_mixtral(1, hidden, 4, 10);
  spec.layers[2].sizes["experts"] = 8, spec.layers[2].sizes["feed_forward"] = columns;
  const double weights = 8.0 * 3 * hidden * columns;
  const auto peak = [&](const Mesh& mesh, int level) {
    Plan plan = plan_with(spec, mesh);
    plan.sharding.level = level;
    EventLog log;
    runtime::train::TrainOptions options;
    options.steps = 3;
    if (!runtime::train_on_cpu(spec, plan, built(plan), options, log.sink())) qFatal("not trained");
    double most = 0;
    const StepDone last = log.of<StepDone>().back();
    for (const Bytes bytes : last.memory) most = std::max(most, static_cast<double>(bytes.count));
    return most;
  };
  const double rest = peak({.data = 4}, 0) - 16 * weights;  // other weights, activations
  QVERIFY(rest > 0 && rest < 0.1 * 16 * weights);
  const auto near = [&](double found, double expected) {
    if (found > expected && found < 1.1 * expected + rest) return true;
    qWarning("found %.0f bytes, expected %.0f", found, expected);
    return false;
  };
  QVERIFY(near(peak({.data = 4, .expert = 2}, 0), 16 * weights / 2));
  QVERIFY(near(peak({.data = 4, .expert = 4}, 0), 16 * weights / 4));
  QVERIFY(near(peak({.data = 4, .expert_tensor = 4}, 0), 16 * weights / 4));
  QVERIFY(near(peak({.data = 4, .expert = 2}, 1), (8 + 8 / 2.) * weights / 2));
}

/// Checkpoints of one mesh go on with any other one.
void TestExpertParallel::another_mesh_goes_on_the_same() {
  const ModelSpec spec = model_with(balanced, 2);
  std::vector<Plan> plans;
  for (const Mesh& mesh : std::vector<Mesh>{{},
                                            {.data = 4, .expert = 2},
                                            {.data = 2, .tensor = 2, .expert = 2, .expert_tensor = 2},
                                            {.stages = 2, .data = 2, .tensor = 2, .expert = 4}})
    for (const int level : {0, 3}) {
      if (mesh.devices() == 1 && level > 0) continue;
      plans.push_back(plan_with(spec, mesh));
      plans.back().sharding.level = level;
    }
  const QString wrong = difference_after_resuming(spec, plans);
  QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
}

void TestExpertParallel::what_cannot_be_divided_is_named() {
  const ModelSpec spec = model_with({});
  Plan plan = plan_with(spec, {.stages = 2, .data = 2, .expert = 2});
  plan.schedule = ScheduleKind::pipedream;
  QVERIFY(refused(spec, plan, "/stages/0/expert_parallel", "found 2 expert ranks, expected 1 with the asynchronous"));
  const ModelSpec few = model_with({{"experts", 3}});
  QVERIFY(refused(few, plan_with(few, {.data = 4, .expert = 4}), "/stages/0/expert_parallel",
                  "3 experts, which can't be cut over 4 devices"));
  const ModelSpec narrow = model_with({{"feed_forward", 1}});
  QVERIFY(refused(narrow, plan_with(narrow, {.data = 2, .expert_tensor = 2}), "/stages/0/expert_parallel",
                  "1 columns of each expert, which can't be cut over 2 devices"));
  QVERIFY(refused(spec, plan_with(spec, {.data = 3, .expert = 2}), "/stages/0/devices",
                  "found a stage of 3 devices, expected a multiple of 2 expert x 1 expert-tensor ranks"));
  // Replicas that run micro-batches in another order can't meet in each pass.
  plan = plan_with(spec, {.data = 2, .expert = 2});
  plan.micro_batches = 2, plan.global_batch = 8;
  plan.schedule = ScheduleKind::explicit_order;
  const auto op = [](OpKind kind, int micro_batch) { return Operation{kind, StageId(0), micro_batch}; };
  using enum OpKind;
  plan.operations = {{op(forward, 0), op(backward, 0), op(forward, 1), op(backward, 1)},
                     {op(forward, 1), op(backward, 1), op(forward, 0), op(backward, 0)}};
  QVERIFY(refused(spec, plan, "/operations", "with 2 expert ranks they meet in each pass"));
}

PIPEDECK_TEST(TestExpertParallel)

}  // namespace pipedeck::tst_expert_parallel

#include "tst_expert_parallel.moc"
