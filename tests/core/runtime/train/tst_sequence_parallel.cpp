// SPDX-License-Identifier: Apache-2.0
// Tensor-parallel ranks that divide the tokens between layers (arXiv 2205.05198) train what one device trains, and hold
// as many bytes as the formulas of parallelism.md, section 2.
#include <QTest>

#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/train.hpp"
#include "core/runtime/train/run.hpp"
#include "tests/core/runtime/random_plans.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_sequence_parallel {

using namespace pipedeck::test;

/// Stages of data x context x tensor devices whose tensor ranks divide the tokens.
Plan plan_with(const ModelSpec& model, int stages, int data, int context, int tensor, int micro_batch = 4) {
  Plan plan =
      plan_for(model, std::vector<int>(static_cast<std::size_t>(stages), data * context * tensor), micro_batch, 4);
  for (Stage& stage : plan.stages) {
    stage.tensor_parallel = tensor, stage.degrees.context = context;
    stage.degrees.sequence = true;
  }
  return plan;
}

/// All kinds that have some tokens, between others: latent attention, experts, a layer norm, products. A `transformer`
/// cannot divide positions over context ranks.
ModelSpec mixed_model(std::int64_t sequence = 8, bool with_transformer = false) {
  constexpr std::int64_t hidden = 8;
  ModelSpec model = small_mixtral(1, hidden, sequence, 10);
  const auto add = [&](std::size_t at, const char* kind, std::map<std::string, std::int64_t> sizes) {
    sizes["hidden"] = hidden, sizes["sequence"] = sequence;
    model.layers.insert(model.layers.begin() + static_cast<std::ptrdiff_t>(at),
                        {std::string(kind) + "_" + std::to_string(at), kind, std::move(sizes)});
  };
  model.layers[2].sizes["shared_feed_forward"] = 6, model.layers[2].sizes["capacity_percent"] = 75;
  add(1, "layer_norm", {});
  add(2, "latent_decoder",
      {{"heads", 4},
       {"query_rank", 6},
       {"key_value_rank", 5},
       {"plain_width", 3},
       {"rotary_width", 2},
       {"value_width", 3},
       {"feed_forward", 12}});
  model.layers.insert(
      model.layers.begin() + 4,
      {"product", "linear", {{"in", hidden}, {"out", hidden}, {"sequence", sequence}, {"activation", 2}}});
  add(5, "decoder", {{"heads", 4}, {"norm_heads", 1}, {"bias_qkv", 1}, {"feed_forward", 12}});
  if (with_transformer) add(2, "transformer", {{"heads", 4}, {"feed_forward", 12}, {"causal", 1}});
  return model;
}

class TestSequenceParallel : public QObject {
  Q_OBJECT
 private slots:
  void ranks_equal_one_device_data();
  void ranks_equal_one_device();
  void random_plans_equal_one_device_data();
  void random_plans_equal_one_device();
  void two_runs_have_the_same_bits();
  void stages_send_the_tokens_of_a_rank();
  void a_rank_keeps_its_tokens();
  void too_few_tokens_are_named();
};

void TestSequenceParallel::ranks_equal_one_device_data() {
  QTest::addColumn<int>("stages");
  QTest::addColumn<int>("data");
  QTest::addColumn<int>("context");
  QTest::addColumn<int>("tensor");
  QTest::newRow("two ranks") << 1 << 1 << 1 << 2;
  QTest::newRow("three ranks, uneven tokens, stages") << 2 << 1 << 1 << 3;
  QTest::newRow("four ranks with data ranks") << 1 << 2 << 1 << 4;
  QTest::newRow("three stages, data ranks") << 3 << 2 << 1 << 2;
  QTest::newRow("context ranks") << 1 << 1 << 2 << 2;
  QTest::newRow("stages, data and context ranks") << 2 << 2 << 2 << 2;
}

void TestSequenceParallel::ranks_equal_one_device() {
  QFETCH(int, stages);
  QFETCH(int, data);
  QFETCH(int, context);
  QFETCH(int, tensor);
  const ModelSpec spec = mixed_model(8, context == 1);
  for (const int level : {0, 1, 3})
    for (const int experts : {1, 2}) {
      if (data * context * tensor % experts != 0) continue;
      Plan plan = plan_with(spec, stages, data, context, tensor);
      plan.sharding.level = level;
      for (Stage& stage : plan.stages) stage.degrees.expert = experts;
      const QString wrong = difference_from_one_device(spec, plan, 20);
      QVERIFY2(wrong.isEmpty(), qPrintable(QString("level %1, e %2: %3").arg(level).arg(experts).arg(wrong)));
    }
}

void TestSequenceParallel::random_plans_equal_one_device_data() {
  QTest::addColumn<int>("kind");
  for (const ScheduleKind kind : schedules_of_random_plans)
    QTest::newRow(std::string(name_of(kind)).c_str()) << static_cast<int>(kind);
}

/// Stages may have other degrees than their neighbours, or whole tokens: then tensors are whole between them.
void TestSequenceParallel::random_plans_equal_one_device() {
  QFETCH(int, kind);
  const auto schedule = static_cast<ScheduleKind>(kind);
  for (unsigned seed = 1; seed <= 4; ++seed) {
    Draw random(seed * 100 + static_cast<unsigned>(kind));
    const int ranks = bidirectional(schedule) ? 2 : random.integer(1, 2);
    const Needs needs = needs_of(schedule, ranks, random);
    const int context = random.integer(1, 2), tensor = 2, data = ranks * context > 2 ? 1 : random.integer(1, 2);
    const ModelSpec spec = mixed_model(4 * random.integer(1, 2));
    Plan plan = placed_plan(spec, schedule, std::vector<int>(static_cast<std::size_t>(ranks), data * context * tensor),
                            needs.chunks, data + random.integer(0, 3), std::max(needs.min_batches, 4));
    cut_anywhere(plan, random);
    const int experts = random.integer(1, 2);
    const bool free = needs.chunks == 1 && !bidirectional(schedule);
    for (Stage& stage : plan.stages) {
      stage.degrees.context = context, stage.tensor_parallel = tensor, stage.degrees.expert = experts;
      stage.degrees.sequence = !free || !random.once_in(4);
      if (free && context == 1 && random.once_in(4)) stage.tensor_parallel = data * tensor > 2 ? 4 : 1;
      if (random.once_in(2)) stage.samples_per_replica = random.shares(plan.micro_batch, stage.replicas());
      if (stage.tensor_parallel == 2 && free && random.once_in(3)) stage.shard_fractions = {{0.25, 0.75}};
    }
    if (random.once_in(2)) recompute_some(plan, random);
    plan.sharding.level = random.integer(0, bidirectional(schedule) ? 1 : 3);
    const QString wrong = difference_from_one_device(spec, plan, 20);
    QVERIFY2(wrong.isEmpty(), qPrintable(QString("seed %1, %2, level %3: %4")
                                             .arg(seed)
                                             .arg(QString::fromStdString(stage_shape_text(plan)))
                                             .arg(plan.sharding.level)
                                             .arg(wrong)));
  }
}

void TestSequenceParallel::two_runs_have_the_same_bits() {
  const ModelSpec spec = mixed_model();
  const Plan plan = plan_with(spec, 2, 2, 1, 2);
  const auto run = [&] { return trained_with(spec, plan, built(plan), 5).parameters.layers; };
  const auto first = run();
  QVERIFY(run() == first);
}

/// Between equal stages a message has a rank's share of the tokens.
void TestSequenceParallel::stages_send_the_tokens_of_a_rank() {
  const ModelSpec spec = small_llama(8, 8, 10);
  Plan plan = plan_with(spec, 2, 1, 1, 2);
  const auto widths = [&] {
    const auto run = runtime::train::make_run(spec, plan, built(plan), {}, runtime::cpu::cpu_backend()).value();
    return std::pair(run->workers[0].stages().front().module.output_width(),
                     run->workers[2].stages().front().module.input_width());
  };
  QVERIFY(widths() == std::pair(std::int64_t{8 * 4}, std::int64_t{8 * 4}));
  plan.stages[1].degrees.sequence = false;
  QVERIFY(widths() == std::pair(std::int64_t{8 * 8}, std::int64_t{8 * 8}));
  for (Stage& stage : plan.stages) stage.degrees.sequence = false;
  QVERIFY(widths() == std::pair(std::int64_t{8 * 8}, std::int64_t{8 * 8}));
}

/// A half keeps its norm's input and output, 2 h numbers a token, and the norm's factor. With T ranks these are divided
/// by T; the rest is divided already.
void TestSequenceParallel::a_rank_keeps_its_tokens() {
  constexpr std::int64_t hidden = 32, sequence = 64;
  constexpr int blocks = 6, micro_batches = 8, samples = 4;
  ModelSpec spec = small_llama(hidden, sequence, 10);
  const ModelLayer half{"half", "feed_forward", {{"hidden", hidden}, {"feed_forward", 8}, {"sequence", sequence}}};
  spec.layers.erase(spec.layers.begin() + 1, spec.layers.begin() + 4);
  spec.layers.insert(spec.layers.begin() + 1, 2 * blocks, half);
  for (int i = 0; i < 2 * blocks; ++i) spec.layers[static_cast<std::size_t>(i + 1)].name += std::to_string(i);
  const auto peak = [&](int tensor, bool sequence_parallel) {
    Plan plan = plan_for(spec, {tensor}, samples, micro_batches);
    plan.schedule = ScheduleKind::gpipe;  // all micro-batches are kept
    plan.stages[0].tensor_parallel = tensor, plan.stages[0].degrees.sequence = sequence_parallel;
    const auto log = trained_with(spec, plan, built(plan), 3).log;
    double most = 0;
    const StepDone last = log.of<StepDone>().back();
    for (const Bytes bytes : last.memory) most = std::max(most, static_cast<double>(bytes.count));
    return most;
  };
  for (const int tensor : {2, 4}) {
    const double tokens = double{micro_batches} * samples * sequence,
                 kept = 4 * tokens * 2 * blocks * (2 * hidden + 1) * (1 - 1.0 / tensor);
    const double less = peak(tensor, false) - peak(tensor, true);
    QVERIFY2(less > 0.95 * kept && less < 1.1 * kept,
             qPrintable(QString("T %1: %2 bytes less, expected %3").arg(tensor).arg(less).arg(kept)));
  }
}

void TestSequenceParallel::too_few_tokens_are_named() {
  const ModelSpec spec = small_llama(16, 2, 10);
  const Plan plan = plan_with(spec, 1, 1, 1, 4);
  const auto result = runtime::train_on_cpu(spec, plan, built(plan), {}, {});
  QVERIFY(!result);
  QCOMPARE(result.error().place, std::string("/stages/0/tensor_parallel"));
  QVERIFY2(result.error().message.find("2 positions, which can't be cut over 4 devices") != std::string::npos,
           result.error().message.c_str());
}

PIPEDECK_TEST(TestSequenceParallel)

}  // namespace pipedeck::tst_sequence_parallel

#include "tst_sequence_parallel.moc"
