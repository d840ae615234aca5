// SPDX-License-Identifier: Apache-2.0
// Sharded model states train what whole states train: every level, reshard time and treatment of copies, random plans
// under every synchronous schedule. Each level holds as many bytes as its formula.
#include <QTemporaryDir>
#include <QTest>

#include <numeric>

#include "core/runtime/checkpoint/resume.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/exec/plan_features.hpp"
#include "core/runtime/layers/shard.hpp"
#include "core/runtime/train.hpp"
#include "core/runtime/train/run.hpp"
#include "tests/core/runtime/random_plans.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_sharded_states {

using namespace pipedeck::test;

using Layers = std::vector<std::vector<float>>;

struct Options {
  int steps = 4;
  Overlap overlap = Overlap::none;
  Bytes bucket = default_bucket;
};

runtime::train::TrainOptions options_of(const Options& options) {
  runtime::train::TrainOptions run;
  run.steps = options.steps;
  run.overlap = options.overlap;
  run.bucket = options.bucket;
  return run;
}

Layers trained(const ModelSpec& model, const Plan& plan, const Options& options = {}) {
  auto result = runtime::train_on_cpu(model, plan, built(plan), options_of(options), {});
  if (!result) qFatal("%s", result.error().text().c_str());
  return result->layers;
}

Sharding level(int level, Reshard reshard = Reshard::after_forward) { return {level, 0, reshard, CopySync::each_step}; }

/// Stages of `replicas` x `degree` devices.
Plan plan_with(const ModelSpec& model, int stages, int replicas, int degree, const Sharding& sharding,
               int micro_batch = 8, int micro_batches = 4) {
  Plan plan = plan_for(model, std::vector<int>(static_cast<std::size_t>(stages), replicas * degree), micro_batch,
                       micro_batches);
  for (Stage& stage : plan.stages) stage.tensor_parallel = degree;
  plan.sharding = sharding;
  return plan;
}

/// The plan gathers weights one layer ahead.
Plan gathering_ahead(Plan plan) {
  plan.choices.emplace();
  plan.choices->training.hidden.weights = true;
  return plan;
}

Sharding random_sharding(Draw& random, int ranks, int most) {
  Sharding sharding;
  sharding.level = random.integer(0, most);
  if (sharding.level == 0) return sharding;
  std::vector<int> groups;
  for (int group = 1; group <= ranks; ++group)
    if (ranks % group == 0) groups.push_back(group);
  sharding.group =
      random.once_in(3) ? 0 : groups[static_cast<std::size_t>(random.integer(0, static_cast<int>(groups.size()) - 1))];
  sharding.reshard = static_cast<Reshard>(random.integer(0, 2));
  sharding.copies = static_cast<CopySync>(random.integer(0, 2));
  return sharding;
}

std::string text_of(const Plan& plan) {
  return stage_shape_text(plan) + ", level " + std::to_string(plan.sharding.level) + " group " +
         std::to_string(plan.sharding.group) + " " + std::string(name_of(plan.sharding.reshard)) + " " +
         std::string(name_of(plan.sharding.copies));
}

class TestShardedStates : public QObject {
  Q_OBJECT
 private slots:
  void ranges_of_blocks_are_those_of_their_positions();
  void every_level_equals_whole_states_data();
  void every_level_equals_whole_states();
  void copies_equal_one_group();
  void collectives_during_passes_give_the_same_bits();
  void random_plans_equal_one_device_data();
  void random_plans_equal_one_device();
  void twenty_steps_equal_one_device();
  void zero_of_version_1_is_a_level();
  void a_device_holds_the_bytes_of_its_level();
  void buffers_are_allocated_once();
  void another_mesh_goes_on_the_same();
  void recomputed_blocks_are_the_first_of_a_stage();
  void a_plan_may_end_in_the_loss();
  void another_precision_is_announced();
  void what_cannot_be_sharded_is_named();
};

/// Compares with lists of positions, at random blocks and ranges.
void TestShardedStates::ranges_of_blocks_are_those_of_their_positions() {
  const auto positions = [](const std::vector<runtime::layers::ParameterBlock>& blocks) {
    std::vector<std::int64_t> all;
    for (const auto& block : blocks)
      for (std::int64_t row = 0; row < block.rows; ++row)
        for (std::int64_t column = 0; column < block.columns; ++column)
          all.push_back(block.first + row * block.stride + column);
    return all;
  };
  Draw random(3);
  for (int round = 0; round < 300; ++round) {
    std::vector<runtime::layers::ParameterBlock> blocks;
    for (int i = random.integer(1, 3); i > 0; --i) {
      const int columns = random.integer(1, 5);
      blocks.push_back({random.integer(0, 50), random.integer(1, 4), columns, columns + random.integer(0, 3)});
    }
    const std::vector<std::int64_t> all = positions(blocks);
    const int size = static_cast<int>(all.size()), first = random.integer(0, size),
              count = random.integer(0, size - first);
    const auto parts = runtime::layers::blocks_in_range(blocks, first, count);
    QVERIFY(positions(parts) == std::vector<std::int64_t>(all.begin() + first, all.begin() + first + count));
  }
}

void TestShardedStates::every_level_equals_whole_states_data() {
  QTest::addColumn<int>("model");
  QTest::addColumn<int>("stages");
  QTest::addColumn<int>("replicas");
  QTest::addColumn<int>("degree");
  QTest::addColumn<bool>("recompute");
  QTest::newRow("GPT") << 0 << 1 << 2 << 1 << false;
  QTest::newRow("GPT, stages, three ranks") << 0 << 2 << 3 << 1 << false;
  QTest::newRow("GPT, tensor ranks, recomputed") << 0 << 1 << 2 << 2 << true;
  QTest::newRow("MLP, stages, tensor ranks") << 1 << 2 << 2 << 2 << false;
  QTest::newRow("convolutions, four ranks") << 2 << 1 << 4 << 1 << true;
}

/// Level 1 adds the same numbers in the same order, so its bits are those of level 0. With one micro-batch this is true
/// of all levels. Levels 2 and 3 add up ranks first, then micro-batches.
void TestShardedStates::every_level_equals_whole_states() {
  QFETCH(int, model);
  QFETCH(int, stages);
  QFETCH(int, replicas);
  QFETCH(int, degree);
  QFETCH(bool, recompute);
  const ModelSpec spec = std::vector{small_gpt(), small_mlp(9, 6, 7, 5), small_cnn()}[static_cast<std::size_t>(model)];
  for (const int micro_batches : {1, 4}) {
    const auto with = [&](const Sharding& sharding) {
      Plan plan = plan_with(spec, stages, replicas, degree, sharding, 8, micro_batches);
      for (Stage& stage : plan.stages) stage.recompute.all = recompute;
      return trained(spec, plan);
    };
    const Layers whole = with(level(0));
    QVERIFY(with(level(1)) == whole);
    const Layers second = with(level(2));
    QVERIFY(micro_batches > 1 || second == whole);
    const double apart = parameter_difference({second}, {whole});
    QVERIFY2(apart < 1e-5, qPrintable(QString::number(apart)));
    QVERIFY(with(level(3)) == second);
    QVERIFY(with(level(3, Reshard::after_backward)) == second);
    QVERIFY(with(level(3, Reshard::after_step)) == whole);
  }
}

/// Groups of two ranks with two or three copies: each way to add up copies gives the same bits.
void TestShardedStates::copies_equal_one_group() {
  const ModelSpec spec = small_gpt();
  for (const int replicas : {4, 6})
    for (const int of_level : {1, 2, 3}) {
      const Layers whole = trained(spec, plan_with(spec, 1, replicas, 1, level(0), 12));
      const auto with = [&](CopySync copies, Reshard reshard = Reshard::after_forward) {
        return trained(spec, plan_with(spec, 1, replicas, 1, {of_level, 2, reshard, copies}, 12));
      };
      const Layers once = with(CopySync::each_step);
      const double apart = parameter_difference({once}, {whole});
      QVERIFY2(apart < 1e-5, qPrintable(QString::number(apart)));
      QVERIFY(with(CopySync::shard_optimizer) == once);
      QVERIFY(parameter_difference({with(CopySync::each_micro_batch)}, {whole}) < 1e-5);
      QVERIFY(parameter_difference({with(CopySync::shard_optimizer, Reshard::after_step)}, {whole}) < 1e-5);
    }
  // Copies that divide the optimizer's states of groups of one rank each.
  QVERIFY(trained(spec, plan_with(spec, 1, 3, 1, {1, 1, Reshard::after_forward, CopySync::shard_optimizer})) ==
          trained(spec, plan_with(spec, 1, 3, 1, level(0))));
}

void TestShardedStates::collectives_during_passes_give_the_same_bits() {
  for (const ModelSpec& spec : {small_gpt(3), small_mlp(9, 6, 7, 5)})
    for (const int group : {0, 2})
      for (const int of_level : {1, 2, 3})
        for (const Reshard reshard : {Reshard::after_forward, Reshard::after_backward, Reshard::after_step}) {
          if (of_level < 3 && reshard != Reshard::after_forward) continue;
          Plan plan = plan_with(spec, 2, 4, 1, {of_level, group, reshard, CopySync::each_micro_batch});
          plan.stages[0].recompute.all = true;
          const Layers expected = trained(spec, plan);
          QVERIFY(trained(spec, plan, {4, Overlap::layer}) == expected);
          QVERIFY(trained(spec, plan, {4, Overlap::bucket, Bytes(2000)}) == expected);
          QVERIFY(trained(spec, gathering_ahead(plan), {4, Overlap::layer}) == expected);
          plan.stages[0].recompute.each = RecomputeUnit::stage;
          QVERIFY(trained(spec, gathering_ahead(plan)) == expected);
        }
}

void TestShardedStates::random_plans_equal_one_device_data() {
  QTest::addColumn<int>("kind");
  for (const ScheduleTraits& info : all_schedules)
    if (!asynchronous(info.kind) && info.kind != ScheduleKind::explicit_order)
      QTest::newRow(info.name.data()) << static_cast<int>(info.kind);
}

void TestShardedStates::random_plans_equal_one_device() {
  QFETCH(int, kind);
  const auto schedule = static_cast<ScheduleKind>(kind);
  for (unsigned seed = 1; seed <= 8; ++seed) {
    Draw random(seed * 100 + static_cast<unsigned>(kind));
    const int ranks = bidirectional(schedule) ? 2 : random.integer(1, 2);
    const Needs needs = needs_of(schedule, ranks, random);
    const int degree = random.integer(1, 2), replicas = ranks * degree >= 4 ? 2 : random.integer(2, 4);
    const int micro_batch = replicas + random.integer(0, 4);
    const int batches = std::max(needs.min_batches, 2 * random.integer(1, 2));
    const ModelSpec model = random.once_in(2)
                                ? small_gpt(std::max(1, ranks * needs.chunks - 3) + random.integer(0, 1), 8, 4, 10)
                                : small_mlp(random.integer(4, 20), ranks * needs.chunks + random.integer(0, 3), 7, 5);
    Plan plan = placed_plan(model, schedule, std::vector<int>(static_cast<std::size_t>(ranks), replicas * degree),
                            needs.chunks, micro_batch, batches);
    cut_anywhere(plan, random);
    for (Stage& stage : plan.stages) {
      stage.tensor_parallel = degree;
      if (random.once_in(2)) stage.samples_per_replica = random.shares(micro_batch, replicas);
    }
    if (random.once_in(2)) recompute_some(plan, random);
    plan.optimizer = random.once_in(2) ? Optimizer::adam : Optimizer::momentum;
    plan.sharding = random_sharding(random, replicas, bidirectional(schedule) ? 1 : 3);
    if (random.once_in(2)) plan = gathering_ahead(plan);
    const QString wrong = difference_from_one_device(model, plan, 20);
    QVERIFY2(wrong.isEmpty(),
             qPrintable(QString("seed %1, %2: %3").arg(seed).arg(QString::fromStdString(text_of(plan)), wrong)));
    if (seed == 1) QVERIFY(trained(model, plan) == trained(model, plan));
  }
}

/// Eight devices: data, tensor and pipeline parallelism with virtual stages, at each level.
void TestShardedStates::twenty_steps_equal_one_device() {
  const ModelSpec spec = small_gpt(4, 16, 8, 12);
  for (const int of_level : {1, 2, 3}) {
    Plan plan = placed_plan(spec, ScheduleKind::interleaved, {4, 4}, 2, 8, 4);
    for (Stage& stage : plan.stages) stage.tensor_parallel = 2;
    plan.sharding = level(of_level);
    const QString wrong = difference_from_one_device(spec, plan, 20);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
  }
}

void TestShardedStates::zero_of_version_1_is_a_level() {
  const ModelSpec spec = small_mlp();
  for (const int of_level : {1, 2, 3}) {
    Plan first = plan_with(spec, 2, 2, 1, level(0));
    first.zero = of_level;
    QVERIFY(trained(spec, first) == trained(spec, plan_with(spec, 2, 2, 1, level(of_level))));
  }
}

/// A wide layer between two narrow ones: its weights W are nearly all, and activations are few. Whole states are 16 W.
/// Level 1 divides Adam's 8 W by G, level 2 also 4 W of gradients, of which a whole layer exists while it is computed.
/// Level 3 divides the rest, and has a whole layer's weights, too.
void TestShardedStates::a_device_holds_the_bytes_of_its_level() {
  constexpr std::int64_t hidden = 256;
  constexpr int layers = 8, ranks = 4;
  const ModelSpec spec = small_mlp(hidden, layers + 2, 8, 4);
  const double layer = hidden * hidden + hidden, all = layers * layer;
  const auto peak = [&](const Sharding& sharding, Options options = {}, bool ahead = false) {
    Plan plan = plan_with(spec, 1, ranks, 1, sharding, ranks, 2);
    if (ahead) plan = gathering_ahead(plan);
    EventLog log;
    options.steps = 3;
    const auto result = runtime::train_on_cpu(spec, plan, built(plan), options_of(options), log.sink());
    if (!result) qFatal("%s", result.error().text().c_str());
    double most = 0;
    const StepDone last = log.of<StepDone>().back();
    for (const Bytes bytes : last.memory) most = std::max(most, static_cast<double>(bytes.count));
    return most;
  };
  const auto near = [&](double found, double weights, double whole_layers) {
    const double expected = 4 * (weights * all + whole_layers * layer);
    if (found > 0.99 * expected && found < 1.06 * expected) return true;
    qWarning("found %.0f bytes, expected %.0f", found, expected);
    return false;
  };
  const double g = ranks;
  QVERIFY(near(peak(level(0)), 4, 0));
  QVERIFY(near(peak(level(1)), 2 + 2 / g, 0));
  QVERIFY(near(peak(level(2)), 1 + 3 / g, 1));
  QVERIFY(near(peak(level(2), {3, Overlap::layer}), 1 + 3 / g, 3));
  QVERIFY(near(peak(level(3)), 4 / g, 1));
  QVERIFY(near(peak(level(3), {}, true), 4 / g, 2));
  QVERIFY(near(peak(level(3, Reshard::after_backward)), 1 + 4 / g, 0));
  QVERIFY(near(peak(level(3, Reshard::after_step)), 2 + 3 / g, 0));
  // Two copies of a group of two: with divided copies the optimizer's states are divided by four.
  QVERIFY(near(peak({1, 2, Reshard::after_forward, CopySync::each_step}), 2 + 2 / 2., 0));
  QVERIFY(near(peak({1, 2, Reshard::after_forward, CopySync::shard_optimizer}), 2 + 2 / 4., 0));
  QVERIFY(near(peak({2, 2, Reshard::after_forward, CopySync::shard_optimizer}), 1 + 1 / 2. + 2 / 4., 1));
}

void TestShardedStates::buffers_are_allocated_once() {
  const ModelSpec spec = small_gpt(3);
  for (const int of_level : {1, 2, 3}) {
    const Plan plan = plan_with(spec, 2, 2, 1, level(of_level));
    const auto run = runtime::train::make_run(spec, plan, built(plan), {}, runtime::cpu::cpu_backend()).value();
    const auto allocations = [&] {
      std::int64_t count = 0;
      for (const runtime::exec::Worker& worker : run->workers) count += worker.memory().allocations();
      return count;
    };
    runtime::train::WorkerThreads crew(run);
    std::int64_t before = 0;
    for (int step = 1; step <= 8; ++step) {
      run->control->begin_step();
      QVERIFY(crew.step().has_value());
      if (step == 2) before = allocations();
    }
    QCOMPARE(allocations(), before);
  }
}

/// Four steps on one mesh, four on another: as eight on the first. On the same mesh the bits are the same.
void TestShardedStates::another_mesh_goes_on_the_same() {
  const ModelSpec spec = small_gpt();
  const std::vector<Plan> meshes{
      plan_with(spec, 1, 1, 1, level(0), 12), plan_with(spec, 1, 3, 1, level(1), 12),
      plan_with(spec, 2, 2, 1, level(2), 12),
      plan_with(spec, 1, 4, 2, {3, 2, Reshard::after_forward, CopySync::each_step}, 12),
      plan_with(spec, 2, 4, 1, {2, 2, Reshard::after_forward, CopySync::shard_optimizer}, 12)};
  const Layers whole = trained(spec, meshes[0], {8});
  for (const Plan& from : meshes) {
    QTemporaryDir folder;
    runtime::train::TrainOptions first = options_of({4});
    first.checkpoint = runtime::checkpoint::Options{folder.path().toStdString(), 0, 0};
    QVERIFY(runtime::train_on_cpu(spec, from, built(from), first, {}));
    for (const Plan& to : meshes) {
      auto kept = runtime::checkpoint::Checkpoint::open(folder.path().toStdString());
      QVERIFY2(kept.has_value(), kept ? "" : kept.error().text().c_str());
      runtime::train::TrainOptions rest = options_of({8});
      rest.resume = std::make_shared<const runtime::checkpoint::Checkpoint>(*std::move(kept));
      const auto result = runtime::train_on_cpu(spec, to, built(to), rest, {});
      QVERIFY2(result.has_value(), result ? "" : result.error().text().c_str());
      const double apart = parameter_difference(*result, {whole});
      QVERIFY2(apart < 1e-5,
               qPrintable(QString::fromStdString(text_of(from) + " to " + text_of(to)) + QString::number(apart)));
      if (&from == &to) QVERIFY(result->layers == trained(spec, to, {8}));
    }
  }
}

/// A number of blocks is the same as a list of them.
void TestShardedStates::recomputed_blocks_are_the_first_of_a_stage() {
  const ModelSpec spec = small_gpt(4);
  Plan plan = plan_with(spec, 1, 1, 1, level(0));
  plan.choices.emplace();
  plan.stages[0].recompute.all = true;
  plan.stages[0].recompute.blocks = 3;
  Plan listed = plan;
  listed.stages[0].recompute = {false, {LayerId(1), LayerId(2), LayerId(3)}};
  const auto layout = [&](const Plan& of) { return runtime::exec::lay_out(spec, of, built(of)).value(); };
  const auto segments = [&](const Plan& of) { return layout(of).placements[0].chunks[0].recompute; };
  QVERIFY(segments(plan) == segments(listed));
  QCOMPARE(segments(plan).size(), 3u);
  QVERIFY(trained(spec, plan) == trained(spec, listed));
}

void TestShardedStates::a_plan_may_end_in_the_loss() {
  const ModelSpec spec = small_gpt();
  const Plan plan = plan_with(spec, 2, 2, 1, level(1));
  Plan with_loss = plan;
  ++with_loss.stages.back().last;
  QVERIFY(trained(spec, with_loss) == trained(spec, plan));
  ++with_loss.stages.back().last;
  const auto refused = runtime::train_on_cpu(spec, with_loss, built(with_loss), {}, {});
  QVERIFY(!refused);
  QCOMPARE(refused.error().place, std::string("/stages"));
}

void TestShardedStates::another_precision_is_announced() {
  const ModelSpec spec = small_mlp();
  const auto warnings = [&](const std::string& products, Precision precision) {
    Plan plan = plan_with(spec, 1, 2, 1, level(1));
    plan.choices.emplace();
    plan.choices->training.products = products;
    plan.precision = precision;
    EventLog log;
    if (!runtime::train_on_cpu(spec, plan, built(plan), {}, log.sink())) qFatal("not trained");
    std::string text;
    for (const RunWarning& warning : log.of<RunWarning>()) text += warning.message;
    return text;
  };
  QVERIFY(
      warnings("bf16", Precision::mixed_18).find("the plan's products are in bf16: this run computes them in fp32") !=
      std::string::npos);
  QVERIFY(warnings("", Precision::mixed_16).find("are in mixed-16") != std::string::npos);
  QVERIFY(warnings("", Precision::fp32).find("products") == std::string::npos);
}

void TestShardedStates::what_cannot_be_sharded_is_named() {
  const ModelSpec spec = small_mlp(24, 8);
  const auto refused = [&](const Plan& plan, const char* place, const char* text) {
    const auto result = runtime::exec::lay_out(spec, plan, built(plan));
    if (result) return qWarning("it was not refused"), false;
    const Error& error = result.error();
    const bool named =
        error.code == ErrorCode::bad_input && error.place == place && error.message.find(text) != std::string::npos;
    if (!named) qWarning("%s", error.text().c_str());
    return named;
  };
  Plan plan = plan_with(spec, 2, 2, 1, level(1));
  plan.schedule = ScheduleKind::pipedream;
  QVERIFY(refused(plan, "/sharding/level", "found 1, expected 0: replicas of 'pipedream' update weights"));
  plan.sharding.level = 0, plan.zero = 3;
  QVERIFY(refused(plan, "/zero", "found 3, expected 0"));
  plan = plan_with(spec, 2, 2, 1, level(2));
  plan.schedule = ScheduleKind::chimera;
  QVERIFY(refused(plan, "/sharding/level", "found 2, expected 0 or 1"));
  plan = plan_with(spec, 2, 4, 1, {1, 3, Reshard::after_forward, CopySync::each_step});
  QVERIFY(refused(plan, "/stages/0/devices", "found a sharding group of 3 ranks"));
  // Replicas that run micro-batches in another order can't meet in each pass.
  plan = plan_with(spec, 1, 2, 1, level(2), 4, 2);
  plan.schedule = ScheduleKind::explicit_order;
  const auto op = [](OpKind kind, int micro_batch) { return Operation{kind, StageId(0), micro_batch}; };
  using enum OpKind;
  plan.operations = {{op(forward, 0), op(backward, 0), op(forward, 1), op(backward, 1)},
                     {op(forward, 1), op(backward, 1), op(forward, 0), op(backward, 0)}};
  QVERIFY(refused(plan, "/operations", "devices 0 and 1 of stage 0 have other lists"));
  plan.sharding.level = 1;
  QVERIFY(runtime::exec::lay_out(spec, plan, built(plan)));
  // A part that changes memory and communication alone is remarked on.
  Plan divided = plan_with(spec, 2, 2, 1, level(0));
  for (Stage& stage : divided.stages) stage.tensor_parallel = 2, stage.degrees.sequence = true;
  QVERIFY(runtime::exec::lay_out(spec, divided, built(divided)));
  QCOMPARE(runtime::exec::remarks_on(divided, "fp32", false).size(), std::size_t{1});
  QVERIFY(runtime::exec::remarks_on(divided, "fp32", false).front().find("not the weights") != std::string::npos);
  for (Stage& stage : divided.stages) stage.degrees.sequence = false;
  QVERIFY(runtime::exec::remarks_on(divided, "fp32", false).empty());
  divided.precision = Precision::mixed_18;
  QCOMPARE(runtime::exec::remarks_on(divided, "fp32", false).size(), std::size_t{1});
  StepChoices& choices = divided.choices.emplace();
  choices.training.products = "fp32";
  QVERIFY(runtime::exec::remarks_on(divided, "fp32", false).empty());
  choices.training.offloaded_blocks = 2, choices.layers.vocabulary_multiple = 128;
  QCOMPARE(runtime::exec::remarks_on(divided, "fp32", false),
           (std::vector<std::string>{"not in this run, without effect on the weights: offload of activations, padding "
                                     "of the vocabulary"}));
  // The optimizer's states are on hosts where devices have one apart.
  choices = {}, choices.training.products = "fp32";
  QCOMPARE(runtime::exec::state_place(divided, true), runtime::tensor::StatePlace::device);
  choices.training.pages_optimizer = true;
  QCOMPARE(runtime::exec::state_place(divided, true), runtime::tensor::StatePlace::paged);
  choices.training.offloads_optimizer = true;
  QCOMPARE(runtime::exec::state_place(divided, true), runtime::tensor::StatePlace::host);
  QCOMPARE(runtime::exec::state_place(divided, false), runtime::tensor::StatePlace::device);
  QVERIFY(runtime::exec::remarks_on(divided, "fp32", false, true).empty());
  QCOMPARE(runtime::exec::remarks_on(divided, "fp32", false),
           std::vector<std::string>{"not in this run, without effect on the weights: offload of optimizer states"});
  // Parts of version 2 that a run does not have.
  const auto changed = [&](const auto& change) {
    Plan other = plan_with(spec, 2, 2, 1, level(0));
    other.choices.emplace();
    change(other);
    return other;
  };
  QVERIFY(runtime::exec::lay_out(spec, changed([](Plan& p) { p.precision = Precision::mixed_18; }),
                                 built(plan_with(spec, 2, 2, 1, level(0)))));
  QVERIFY(refused(changed([](Plan& p) { p.stages[1].degrees.context = 2; }), "/stages/1/context_parallel",
                  "found 2, expected 1, as stage 0 has"));
  QVERIFY(refused(changed([](Plan& p) { p.stages[1].recompute.all = p.stages[1].recompute.operations = true; }),
                  "/stages/1/recompute", "found operations of blocks"));
  QVERIFY(refused(changed([](Plan& p) { p.choices->training.optimizer_step = OptimizerStep::muon; }),
                  "/training/optimizer_step", "found 'muon'"));
}

PIPEDECK_TEST(TestShardedStates)

}  // namespace pipedeck::tst_sharded_states

#include "tst_sharded_states.moc"
