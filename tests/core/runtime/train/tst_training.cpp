// SPDX-License-Identifier: Apache-2.0
// Every synchronous plan trains the same mathematics: parameters and losses equal one-device training, and that equals
// a plain sequential program written here.
#include <QTest>

#include <cmath>

#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cpu/softmax_cross_entropy.hpp"
#include "core/runtime/data/sample_source.hpp"
#include "core/runtime/layers/layer_kernel.hpp"
#include "core/runtime/train.hpp"
#include "core/runtime/train/run.hpp"
#include "tests/core/runtime/train/training_cases.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_training {

using namespace pipedeck::test;

constexpr int steps = 20;

struct Trained {
  runtime::train::TrainedParameters parameters;
  std::vector<double> losses;
};

Trained trained(const ModelSpec& model, const Plan& plan, Order order) {
  EventLog log;
  runtime::train::TrainOptions options;
  options.steps = steps;
  auto result = runtime::train_on_cpu(model, plan, schedule_for(plan, order), options, log.sink());
  if (!result) qFatal("%s", result.error().text().c_str());
  return {std::move(*result), log.losses()};
}

Trained on_one_device(const ModelSpec& model, int global_batch, Optimizer optimizer) {
  Plan plan = plan_for(model, {1}, global_batch, 1);
  plan.optimizer = optimizer;
  return trained(model, plan, Order::gpipe);
}

/// Largest over the layers of ||a - b|| / ||b||.
double difference(const runtime::train::TrainedParameters& a, const runtime::train::TrainedParameters& b) {
  double most = a.layers.size() == b.layers.size() ? 0 : 1e9;
  for (std::size_t i = 0; i < std::min(a.layers.size(), b.layers.size()); ++i) {
    double apart = 0, size = 0;
    for (std::size_t j = 0; j < b.layers[i].size(); ++j) {
      apart += std::pow(double(a.layers[i].at(j)) - double(b.layers[i][j]), 2);
      size += std::pow(double(b.layers[i][j]), 2);
    }
    most = std::max(most, std::sqrt(apart / size));
  }
  return most;
}

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = a.size() == b.size() ? 0 : 1e9;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) most = std::max(most, std::abs(a[i] - b[i]) / b[i]);
  return most;
}

/// Full-batch gradient descent with Adam in double precision: no stages, no micro-batches, no workers.
Trained plain_program(const ModelSpec& model, int global_batch, int count) {
  const auto layers = std::move(runtime::layers::make_layers(model, runtime::cpu::cpu_kernel_registry()).value());
  const auto loss = runtime::layers::SoftmaxCrossEntropy::of(model, layers.back()->output_width()).value();
  const auto source = std::move(runtime::data::make_source(model).value());
  const auto memory = std::make_shared<runtime::tensor::DeviceMemory>();
  Trained result;
  std::vector<std::vector<double>> first, second;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    result.parameters.layers.emplace_back(static_cast<std::size_t>(layers[i]->parameters()));
    layers[i]->initialise(result.parameters.layers[i], Random(model.seed, i));
    first.emplace_back(result.parameters.layers[i].size());
    second.push_back(first.back());
  }
  for (int step = 0; step < count; ++step) {
    runtime::tensor::Tensor value(memory, global_batch, layers.front()->input_width()),
        targets(memory, global_batch, loss.sequence());
    for (int i = 0; i < global_batch; ++i) {
      const auto sample = static_cast<std::uint64_t>(step * global_batch + i);
      source->input(sample, value.values().subspan(static_cast<std::size_t>(i * value.width()),
                                                   static_cast<std::size_t>(value.width())));
      source->target(sample, targets.values().subspan(static_cast<std::size_t>(i * targets.width()),
                                                      static_cast<std::size_t>(targets.width())));
    }
    const double positions = double(global_batch) * double(loss.sequence());
    std::vector<runtime::layers::SavedTensors> saved(layers.size());
    for (std::size_t i = 0; i < layers.size(); ++i) {
      saved[i].loss_scale = static_cast<float>(1 / positions);
      value = layers[i]->forward(std::move(value), result.parameters.layers[i], saved[i]);
    }
    result.losses.push_back(runtime::cpu::cross_entropy(loss, value, targets) / positions);
    value = runtime::cpu::cross_entropy_gradient(std::move(value), static_cast<float>(1 / positions));
    for (std::size_t i = layers.size(); i-- > 0;) {
      auto& weights = result.parameters.layers[i];
      value = layers[i]->backward_input(std::move(value), weights, saved[i], i > 0);
      std::vector<float> gradient(weights.size());
      layers[i]->backward_weight(saved[i], gradient);
      for (std::size_t j = 0; j < weights.size(); ++j) {
        first[i][j] = 0.9 * first[i][j] + 0.1 * gradient[j];
        second[i][j] = 0.999 * second[i][j] + 0.001 * gradient[j] * gradient[j];
        const double m = first[i][j] / (1 - std::pow(0.9, step + 1)),
                     v = second[i][j] / (1 - std::pow(0.999, step + 1));
        weights[j] = static_cast<float>(weights[j] - model.learning_rate * m / (std::sqrt(v) + 1e-8));
      }
    }
  }
  return result;
}

class TestTraining : public QObject {
  Q_OBJECT
 private slots:
  void one_device_equals_a_plain_program();
  void every_plan_equals_one_device_data();
  void every_plan_equals_one_device();
  void batch_norm_equals_one_device_with_the_same_slices_data();
  void batch_norm_equals_one_device_with_the_same_slices();
  void every_optimizer_equals_one_device_data();
  void every_optimizer_equals_one_device();
  void recompute_changes_nothing_but_memory();
  void loss_falls_data();
  void loss_falls();
  void timeline_holds_the_schedule_in_its_order_data();
  void timeline_holds_the_schedule_in_its_order();
  void memory_returns_after_every_step();
  void same_run_gives_the_same_bits();
};

void TestTraining::one_device_equals_a_plain_program() {
  for (const ModelSpec& model :
       {small_gpt(), small_llama(), small_mixtral(), small_mlp(), small_cnn(), small_lstm(), small_lstm(2)}) {
    const Trained expected = plain_program(model, 12, steps), found = on_one_device(model, 12, Optimizer::adam);
    QVERIFY2(difference(found.parameters, expected.parameters) < 1e-5,
             qPrintable(QString::number(difference(found.parameters, expected.parameters))));
    QVERIFY(difference(found.losses, expected.losses) < 1e-5);
  }
}

void TestTraining::every_plan_equals_one_device_data() {
  QTest::addColumn<QList<int>>("replicas");
  QTest::addColumn<QList<int>>("shares");  // of the second stage; empty: even
  QTest::addColumn<int>("order");
  const auto row = [](const char* name, QList<int> replicas, QList<int> shares, Order order) {
    QTest::newRow(name) << replicas << shares << static_cast<int>(order);
  };
  row("2 stages, GPipe", {1, 1}, {}, Order::gpipe);
  row("2 stages, 1F1B A", {1, 1}, {}, Order::policy_a);
  row("2 stages, 1F1B B", {1, 1}, {}, Order::policy_b);
  row("4 stages, GPipe", {1, 1, 1, 1}, {}, Order::gpipe);
  row("4 stages, 1F1B A", {1, 1, 1, 1}, {}, Order::policy_a);
  row("4 stages, 1F1B B", {1, 1, 1, 1}, {}, Order::policy_b);
  row("4 stages, split backward", {1, 1, 1, 1}, {}, Order::split_backward);
  row("data parallel", {4}, {}, Order::policy_a);
  row("2 stages of 2 replicas", {2, 2}, {}, Order::policy_a);
  row("many to many", {2, 3}, {}, Order::policy_a);
  row("one to many", {1, 3}, {}, Order::gpipe);
  row("uneven shares", {2, 2}, {5, 1}, Order::policy_a);
  row("uneven shares, many to many", {3, 2, 1}, {1, 5}, Order::policy_b);
}

void TestTraining::every_plan_equals_one_device() {
  QFETCH(QList<int>, replicas);
  QFETCH(QList<int>, shares);
  QFETCH(int, order);
  for (const ModelSpec& model :
       {small_gpt(), small_llama(), small_mixtral(), small_mlp(), small_cnn(), small_lstm(2)}) {
    Plan plan = plan_for(model, {replicas.begin(), replicas.end()}, 6, 4);
    if (!shares.empty()) plan.stages[1].samples_per_replica = std::vector<int>(shares.begin(), shares.end());
    for (const Optimizer optimizer : {Optimizer::adam, Optimizer::sgd}) {
      plan.optimizer = optimizer;
      const Trained expected = on_one_device(model, plan.global_batch, optimizer);
      const Trained found = trained(model, plan, static_cast<Order>(order));
      const double parameters = difference(found.parameters, expected.parameters);
      QVERIFY2(parameters < 1e-5, qPrintable(QString::number(parameters)));
      QVERIFY(difference(found.losses, expected.losses) < 1e-5);
    }
  }
}

void TestTraining::batch_norm_equals_one_device_with_the_same_slices_data() {
  QTest::addColumn<QList<int>>("replicas");
  QTest::addColumn<int>("order");
  QTest::newRow("2 stages, GPipe") << QList<int>{1, 1} << static_cast<int>(Order::gpipe);
  QTest::newRow("3 stages, 1F1B") << QList<int>{1, 1, 1} << static_cast<int>(Order::policy_a);
  QTest::newRow("3 stages, split backward") << QList<int>{1, 1, 1} << static_cast<int>(Order::split_backward);
  QTest::newRow("data parallel") << QList<int>{3} << static_cast<int>(Order::policy_a);
  QTest::newRow("2 stages of 3 replicas") << QList<int>{3, 3} << static_cast<int>(Order::policy_b);
}

/// Statistics are those of a device's samples: of its share of a micro-batch. One device with such shares as
/// micro-batches computes equal values.
void TestTraining::batch_norm_equals_one_device_with_the_same_slices() {
  QFETCH(QList<int>, replicas);
  QFETCH(int, order);
  const ModelSpec model = small_cnn(true);
  const Plan plan = plan_for(model, {replicas.begin(), replicas.end()}, 6, 4);
  const int share = 6 / replicas.front();
  const Trained expected = trained(model, plan_for(model, {1}, share, 24 / share), Order::gpipe);
  const Trained found = trained(model, plan, static_cast<Order>(order));
  const double parameters = difference(found.parameters, expected.parameters);
  QVERIFY2(parameters < 1e-5, qPrintable(QString::number(parameters)));
  QVERIFY(difference(found.losses, expected.losses) < 1e-5);
}

void TestTraining::every_optimizer_equals_one_device_data() {
  QTest::addColumn<int>("optimizer");
  for (const Optimizer optimizer :
       {Optimizer::none, Optimizer::sgd, Optimizer::momentum, Optimizer::rmsprop, Optimizer::adam})
    QTest::newRow(std::string(name_of(optimizer)).c_str()) << static_cast<int>(optimizer);
}

void TestTraining::every_optimizer_equals_one_device() {
  QFETCH(int, optimizer);
  const ModelSpec model = small_mlp();
  Plan plan = plan_for(model, {1, 2}, 6, 4);
  plan.optimizer = static_cast<Optimizer>(optimizer);
  const Trained expected = on_one_device(model, plan.global_batch, plan.optimizer);
  const Trained found = trained(model, plan, Order::policy_a);
  QVERIFY(difference(found.parameters, expected.parameters) < 1e-5);
  const bool changes = expected.losses.front() != expected.losses.back();
  QVERIFY(changes);  // other samples, if not other weights
  const auto untrained = plain_program(model, plan.global_batch, 0).parameters;
  QCOMPARE(difference(found.parameters, untrained) == 0, plan.optimizer == Optimizer::none);
}

void TestTraining::recompute_changes_nothing_but_memory() {
  const ModelSpec model = small_gpt(4);
  Plan plan = plan_for(model, {1, 1}, 6, 4);
  const Trained kept = trained(model, plan, Order::gpipe);
  const auto peak = [&] {
    EventLog log;
    runtime::train_on_cpu(model, plan, schedule_for(plan, Order::gpipe), {}, log.sink()).value();
    return log.of<StepDone>()[0].memory;
  };
  const auto kept_peak = peak();
  plan.stages[0].recompute.all = true;
  plan.stages[1].recompute.all = true;
  QVERIFY(trained(model, plan, Order::gpipe).parameters.layers == kept.parameters.layers);
  const auto by_block = peak();
  QVERIFY(by_block[0].count < kept_peak[0].count * 3 / 4);
  plan.stages[0].recompute.each = plan.stages[1].recompute.each = RecomputeUnit::stage;
  QVERIFY(trained(model, plan, Order::gpipe).parameters.layers == kept.parameters.layers);
  QVERIFY(peak()[0] != by_block[0]);
  plan.stages[0].recompute = {false, {LayerId(1), LayerId(2)}};
  plan.stages[1].recompute = {false, {LayerId(4), LayerId(6)}};
  QVERIFY(trained(model, plan, Order::gpipe).parameters.layers == kept.parameters.layers);
  for (const ModelSpec& other : {small_cnn(), small_cnn(true), small_lstm(2)}) {
    Plan two = plan_for(other, {1, 1}, 6, 4);
    const Trained whole = trained(other, two, Order::policy_a);
    for (const RecomputeUnit each : {RecomputeUnit::block, RecomputeUnit::stage}) {
      two.stages[0].recompute = two.stages[1].recompute = {true, {}, each};
      QVERIFY(trained(other, two, Order::policy_a).parameters.layers == whole.parameters.layers);
    }
  }
}

void TestTraining::loss_falls_data() {
  QTest::addColumn<QString>("kind");
  for (const char* kind : {"gpt", "llama", "mixtral", "mlp", "vgg", "resnet", "lstm", "lstm both ways"})
    QTest::newRow(kind) << kind;
}

void TestTraining::loss_falls() {
  QFETCH(QString, kind);
  const std::map<QString, ModelSpec> models{{"gpt", small_gpt()},          {"llama", small_llama()},
                                            {"mixtral", small_mixtral()},  {"mlp", small_mlp(24, 5, 64)},
                                            {"vgg", small_cnn(false, 16)}, {"resnet", small_cnn(true, 16)},
                                            {"lstm", small_lstm(1, 24)},   {"lstm both ways", small_lstm(2, 24)}};
  const ModelSpec& model = models.at(kind);
  EventLog log;
  runtime::train::TrainOptions options;
  options.steps = 200;
  const Plan plan = plan_for(model, {1, 1}, 8, 4);
  QVERIFY(runtime::train_on_cpu(model, plan, schedule_for(plan, Order::policy_a), options, log.sink()).has_value());
  const auto losses = log.losses();
  // It begins near the logarithm of the classes and ends well below.
  QVERIFY(losses.front() > 1.2);
  QVERIFY2(losses.back() < 0.5 * losses.front(), qPrintable(QString::number(losses.back())));
}

void TestTraining::timeline_holds_the_schedule_in_its_order_data() {
  QTest::addColumn<QList<int>>("replicas");
  QTest::addColumn<int>("order");
  QTest::newRow("GPipe") << QList<int>{1, 1, 1} << static_cast<int>(Order::gpipe);
  QTest::newRow("1F1B") << QList<int>{1, 1, 1, 1} << static_cast<int>(Order::policy_b);
  QTest::newRow("split") << QList<int>{1, 1} << static_cast<int>(Order::split_backward);
  QTest::newRow("replicas") << QList<int>{2, 3, 1} << static_cast<int>(Order::policy_a);
}

void TestTraining::timeline_holds_the_schedule_in_its_order() {
  QFETCH(QList<int>, replicas);
  QFETCH(int, order);
  const ModelSpec model = small_gpt();
  const Plan plan = plan_for(model, {replicas.begin(), replicas.end()}, 6, 5);
  const Schedule schedule = schedule_for(plan, static_cast<Order>(order));
  EventLog log;
  runtime::train::TrainOptions options;
  options.steps = 5;
  options.timeline_every = 2;
  QVERIFY(runtime::train_on_cpu(model, plan, schedule, options, log.sink()).has_value());
  const auto measured = log.of<MeasuredTimeline>();
  QCOMPARE(measured.size(), 3u);  // steps 2, 4 and the last
  QCOMPARE(measured.back().step, 5);
  std::size_t all_reduces = 0, transfers = 0, expected_transfers = 0, devices = schedule.lanes.size();
  const Timeline& timeline = measured.back().timeline;
  for (const TimelineLane& lane : timeline.lanes) {
    for (std::size_t i = lane.begin; i < lane.end; ++i) {
      QVERIFY(timeline.start[i] >= 0 && timeline.duration[i] >= 0);
      if (i > lane.begin) QVERIFY(timeline.start[i] >= timeline.start[i - 1] + timeline.duration[i - 1]);
    }
    if (lane.role == LaneRole::collective) all_reduces += lane.size();
    if (lane.role == LaneRole::link) transfers += lane.size();
    if (lane.role != LaneRole::compute) continue;
    const LaneOrder& expected = schedule.lanes[lane.device.index()].order;
    QCOMPARE(lane.size(), static_cast<std::size_t>(operation_count(expected)) + 1);
    for (int i = 0; i < operation_count(expected); ++i)
      QVERIFY(timeline.row(lane.begin + static_cast<std::size_t>(i)).operation == operation_at(expected, i));
    QCOMPARE(timeline.row(lane.end - 1).operation.kind, OpKind::optimizer);
    --devices;
  }
  QCOMPARE(devices, 0u);
  std::size_t expected_all_reduces = 0;
  for (const int r : replicas) expected_all_reduces += r > 1 ? static_cast<std::size_t>(r) : 0;
  QCOMPARE(all_reduces, expected_all_reduces);
  for (qsizetype s = 0; s + 1 < replicas.size(); ++s)  // evenly cut ranges: pairs that overlap
    expected_transfers += static_cast<std::size_t>(
        2 * plan.micro_batches *
        (std::max(replicas[s], replicas[s + 1]) + (replicas[s] == 2 && replicas[s + 1] == 3 ? 1 : 0)));
  QCOMPARE(transfers, expected_transfers);
}

void TestTraining::memory_returns_after_every_step() {
  const ModelSpec model = small_gpt();
  const Plan plan = plan_for(model, {2, 3, 1}, 6, 4);
  const auto run = runtime::train::make_run(model, plan, schedule_for(plan, Order::policy_a),
                                            runtime::train::TrainOptions{}, runtime::cpu::cpu_backend())
                       .value();
  const auto in_use = [&] {
    std::vector<std::int64_t> bytes;
    for (const runtime::exec::Worker& worker : run->workers) bytes.push_back(worker.memory().in_use().count);
    return bytes;
  };
  const auto before = in_use();
  runtime::train::WorkerThreads crew(run);
  for (int step = 0; step < 3; ++step) {
    run->control->begin_step();
    const auto done = crew.step();
    QVERIFY(in_use() == before);
    for (std::size_t i = 0; i < before.size(); ++i) QVERIFY(done->reports[i].peak.count > before[i]);
  }
}

void TestTraining::same_run_gives_the_same_bits() {
  for (const ModelSpec& model : {small_gpt(), small_llama(), small_mixtral(), small_cnn(true), small_lstm(2)}) {
    const Plan plan = plan_for(model, {2, 3}, 6, 4);
    const Trained first = trained(model, plan, Order::policy_a);
    for (int i = 0; i < 3; ++i) {
      const Trained again = trained(model, plan, Order::policy_a);
      QVERIFY(again.parameters.layers == first.parameters.layers);
      QVERIFY(again.losses == first.losses);
    }
  }
}

PIPEDECK_TEST(TestTraining)

}  // namespace pipedeck::tst_training

#include "tst_training.moc"
