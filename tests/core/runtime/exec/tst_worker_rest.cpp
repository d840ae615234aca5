// SPDX-License-Identifier: Apache-2.0
// A run avoids these actions: allocating system memory after its first steps, keeping a processor busy while it waits,
// sending between chunks of one device.
#include <QTest>

#include <chrono>
#include <ctime>
#include <thread>

#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/machine/cores.hpp"
#include "core/runtime/train.hpp"
#include "core/runtime/train/run.hpp"
#include "tests/core/runtime/train/schedule_cases.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_worker_rest {

using namespace pipedeck::test;

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::vector<std::int64_t> allocations(const runtime::train::Run& run) {
  std::vector<std::int64_t> counts;
  for (const runtime::exec::Worker& worker : run.workers) counts.push_back(worker.memory().allocations());
  return counts;
}

/// Passes its input on; each forward takes a while in which nothing is computed.
class Asleep final : public runtime::layers::LayerKernel {
 public:
  explicit Asleep(std::int64_t width) : runtime::layers::LayerKernel(width, width, 0) {}
  void initialise(std::span<float>, Random) const override {}
  runtime::tensor::Tensor forward(runtime::tensor::Tensor input, std::span<const float>,
                                  runtime::layers::SavedTensors&) const override {
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    return input;
  }
  runtime::tensor::Tensor backward_input(runtime::tensor::Tensor gradient, std::span<const float>,
                                         runtime::layers::SavedTensors&, bool) const override {
    return gradient;
  }
  void backward_weight(runtime::layers::SavedTensors&, std::span<float>) const override {}
};

class TestWorkerRest : public QObject {
  Q_OBJECT
 private slots:
  void buffers_are_allocated_once_data();
  void buffers_are_allocated_once();
  void waiting_costs_no_processor_time_data();
  void waiting_costs_no_processor_time();
  void who_has_a_core_looks_before_sleeping();
};

void TestWorkerRest::buffers_are_allocated_once_data() {
  QTest::addColumn<int>("kind");
  QTest::addColumn<QList<int>>("replicas");
  QTest::addColumn<int>("chunks");
  QTest::newRow("one device") << static_cast<int>(ScheduleKind::gpipe) << QList<int>{1} << 1;
  QTest::newRow("gpipe") << static_cast<int>(ScheduleKind::gpipe) << QList<int>{1, 1, 1} << 1;
  QTest::newRow("1f1b") << static_cast<int>(ScheduleKind::one_f_one_b) << QList<int>{1, 1, 1} << 1;
  QTest::newRow("unlike replicas") << static_cast<int>(ScheduleKind::one_f_one_b) << QList<int>{2, 3, 1} << 1;
  QTest::newRow("zb-h1") << static_cast<int>(ScheduleKind::zb_h1) << QList<int>{1, 2} << 1;
  QTest::newRow("zb-v") << static_cast<int>(ScheduleKind::zb_v) << QList<int>{1, 1} << 2;
  QTest::newRow("chimera") << static_cast<int>(ScheduleKind::chimera) << QList<int>{2, 2} << 1;
  QTest::newRow("pipedream") << static_cast<int>(ScheduleKind::pipedream) << QList<int>{2, 1} << 1;
  QTest::newRow("pipedream-vertical") << static_cast<int>(ScheduleKind::pipedream_vertical) << QList<int>{1, 2} << 1;
  QTest::newRow("pipedream-2bw") << static_cast<int>(ScheduleKind::pipedream_2bw) << QList<int>{1, 1} << 1;
}

void TestWorkerRest::buffers_are_allocated_once() {
  QFETCH(int, kind);
  QFETCH(QList<int>, replicas);
  QFETCH(int, chunks);
  constexpr int steps = 40, warm = 10;
  const ModelSpec model = small_gpt(4);
  const auto schedule = static_cast<ScheduleKind>(kind);
  const Plan plan = placed_plan(model, schedule, {replicas.begin(), replicas.end()}, chunks, 6, 6);
  runtime::train::TrainOptions options;
  options.steps = steps;
  const auto run = runtime::train::make_run(model, plan, built(plan), options, runtime::cpu::cpu_backend()).value();
  runtime::train::WorkerThreads crew(run);
  // The second step begins with the buffers for messages. Asynchronous devices are not in step with one another.
  const int settled = asynchronous(schedule) ? warm : 2;
  std::vector<std::int64_t> before;
  for (int step = 1; step <= steps; ++step) {
    if (step == 1 || !asynchronous(schedule)) run->control->begin_step();
    QVERIFY(crew.step().has_value());
    if (step == settled) before = allocations(*run);
  }
  QVERIFY(before.front() > 0);
  QCOMPARE(allocations(*run), before);
}

void TestWorkerRest::waiting_costs_no_processor_time_data() {
  QTest::addColumn<QList<int>>("replicas");
  QTest::newRow("for an activation and a gradient") << QList<int>{1, 1};
  QTest::newRow("for other replicas") << QList<int>{1, 3};
}

void TestWorkerRest::waiting_costs_no_processor_time() {
  QFETCH(QList<int>, replicas);
  ModelSpec model = small_mlp(24, 4);
  model.layers[2] = {"asleep", "asleep", {{"hidden", 24}}};
  runtime::layers::KernelRegistry kernels = runtime::cpu::cpu_kernel_registry();
  kernels.layers["asleep"] = [](const ModelLayer&) -> Result<std::unique_ptr<runtime::layers::LayerKernel>> {
    return std::make_unique<Asleep>(24);
  };
  const Plan plan = placed_plan(model, ScheduleKind::one_f_one_b, {replicas.begin(), replicas.end()}, 1, 3, 2);
  const Schedule schedule = built(plan);
  runtime::train::TrainOptions options;
  options.steps = 0;
  QVERIFY(runtime::train_with(runtime::cpu::cpu_backend(kernels), model, plan, schedule, options, {})
              .has_value());  // code and threads are there now
  options.steps = 2;
  const double before = processor_seconds();
  const auto start = std::chrono::steady_clock::now();
  QVERIFY(runtime::train_with(runtime::cpu::cpu_backend(kernels), model, plan, schedule, options, {}).has_value());
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double used = processor_seconds() - before;
  QVERIFY(wall > 2.8);
  QVERIFY2(used < 0.05 * wall, qPrintable(QString("%1 s of processor time in %2 s").arg(used).arg(wall)));
}

void TestWorkerRest::who_has_a_core_looks_before_sleeping() {
  const std::size_t cores = runtime::machine::usable_cores().size();
  int looks = 0;
  const auto at_the_third = [&] { return ++looks == 3; };
  const auto looks_of = [&](std::size_t threads, auto look) {
    runtime::transport::RunControl control(std::chrono::seconds(1),
                                           {DeviceId(0)});  // each its own: a lost core puts an end to looking
    if (threads > 0) control.enable_spin_wait(threads);
    looks = 0;
    look(control);
    return looks;
  };
  const auto look = [&](const runtime::transport::RunControl& control) { control.spin_until(at_the_third); };
  const auto make_way = [&](const runtime::transport::RunControl& control) {
    control.spin_until_yielding(at_the_third);
  };
  QCOMPARE(looks_of(0, look), 0);  // without a core of its own
  QCOMPARE(looks_of(cores + 1, look), 0);
  QCOMPARE(looks_of(cores, look), 3);
  QCOMPARE(looks_of(cores + 1, make_way), 0);
  QCOMPARE(looks_of(cores, make_way), 3);
  QVERIFY(looks_of(cores, [&](const runtime::transport::RunControl& control) {
            control.spin_until([&] { return ++looks < 0; });
          }) > 3);  // ends

  // A worker that lost its core stops polling.
  const auto loses = [&](const runtime::transport::RunControl& control) {
    control.spin_until([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      return true;
    });
    control.spin_until(at_the_third);
  };
  QCOMPARE(looks_of(cores, loses), 0);
}

PIPEDECK_TEST(TestWorkerRest)

}  // namespace pipedeck::tst_worker_rest

#include "tst_worker_rest.moc"
