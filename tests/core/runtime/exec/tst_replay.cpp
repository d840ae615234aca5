// SPDX-License-Identifier: Apache-2.0
// A replay: passes take their given times on the processor's clock, with memory and transfers of the right sizes.
#include <QTest>

#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/exec/replay.hpp"
#include "core/runtime/train.hpp"
#include "tests/core/runtime/train/training_cases.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_replay {

using namespace pipedeck::test;

/// Times grow with the samples; 1 ms, 2 ms and 1 ms for two of them.
runtime::exec::ReplayTimes times_of(int samples) {
  const double unit = 0.0005 * samples;
  return {Seconds(unit), Seconds(2 * unit), Seconds(unit)};
}

runtime::exec::ReplayModel two_layers() {
  return runtime::exec::make_replay("two",
                                    {{"a", Bytes(2 * 4000), Bytes(2 * 12000), Bytes(2 * 800), Bytes(40000), times_of},
                                     {"b", Bytes(2 * 8), Bytes(2 * 6000), Bytes(), Bytes(20000), times_of}},
                                    2);
}

class TestReplay : public QObject {
  Q_OBJECT
 private slots:
  void passes_take_their_time();
  void memory_has_the_profiles_sizes();
  void recompute_and_apart_gradients_run();
  void sizes_are_rounded_up_to_floats();
};

void TestReplay::passes_take_their_time() {
  const runtime::exec::ReplayModel replay = two_layers();
  const Plan plan = plan_for(replay.model, {1, 1}, 2, 4);
  runtime::train::TrainOptions options;
  options.steps = 3;
  options.timeline_every = 1;
  EventLog log;
  QVERIFY(runtime::train_with(runtime::cpu::cpu_backend(replay.kernels), replay.model, plan,
                              schedule_for(plan, Order::gpipe), options, log.sink()));
  int forwards = 0, backwards = 0;
  for (const MeasuredTimeline& step : log.of<MeasuredTimeline>())
    for (std::size_t i = 0; i < step.timeline.size(); ++i) {
      const double ms = in_milliseconds(to_seconds(step.timeline.row(i).duration));
      const OpKind kind = step.timeline.kind[i];
      // Both gradients, also of the model's first layer: its profile has no time without the input's.
      if (kind == OpKind::forward) QVERIFY2(++forwards && ms >= 1, qPrintable(QString::number(ms)));
      if (kind == OpKind::backward) QVERIFY2(++backwards && ms >= 3, qPrintable(QString::number(ms)));
    }
  QCOMPARE(forwards, 3 * 2 * 4);
  QCOMPARE(backwards, 3 * 2 * 4);
}

void TestReplay::memory_has_the_profiles_sizes() {
  const runtime::exec::ReplayModel replay = two_layers();
  const Plan plan = plan_for(replay.model, {1, 1}, 2, 4);
  EventLog log;
  QVERIFY(runtime::train_with(runtime::cpu::cpu_backend(replay.kernels), replay.model, plan,
                              schedule_for(plan, Order::gpipe), {}, log.sink()));
  const StepDone step = log.of<StepDone>()[0];
  // Weights, gradients and Adam's two; four micro-batches kept; of the first stage the output on its way.
  const std::int64_t first = 4 * 40000 + 4 * 2 * 12000, second = 4 * 20000 + 4 * 2 * 6000;
  QVERIFY2(step.memory[0].count >= first && step.memory[0].count <= first + 2 * (4000 + 12000 + 800),
           qPrintable(QString::number(step.memory[0].count)));
  QVERIFY2(step.memory[1].count >= second && step.memory[1].count <= second + 4 * 2 * 4000 + 2 * 6000 + 64,
           qPrintable(QString::number(step.memory[1].count)));
}

void TestReplay::recompute_and_apart_gradients_run() {
  const runtime::exec::ReplayModel replay = two_layers();
  Plan plan = plan_for(replay.model, {1, 1}, 2, 4);
  for (Stage& stage : plan.stages) stage.recompute.all = true;
  EventLog log;
  QVERIFY(runtime::train_with(runtime::cpu::cpu_backend(replay.kernels), replay.model, plan,
                              schedule_for(plan, Order::policy_b), {}, log.sink()));
  QVERIFY(log.of<StepDone>()[0].memory[0].count < 4 * 40000 + 4 * 2 * 12000);
}

void TestReplay::sizes_are_rounded_up_to_floats() {
  const runtime::exec::ReplayModel replay =
      runtime::exec::make_replay("odd",
                                 {{"a", Bytes(3), Bytes(0), Bytes(1), Bytes(5), times_of},
                                  {"b", Bytes(0), Bytes(0), Bytes(0), Bytes(0), times_of}},
                                 1);
  const auto layers = runtime::layers::make_layers(replay.model, replay.kernels);
  QVERIFY(layers.has_value());
  QCOMPARE(layers->at(0)->output_width(), std::int64_t{1});
  QCOMPARE(layers->at(0)->parameters(), std::int64_t{2});
  QCOMPARE(layers->at(1)->input_width(), std::int64_t{1});
  QCOMPARE(layers->at(1)->output_width(), std::int64_t{2});  // the loss's classes
}

PIPEDECK_TEST(TestReplay)

}  // namespace pipedeck::tst_replay

#include "tst_replay.moc"
