// SPDX-License-Identifier: Apache-2.0
// A run ends, whatever happens: failing, stuck and stopped workers, and plans that can't be run. The broken layers are
// kinds that this test alone registers.
#include <QTemporaryFile>
#include <QTest>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/layers/sharding.hpp"
#include "core/runtime/train.hpp"
#include "tests/core/runtime/train/training_cases.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_run_ends {

using namespace pipedeck::test;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Passes its input on, and does `on_forward` with the number of the call, from 1.
class Broken final : public runtime::layers::LayerKernel {
 public:
  Broken(std::int64_t width, std::function<void(int)> on_forward)
      : runtime::layers::LayerKernel(width, width, 0), on_forward_(std::move(on_forward)) {}
  void initialise(std::span<float>, Random) const override {}
  runtime::tensor::Tensor forward(runtime::tensor::Tensor input, std::span<const float>,
                                  runtime::layers::SavedTensors&) const override {
    on_forward_(++calls_);
    return input;
  }
  runtime::tensor::Tensor backward_input(runtime::tensor::Tensor gradient, std::span<const float>,
                                         runtime::layers::SavedTensors&, bool) const override {
    return gradient;
  }
  void backward_weight(runtime::layers::SavedTensors&, std::span<float>) const override {}

 private:
  std::function<void(int)> on_forward_;
  mutable std::atomic<int> calls_{0};
};

runtime::layers::KernelRegistry with_broken(const std::function<void(int)>& on_forward) {
  runtime::layers::KernelRegistry kernels = runtime::cpu::cpu_kernel_registry();
  kernels.layers["broken"] =
      [on_forward](const ModelLayer& layer) -> Result<std::unique_ptr<runtime::layers::LayerKernel>> {
    return std::make_unique<Broken>(layer.size("hidden"), on_forward);
  };
  return kernels;
}

/// Takes its time.
class SlowPart final : public runtime::layers::LayerKernel {
 public:
  explicit SlowPart(std::unique_ptr<runtime::layers::LayerKernel> part)
      : runtime::layers::LayerKernel(part->input_width(), part->output_width(), part->parameters()),
        part_(std::move(part)) {}
  std::int64_t replicated_parameters() const override { return part_->replicated_parameters(); }
  std::vector<runtime::layers::ParameterBlock> blocks() const override { return part_->blocks(); }
  void initialise(std::span<float> parameters, Random random) const override { part_->initialise(parameters, random); }
  runtime::tensor::Tensor forward(runtime::tensor::Tensor input, std::span<const float> parameters,
                                  runtime::layers::SavedTensors& saved) const override {
    std::this_thread::sleep_for(std::chrono::seconds(3));
    return part_->forward(std::move(input), parameters, saved);
  }
  runtime::tensor::Tensor backward_input(runtime::tensor::Tensor gradient, std::span<const float> parameters,
                                         runtime::layers::SavedTensors& saved, bool wanted) const override {
    return part_->backward_input(std::move(gradient), parameters, saved, wanted);
  }
  void backward_weight(runtime::layers::SavedTensors& saved, std::span<float> gradients) const override {
    part_->backward_weight(saved, gradients);
  }

 private:
  std::unique_ptr<runtime::layers::LayerKernel> part_;
};

/// The third of four stages, on device 2, is the broken one.
ModelSpec broken_model() {
  ModelSpec model = small_mlp(24, 4);
  model.layers[2] = {"bad one", "broken", {{"hidden", 24}}};
  return model;
}

struct Outcome {
  Result<runtime::train::TrainedParameters> result;
  EventLog log;
  double seconds = 0;
};

Outcome run_broken(const std::function<void(int)>& on_forward, std::chrono::milliseconds timeout) {
  const ModelSpec model = broken_model();
  const Plan plan = plan_for(model, {1, 1, 1, 1}, 4, 3);
  runtime::train::TrainOptions options;
  options.steps = 3;
  options.timeout = timeout;
  EventLog log;
  const auto start = Clock::now();
  auto result = runtime::train_with(runtime::cpu::cpu_backend(with_broken(on_forward)), model, plan,
                                    schedule_for(plan, Order::policy_a), options, log.sink());
  return {std::move(result), std::move(log), seconds_since(start)};
}

class TestRunEnds : public QObject {
  Q_OBJECT
 private slots:
  void a_throwing_worker_fails_the_run();
  void a_stuck_worker_fails_the_run();
  void a_stuck_rank_is_named_and_not_who_waits_for_it();
  void a_stuck_replica_is_named_and_not_who_shares_its_states();
  void a_waiting_cycle_fails_the_run();
  void waiting_for_a_slow_worker_is_no_failure();
  void stopping_ends_a_run();
  void stopping_drops_the_step_at_hand();
  void stopping_before_the_first_step();
  void plans_that_cannot_run_say_why_data();
  void plans_that_cannot_run_say_why();
  void data_that_cannot_be_had_says_why();
  void text_trains();
  void events_tell_the_run();
};

void TestRunEnds::a_throwing_worker_fails_the_run() {
  // Call 5 is micro-batch 1 of the second step.
  const Outcome outcome = run_broken(
      [](int call) {
        if (call == 5) throw std::runtime_error("out of luck");
      },
      std::chrono::seconds(30));
  QVERIFY(!outcome.result);
  QCOMPARE(outcome.result.error().code, ErrorCode::run_failed);
  QCOMPARE(outcome.result.error().message, std::string("device 2: forward of micro-batch 1 on stage 2: out of luck"));
  QVERIFY(outcome.seconds < 1);
  QCOMPARE(outcome.log.of<StepDone>().size(), 1u);
  QVERIFY(std::get<RunFailed>(outcome.log.events.back()).message.find("out of luck") != std::string::npos);
}

void TestRunEnds::a_stuck_worker_fails_the_run() {
  const Outcome outcome =
      run_broken([](int) { std::this_thread::sleep_for(std::chrono::seconds(3)); }, std::chrono::milliseconds(300));
  QVERIFY(!outcome.result);
  QCOMPARE(outcome.result.error().code, ErrorCode::run_failed);
  QVERIFY2(outcome.result.error().message.starts_with("device 2: forward of micro-batch 0 on stage 2 has not ended"),
           outcome.result.error().message.c_str());
  QVERIFY2(outcome.seconds < 2.5, qPrintable(QString::number(outcome.seconds)));
  std::this_thread::sleep_for(std::chrono::seconds(3));  // the thread that was left behind touches nothing freed
}

/// Two devices shard the second stage's layers. The second of them does not return from its first forward, and the
/// first waits for its sum. The error must name the second one, or the cause would stay unknown.
void TestRunEnds::a_stuck_rank_is_named_and_not_who_waits_for_it() {
  const ModelSpec model = small_mlp(24, 4);
  Plan plan = plan_for(model, {1, 2}, 4, 3);
  plan.stages[1].tensor_parallel = 2;
  runtime::layers::KernelRegistry kernels = runtime::cpu::cpu_kernel_registry();
  kernels.sharded["linear"] = [real = kernels.sharded["linear"]](const ModelLayer& layer,
                                                                 const runtime::layers::LayerSharding& sharding) {
    return real(layer, sharding)
        .map(
            [&](std::unique_ptr<runtime::layers::LayerKernel> kernel) -> std::unique_ptr<runtime::layers::LayerKernel> {
              if (sharding.partners.shard().rank == 0) return kernel;
              return std::make_unique<SlowPart>(std::move(kernel));
            });
  };
  runtime::train::TrainOptions options;
  options.timeout = std::chrono::milliseconds(500);
  const auto result = runtime::train_with(runtime::cpu::cpu_backend(kernels), model, plan,
                                          schedule_for(plan, Order::policy_a), options, {});
  QVERIFY(!result);
  QVERIFY2(result.error().message.starts_with("device 2: forward of micro-batch 0 on stage 1 has not ended"),
           result.error().message.c_str());
  std::this_thread::sleep_for(std::chrono::seconds(4));
}

/// With sharded weights, the other replica waits for pieces of the next layer, or for those of gradients.
void TestRunEnds::a_stuck_replica_is_named_and_not_who_shares_its_states() {
  const ModelSpec model = broken_model();
  for (const bool ahead : {false, true})
    for (const int level : {2, 3}) {
      Plan plan = plan_for(model, {2}, 4, 3);
      plan.sharding.level = level;
      if (ahead) plan.choices.emplace();
      runtime::train::TrainOptions options;
      options.timeout = std::chrono::milliseconds(500);
      if (ahead) options.overlap = Overlap::layer;
      const auto stuck = [](int call) {
        if (call == 1) std::this_thread::sleep_for(std::chrono::seconds(3));
      };
      const auto result = runtime::train_with(runtime::cpu::cpu_backend(with_broken(stuck)), model, plan,
                                              schedule_for(plan, Order::policy_a), options, {});
      QVERIFY(!result);
      const QString text = QString::fromStdString(result.error().message);
      QVERIFY2(text.contains("forward of micro-batch 0 on stage 0 has not ended") && !text.contains("has waited"),
               qPrintable(text));
      std::this_thread::sleep_for(std::chrono::seconds(4));
    }
}

void TestRunEnds::a_waiting_cycle_fails_the_run() {
  const ModelSpec model = small_mlp();
  const Plan plan = plan_for(model, {1, 1}, 4, 2);
  Schedule schedule = schedule_for(plan, Order::policy_a);
  // Stage 0 wants the gradient of micro-batch 0 before it sends micro-batch 1; stage 1 begins with micro-batch 1.
  const auto op = [](OpKind kind, int stage, int mb) { return Operation{kind, StageId(stage), mb}; };
  schedule.lanes[0].order = ExplicitOrder{
      {op(OpKind::forward, 0, 0), op(OpKind::backward, 0, 0), op(OpKind::forward, 0, 1), op(OpKind::backward, 0, 1)}};
  schedule.lanes[1].order = ExplicitOrder{
      {op(OpKind::forward, 1, 1), op(OpKind::backward, 1, 1), op(OpKind::forward, 1, 0), op(OpKind::backward, 1, 0)}};
  runtime::train::TrainOptions options;
  options.timeout = std::chrono::milliseconds(200);
  const auto result = runtime::train_on_cpu(model, plan, schedule, options, {});
  QVERIFY(!result);
  const QString text = QString::fromStdString(result.error().message);
  QVERIFY2(
      text.contains("device 0: backward of micro-batch 0 on stage 0 has waited") && text.contains("for the gradient"),
      qPrintable(text));
  QVERIFY2(
      text.contains("device 1: forward of micro-batch 1 on stage 1 has waited") && text.contains("for the activation"),
      qPrintable(text));
}

void TestRunEnds::waiting_for_a_slow_worker_is_no_failure() {
  // Nine forwards of 100 ms: device 3 and 0 wait longer than the time-out in all, but never without progress.
  const Outcome outcome = run_broken([](int) { std::this_thread::sleep_for(std::chrono::milliseconds(100)); },
                                     std::chrono::milliseconds(250));
  QVERIFY2(outcome.result.has_value(), outcome.result ? "" : outcome.result.error().message.c_str());
}

void TestRunEnds::stopping_ends_a_run() {
  const ModelSpec model = small_mlp();
  const Plan plan = plan_for(model, {1, 2}, 4, 3);
  runtime::train::TrainOptions options;
  options.steps = 100000000;
  std::stop_source stop;
  EventLog log;
  Clock::time_point asked{};
  const auto sink = [&](const RunEvent& event) {
    log.events.push_back(event);
    if (const auto* done = std::get_if<StepDone>(&event); done != nullptr && done->step == 10) {
      asked = Clock::now();
      stop.request_stop();
    }
  };
  const auto result =
      runtime::train_on_cpu(model, plan, schedule_for(plan, Order::policy_a), options, sink, stop.get_token());
  QVERIFY(result.has_value());
  QVERIFY(seconds_since(asked) < 1);
  const auto finished = std::get<RunFinished>(log.events.back());
  QVERIFY(finished.stopped);
  QCOMPARE(finished.steps, 10);
}

void TestRunEnds::stopping_drops_the_step_at_hand() {
  const ModelSpec model = broken_model();
  const Plan plan = plan_for(model, {1, 1, 1, 1}, 4, 3);
  const Schedule schedule = schedule_for(plan, Order::policy_a);
  runtime::train::TrainOptions options;
  options.steps = 2;
  const auto two_steps =
      runtime::train_with(runtime::cpu::cpu_backend(with_broken([](int) {})), model, plan, schedule, options, {});
  std::stop_source stop;
  EventLog log;
  options.steps = 100;
  // Call 8 is in the middle of the third step.
  const auto kernels = with_broken([&](int call) {
    if (call == 8) stop.request_stop();
  });
  const auto result = runtime::train_with(runtime::cpu::cpu_backend(kernels), model, plan, schedule, options,
                                          log.sink(), stop.get_token());
  QVERIFY(result.has_value());
  QVERIFY(std::get<RunFinished>(log.events.back()).stopped);
  QCOMPARE(log.of<StepDone>().size(), 2u);
  QVERIFY(result->layers == two_steps->layers);  // weights of whole steps
}

void TestRunEnds::stopping_before_the_first_step() {
  const ModelSpec model = small_mlp();
  const Plan plan = plan_for(model, {1, 1}, 4, 3);
  std::stop_source stop;
  stop.request_stop();
  EventLog log;
  QVERIFY(runtime::train_on_cpu(model, plan, schedule_for(plan, Order::gpipe), {}, log.sink(), stop.get_token())
              .has_value());
  const auto finished = std::get<RunFinished>(log.events.back());
  QVERIFY(finished.stopped);
  QCOMPARE(finished.steps, 0);
}

void TestRunEnds::plans_that_cannot_run_say_why_data() {
  QTest::addColumn<int>("which");
  QTest::addColumn<QString>("place");
  QTest::addColumn<QString>("expected");
  QTest::newRow("tensor parallel") << 0 << "/stages/1/tensor_parallel"
                                   << "found 2, expected a divisor of the stage's 1 devices";
  QTest::newRow("asynchronous") << 1 << "/schedule"
                                << "the plan's 1f1b is synchronous, the schedule asynchronous";
  QTest::newRow("zero") << 3 << "/zero"
                        << "found 4, expected a whole number from 0 to 3";
  QTest::newRow("batch") << 4 << "/micro_batch"
                         << "expected a divisor of global_batch, 13";
  QTest::newRow("short") << 5 << "/stages"
                         << "end at layer 4, the model has 5";
  QTest::newRow("gap") << 6 << "/stages/1/layers"
                       << "expected a range that begins at 2";
  QTest::newRow("device twice") << 7 << "/stages/1/devices/0"
                                << "device 0 a second time";
  QTest::newRow("shares") << 8 << "/stages/0/shares"
                          << "expected micro_batch, 4";
  QTest::newRow("too many replicas") << 9 << "/stages/0/devices"
                                     << "5 replicas";
  QTest::newRow("order") << 10 << "/order"
                         << "chain";
  QTest::newRow("no lane") << 11 << "/stages"
                           << "no lane for device 1";
  QTest::newRow("missing backward") << 12 << "/operations"
                                    << "every micro-batch";
  QTest::newRow("backward first") << 13 << "/operations"
                                  << "position 0";
  QTest::newRow("no loss") << 14 << "/layers/4"
                           << "ends in its loss";
  QTest::newRow("loss of other width") << 15 << "/layers/5"
                                       << "takes 5 values per sample";
}

void TestRunEnds::plans_that_cannot_run_say_why() {
  QFETCH(int, which);
  QFETCH(QString, place);
  QFETCH(QString, expected);
  ModelSpec model = small_mlp();
  Plan plan = plan_for(model, {1, 1}, 4, 3);
  Schedule schedule = schedule_for(plan, Order::gpipe);
  switch (which) {
    case 0:
      plan.stages[1].tensor_parallel = 2;
      break;
    case 1:
      schedule.synchronous = false;
      break;
    case 3:
      plan.zero = 4;
      break;
    case 4:
      plan.global_batch = 13;
      break;
    case 5:
      plan.stages[1].last = 4;
      break;
    case 6:
      plan.stages[1].first = 3;
      break;
    case 7:
      plan.stages[1].devices = {DeviceId(0)};
      break;
    case 8:
      plan.stages[0].samples_per_replica = std::vector<int>{3};
      break;
    case 9:
      for (int d = 2; d < 6; ++d) plan.stages[0].devices.push_back(DeviceId(d));
      break;
    case 10:
      plan.order = std::vector<LayerId>{LayerId(1), LayerId(0), LayerId(2), LayerId(3), LayerId(4)};
      break;
    case 11:
      schedule.lanes.pop_back();
      break;
    case 12:
      schedule.lanes[0].order = ExplicitOrder{};
      break;
    case 13:
      schedule.lanes[0].order = ExplicitOrder{{{OpKind::backward, StageId(0), 0}}};
      break;
    case 14:
      model.layers.pop_back(), plan.stages[1].last = 5;
      break;
    case 15:
      model.layers.back().sizes["classes"] = 5;
      break;
  }
  EventLog log;
  const auto result = runtime::train_on_cpu(model, plan, schedule, {}, log.sink());
  QVERIFY(!result);
  QCOMPARE(result.error().code, ErrorCode::bad_input);
  QCOMPARE(QString::fromStdString(result.error().place), place);
  QVERIFY2(QString::fromStdString(result.error().message).contains(expected), result.error().message.c_str());
  QCOMPARE(log.events.size(), 1u);
  QVERIFY(std::holds_alternative<RunFailed>(log.events[0]));
}

void TestRunEnds::data_that_cannot_be_had_says_why() {
  ModelSpec model = small_gpt(1, 16, 8, 256);
  const Plan plan = plan_for(model, {1}, 4, 1);
  const Schedule schedule = schedule_for(plan, Order::gpipe);
  const auto error = [&] { return runtime::train_on_cpu(model, plan, schedule, {}, {}).error(); };
  model.data.kind = "pictures";
  QCOMPARE(error().place, std::string("/data/kind"));
  model.data = {"text", "/no/such/file", 1};
  QCOMPARE(error().code, ErrorCode::bad_input);
  QCOMPARE(error().file, std::string("/no/such/file"));
  model = small_mlp();
  model.data.kind = "text";
  QCOMPARE(error().code, ErrorCode::bad_input);
}

void TestRunEnds::text_trains() {
  QTemporaryFile file;
  QVERIFY(file.open());
  for (int i = 0; i < 200; ++i) file.write("the quick brown fox ");
  file.flush();
  ModelSpec model = small_gpt(1, 16, 8, 256);
  model.data = {"text", file.fileName().toStdString(), 1};
  const Plan plan = plan_for(model, {1, 1}, 8, 2);
  runtime::train::TrainOptions options;
  options.steps = 60;
  EventLog log;
  QVERIFY(runtime::train_on_cpu(model, plan, schedule_for(plan, Order::policy_a), options, log.sink()).has_value());
  QVERIFY(log.losses().back() < 0.6 * log.losses().front());
}

void TestRunEnds::events_tell_the_run() {
  const ModelSpec model = small_mlp();
  const Plan plan = plan_for(model, {40}, 40, 1);  // more than cores, nearly everywhere
  runtime::train::TrainOptions options;
  options.steps = 3;
  EventLog log;
  QVERIFY(runtime::train_on_cpu(model, plan, schedule_for(plan, Order::gpipe), options, log.sink()).has_value());
  QCOMPARE(std::get<RunStarted>(log.events.front()), (RunStarted{"test", "small MLP", "cpu", 3, 40}));
  QCOMPARE(log.of<RunWarning>().size(), std::thread::hardware_concurrency() < 40 ? 1u : 0u);
  const auto done = log.of<StepDone>();
  QCOMPARE(done.size(), 3u);
  for (std::size_t i = 0; i < done.size(); ++i) {
    QCOMPARE(done[i].step, static_cast<int>(i) + 1);
    QCOMPARE(done[i].busy_fraction.size(), 40u);
    QCOMPARE(done[i].memory.size(), 40u);
    for (const double busy : done[i].busy_fraction) QVERIFY(busy > 0 && busy <= 1);
    QVERIFY(std::abs(done[i].samples_per_second * done[i].duration.count - 40) < 1e-9);
  }
  const auto finished = std::get<RunFinished>(log.events.back());
  QCOMPARE(finished.steps, 3);
  QVERIFY(!finished.stopped && finished.loss == done.back().loss && finished.median_step.count > 0);
}

PIPEDECK_TEST(TestRunEnds)

}  // namespace pipedeck::tst_run_ends

#include "tst_run_ends.moc"
