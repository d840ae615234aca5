// SPDX-License-Identifier: Apache-2.0
// Layers cut over the devices of a replica train what one device trains: every model, random plans under every
// synchronous schedule with replicas, shares, shards and recomputation.
#include <QTest>

#include "core/presets/presets.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/train.hpp"
#include "core/runtime/train/run.hpp"
#include "tests/core/runtime/random_plans.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_tensor_parallel {

using namespace pipedeck::test;

/// Every layer wide enough for four ranks.
ModelSpec with_heads(ModelSpec model, std::int64_t heads) {
  for (ModelLayer& layer : model.layers)
    if (layer.kind == "transformer") layer.sizes["heads"] = heads;
  return model;
}

std::map<QString, ModelSpec> models() {
  return {{"gpt", with_heads(small_gpt(2, 16), 4)}, {"llama", small_llama()}, {"mixtral", small_mixtral()},
          {"mlp", small_mlp(9, 6, 7, 5)},           {"vgg", small_cnn()},     {"lstm", small_lstm()},
          {"lstm both ways", small_lstm(2)}};
}

/// Devices in stage order; stage s has `replicas[s]` of `degrees[s]` devices.
Plan cut_plan(const ModelSpec& model, const std::vector<int>& replicas, const std::vector<int>& degrees,
              int micro_batch = 6, int micro_batches = 4) {
  std::vector<int> devices;
  for (std::size_t s = 0; s < replicas.size(); ++s) devices.push_back(replicas[s] * degrees[s]);
  Plan plan = plan_for(model, devices, micro_batch, micro_batches);
  for (std::size_t s = 0; s < degrees.size(); ++s) plan.stages[s].tensor_parallel = degrees[s];
  return plan;
}

std::vector<double> random_shards(int degree, Draw& random) {
  std::vector<double> shards;
  double sum = 0;
  for (int rank = 0; rank < degree; ++rank) shards.push_back(random.integer(1, 9)), sum += shards.back();
  for (double& shard : shards) shard /= sum;
  return shards;
}

/// Turns the devices of each rank of the pipeline into replicas of several devices.
void cut_over_devices(Plan& plan, const std::vector<int>& degrees, int ranks, Draw& random) {
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    Stage& stage = plan.stages[s];
    const int rank = rank_of_stage(plan.schedule, static_cast<int>(s), static_cast<int>(plan.stages.size()), ranks);
    stage.tensor_parallel = degrees[static_cast<std::size_t>(rank)];
    if (stage.tensor_parallel > 1 && random.once_in(3))
      stage.shard_fractions = random_shards(stage.tensor_parallel, random);
    if (random.once_in(2)) stage.samples_per_replica = random.shares(plan.micro_batch, stage.replicas());
  }
}

ModelSpec random_wide_model(Draw& random, int stages) {
  switch (random.integer(1, 5)) {
    case 1:
      return with_heads(small_gpt(std::max(1, stages - 3), 8, 4, 10), 4);
    case 2:
      if (stages <= 5) return small_cnn();
      [[fallthrough]];
    case 3:
      if (stages <= 6) return small_llama(8, 4, 10);
      [[fallthrough]];
    default:
      return small_mlp(random.integer(4, 20), stages + random.integer(0, 3), random.integer(4, 9),
                       random.integer(4, 9));
  }
}

class TestTensorParallel : public QObject {
  Q_OBJECT
 private slots:
  void every_model_equals_one_device_data();
  void every_model_equals_one_device();
  void small_presets_equal_whole_stages_data();
  void small_presets_equal_whole_stages();
  void batch_norm_sees_the_replicas_samples();
  void random_plans_equal_one_device_data();
  void random_plans_equal_one_device();
  void asynchronous_plans_equal_those_of_one_device_a_stage();
  void ranks_share_the_memory_of_weights();
  void gradients_reduced_beside_the_passes_give_the_same_bits();
  void buffers_are_allocated_once();
  void same_run_gives_the_same_bits();
  void timeline_has_every_rank_and_its_transfers();
  void stages_cut_alike_exchange_columns();
  void what_cannot_be_cut_is_named_before_anything_starts();
};

void TestTensorParallel::every_model_equals_one_device_data() {
  QTest::addColumn<QString>("model");
  for (const auto& [name, model] : models()) QTest::newRow(qPrintable(name)) << name;
}

void TestTensorParallel::every_model_equals_one_device() {
  QFETCH(QString, model);
  const ModelSpec spec = models().at(model);
  const std::vector<std::pair<std::vector<int>, std::vector<int>>> shapes{
      {{1}, {2}}, {{1}, {4}}, {{1, 1}, {2, 2}}, {{1, 1}, {1, 3}}, {{1, 1}, {3, 2}}, {{2, 1}, {2, 3}}, {{1, 2}, {4, 1}}};
  for (const auto& [replicas, degrees] : shapes) {
    Plan plan = cut_plan(spec, replicas, degrees);
    const QString wrong = difference_from_one_device(spec, plan, 10);
    QVERIFY2(wrong.isEmpty(), qPrintable(QString::fromStdString(stage_shape_text(plan)) + ": " + wrong));
    for (Stage& stage : plan.stages) stage.recompute.all = true;
    if (degrees.front() == 3) plan.stages.front().shard_fractions = {{0.2, 0.5, 0.3}};
    const QString again = difference_from_one_device(spec, plan, 10);
    QVERIFY2(again.isEmpty(), qPrintable(QString::fromStdString(stage_shape_text(plan)) + ", recomputed: " + again));
  }
}

void TestTensorParallel::small_presets_equal_whole_stages_data() {
  QTest::addColumn<QString>("preset");
  for (const char* name : {"wide-tiny", "gpt-tiny", "llama-tiny", "mixtral-tiny", "deepseek-tiny", "bert-tiny",
                           "vgg-tiny", "resnet-tiny", "gnmt-tiny", "mlp-small"})
    QTest::newRow(name) << name;
}

/// Two stages of two devices each, compared with two of one. By plain gradient descent: a batch norm leaves some
/// gradients that are only rounding, and Adam would divide these by their own size.
void TestTensorParallel::small_presets_equal_whole_stages() {
  QFETCH(QString, preset);
  ModelSpec model = presets::model_preset(preset.toStdString()).value();
  model.learning_rate = 0.02;
  Plan whole = plan_for(model, {1, 1}, 2, 2), cut = cut_plan(model, {1, 1}, {2, 2}, 2, 2);
  whole.optimizer = cut.optimizer = Optimizer::sgd;
  const Trained expected = trained_with(model, whole, built(whole), 3), found = trained_with(model, cut, built(cut), 3);
  const double parameters = parameter_difference(found.parameters, expected.parameters);
  QVERIFY2(parameters < 1e-5, qPrintable(QString::number(parameters)));
  QVERIFY(loss_difference(found.log.losses(), expected.log.losses()) < 1e-5);
  const double untrained =
      parameter_difference(trained_with(model, whole, built(whole), 0).parameters, expected.parameters);
  QVERIFY2(untrained > 1e-4, qPrintable(QString::number(untrained)));  // it is training that is compared
}

/// Its statistics are those of the replica's samples, for any number of its devices.
void TestTensorParallel::batch_norm_sees_the_replicas_samples() {
  const ModelSpec model = small_cnn(true);
  Plan single = plan_for(model, {1}, 3, 8);
  const Trained expected = trained_with(model, single, built(single), 10);
  const Plan plan = cut_plan(model, {2, 2}, {2, 4});
  const Trained found = trained_with(model, plan, built(plan), 10);
  const double apart = parameter_difference(found.parameters, expected.parameters);
  QVERIFY2(apart < 1e-5, qPrintable(QString::number(apart)));
}

void TestTensorParallel::random_plans_equal_one_device_data() {
  QTest::addColumn<int>("kind");
  for (const ScheduleTraits& info : all_schedules)
    if (!asynchronous(info.kind) && info.kind != ScheduleKind::explicit_order)
      QTest::newRow(info.name.data()) << static_cast<int>(info.kind);
}

void TestTensorParallel::random_plans_equal_one_device() {
  QFETCH(int, kind);
  const auto schedule = static_cast<ScheduleKind>(kind);
  for (unsigned seed = 1; seed <= 8; ++seed) {
    Draw random(seed * 100 + static_cast<unsigned>(kind));
    int ranks = random.integer(1, 3);
    if (bidirectional(schedule)) ranks = 2;
    const Needs needs = needs_of(schedule, ranks, random);
    std::vector<int> replicas, degrees;
    for (int k = 0; k < ranks; ++k) {
      const bool like_the_first = needs.paired && k > 0;
      replicas.push_back(like_the_first ? replicas[0] : random.integer(1, 2));
      degrees.push_back(like_the_first ? degrees[0] : random.integer(1, 4));
    }
    if (random.once_in(2)) degrees[0] = 2;
    if (needs.paired) degrees.assign(degrees.size(), degrees[0]);
    std::vector<int> devices;
    for (std::size_t k = 0; k < replicas.size(); ++k) devices.push_back(replicas[k] * degrees[k]);
    const int micro_batch = random.integer(2, 5);
    const int batches = std::max(needs.min_batches, 2 * random.integer(1, 2));
    const ModelSpec model = random_wide_model(random, ranks * needs.chunks);
    Plan plan = placed_plan(model, schedule, devices, needs.chunks, micro_batch, batches);
    cut_anywhere(plan, random);
    cut_over_devices(plan, degrees, ranks, random);
    if (random.once_in(2)) recompute_some(plan, random);
    const QString wrong = difference_from_one_device(model, plan);
    QVERIFY2(
        wrong.isEmpty(),
        qPrintable(QString("seed %1, %2: %3").arg(seed).arg(QString::fromStdString(stage_shape_text(plan)), wrong)));
  }
}

void TestTensorParallel::asynchronous_plans_equal_those_of_one_device_a_stage() {
  const ModelSpec model = small_mlp(9, 6, 7, 5);
  for (const ScheduleKind kind :
       {ScheduleKind::pipedream, ScheduleKind::pipedream_vertical, ScheduleKind::pipedream_2bw}) {
    Plan whole = plan_for(model, {2, 1}, 3, 4);
    whole.schedule = kind;
    Plan cut = cut_plan(model, {2, 1}, {2, 3}, 3, 4);
    cut.schedule = kind;
    const Trained expected = trained_with(model, whole, built(whole), 6),
                  found = trained_with(model, cut, built(cut), 6);
    const double apart = parameter_difference(found.parameters, expected.parameters);
    QVERIFY2(apart < 1e-5, qPrintable(QString::number(apart)));
    QVERIFY(loss_difference(found.log.losses(), expected.log.losses()) < 1e-5);
  }
}

void TestTensorParallel::ranks_share_the_memory_of_weights() {
  ModelSpec model = small_mlp(16, 2, 64, 4000);  // nearly all is the classifier
  const auto peaks = [&](const Plan& plan) {
    return trained_with(model, plan, built(plan), 2).log.of<StepDone>().back().memory;
  };
  const std::int64_t alone = peaks(cut_plan(model, {1}, {1}, 4, 1)).front().count;
  const auto halves = peaks(cut_plan(model, {1}, {2}, 4, 1));
  for (const Bytes half : halves) QVERIFY2(half.count < alone * 52 / 100, qPrintable(QString::number(half.count)));
  Plan uneven = cut_plan(model, {1}, {2}, 4, 1);
  uneven.stages[0].shard_fractions = {{0.75, 0.25}};
  const auto parts = peaks(uneven);
  QVERIFY(parts[0].count < alone * 77 / 100 && parts[0].count > alone * 73 / 100);
  QVERIFY(parts[1].count < alone * 27 / 100);
}

/// While replicas reduce a layer's gradients on threads of their own, ranks go on with all-reduces of their passes.
void TestTensorParallel::gradients_reduced_beside_the_passes_give_the_same_bits() {
  for (const auto& [name, model] : models()) {
    const Plan plan = cut_plan(model, {2, 2}, {2, 3});
    const auto with = [&](Overlap overlap) {
      runtime::train::TrainOptions options;
      options.steps = 4;
      options.overlap = overlap;
      return runtime::train_on_cpu(model, plan, built(plan), options, {}).value().layers;
    };
    QVERIFY2(with(Overlap::layer) == with(Overlap::none), qPrintable(name));
  }
}

/// Gathered and summed values use blocks allocated in the first steps.
void TestTensorParallel::buffers_are_allocated_once() {
  for (const auto& [name, model] : models()) {
    const Plan plan = cut_plan(model, {1, 1}, {2, 3});
    const auto run = runtime::train::make_run(model, plan, built(plan), {}, runtime::cpu::cpu_backend()).value();
    const auto allocations = [&] {
      std::vector<std::int64_t> counts;
      for (const runtime::exec::Worker& worker : run->workers) counts.push_back(worker.memory().allocations());
      return counts;
    };
    runtime::train::WorkerThreads crew(run);
    std::vector<std::int64_t> before;
    for (int step = 1; step <= 12; ++step) {
      run->control->begin_step();
      QVERIFY(crew.step().has_value());
      if (step == 2) before = allocations();
    }
    QVERIFY2(allocations() == before, qPrintable(name));
  }
}

void TestTensorParallel::same_run_gives_the_same_bits() {
  for (const auto& [name, model] : models()) {
    const Plan plan = cut_plan(model, {2, 1}, {2, 3});
    const Trained first = trained_with(model, plan, built(plan), 5);
    for (int i = 0; i < 2; ++i) {
      const Trained again = trained_with(model, plan, built(plan), 5);
      QVERIFY(again.parameters.layers == first.parameters.layers);
      QVERIFY(again.log.losses() == first.log.losses());
    }
  }
}

/// Every rank runs all passes, its all-reduces within them; each takes whole tensors from one rank of the other stage.
void TestTensorParallel::timeline_has_every_rank_and_its_transfers() {
  const ModelSpec model = small_mlp(9, 6, 7, 5);
  const Plan plan = cut_plan(model, {1, 1}, {1, 3}, 4, 5);
  const Schedule schedule = built(plan);
  const Timeline timeline = trained_with(model, plan, schedule, 2).log.of<MeasuredTimeline>().back().timeline;
  std::map<std::pair<DeviceId, DeviceId>, std::size_t> transfers;
  std::size_t devices = 0;
  for (const TimelineLane& lane : timeline.lanes) {
    QVERIFY(lane.role != LaneRole::collective);  // one replica a stage
    if (lane.role == LaneRole::link) transfers[{lane.device, lane.to}] += lane.size();
    if (lane.role != LaneRole::compute) continue;
    ++devices;
    QCOMPARE(lane.size(), static_cast<std::size_t>(operation_count(schedule.lanes[lane.device.index()].order)) + 1);
  }
  QCOMPARE(devices, 4u);
  const std::map<std::pair<DeviceId, DeviceId>, std::size_t> expected{{{DeviceId(0), DeviceId(1)}, 5},
                                                                      {{DeviceId(0), DeviceId(2)}, 5},
                                                                      {{DeviceId(0), DeviceId(3)}, 5},
                                                                      {{DeviceId(1), DeviceId(0)}, 5}};
  QVERIFY(transfers == expected);
}

/// Whale's fused bridge: where the layer in front of a boundary gives columns and the one behind takes them, and both
/// stages are cut alike, nothing is gathered; the ranks exchange their columns.
void TestTensorParallel::stages_cut_alike_exchange_columns() {
  const ModelSpec model = small_mlp(9, 4, 7, 5);
  const auto widths = [&](const Plan& plan) {
    const auto run = runtime::train::make_run(model, plan, built(plan), {}, runtime::cpu::cpu_backend()).value();
    std::vector<std::int64_t> out;
    for (const runtime::exec::Worker& worker : run->workers)
      out.push_back(worker.stages().front().module.output_width());
    return std::vector<std::int64_t>(out.begin(), out.begin() + plan.stages[0].tensor_parallel);
  };
  Plan plan = cut_plan(model, {1, 1}, {2, 2});
  plan.stages[0].last = plan.stages[1].first = 1;  // columns | rows, columns, rows
  QVERIFY(widths(plan) == (std::vector<std::int64_t>{5, 4}));
  QVERIFY(difference_from_one_device(model, plan, 10).isEmpty());
  plan.stages[0].shard_fractions = {{0.7, 0.3}};  // no longer alike
  QVERIFY(widths(plan) == (std::vector<std::int64_t>{9, 9}));
  plan.stages[1].shard_fractions = plan.stages[0].shard_fractions;
  QVERIFY(widths(plan) == (std::vector<std::int64_t>{6, 3}));
  QVERIFY(difference_from_one_device(model, plan, 10).isEmpty());
  plan.stages[1].recompute.all = true;
  QVERIFY(difference_from_one_device(model, plan, 10).isEmpty());
  QVERIFY(widths(cut_plan(model, {1, 1}, {2, 3})) == (std::vector<std::int64_t>{9, 9}));
}

void TestTensorParallel::what_cannot_be_cut_is_named_before_anything_starts() {
  const auto refused = [](const ModelSpec& model, const Plan& plan, const char* place, const char* text) {
    EventLog log;
    const auto result = runtime::train_on_cpu(model, plan, built(plan), {}, log.sink());
    if (result) return qWarning("it was not refused"), false;
    const Error& error = result.error();
    const bool named = error.code == ErrorCode::bad_input && error.place == place &&
                       error.message.find(text) != std::string::npos && log.of<RunStarted>().empty();
    if (!named) qWarning("%s", error.text().c_str());
    return named;
  };
  const ModelSpec gpt = small_gpt();
  QVERIFY(refused(gpt, cut_plan(gpt, {1, 1}, {1, 3}), "/stages/1/tensor_parallel",
                  "layer 'block_1' (transformer) has 2 heads, which can't be cut over 3 devices"));
  const ModelSpec mlp = small_mlp();
  Plan wrong = cut_plan(mlp, {1}, {2});
  wrong.stages[0].shard_fractions = {{0.5, 0.25, 0.25}};
  QVERIFY(refused(mlp, wrong, "/stages/0/shards", "found 3 shards, expected one for each of the 2 ranks"));
}

PIPEDECK_TEST(TestTensorParallel)

}  // namespace pipedeck::tst_tensor_parallel

#include "tst_tensor_parallel.moc"
