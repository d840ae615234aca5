// SPDX-License-Identifier: Apache-2.0
// Every synchronous schedule of the simulator trains the same mathematics in its own order: random models, stages,
// replicas, shares and recomputation, against one device.
#include <QTest>

#include <chrono>
#include <limits>
#include <thread>

#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/exec/gradient_buckets.hpp"
#include "core/runtime/train.hpp"
#include "tests/core/runtime/random_plans.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_schedules {

using namespace pipedeck::test;

class TestSchedules : public QObject {
  Q_OBJECT
 private slots:
  void every_schedule_trains_the_same_mathematics_data();
  void every_schedule_trains_the_same_mathematics();
  void explicit_lists_train_the_same_mathematics();
  void copies_on_one_device_share_their_weights();
  void stays_on_a_device_is_no_transfer();
  void overlapped_all_reduces_give_the_same_bits_data();
  void overlapped_all_reduces_give_the_same_bits();
  void gradients_are_gathered_in_pieces();
  void all_reduces_run_beside_backward_passes();
};

void TestSchedules::every_schedule_trains_the_same_mathematics_data() {
  QTest::addColumn<int>("kind");
  for (const ScheduleTraits& info : all_schedules)
    if (!asynchronous(info.kind) && info.kind != ScheduleKind::explicit_order)
      QTest::newRow(info.name.data()) << static_cast<int>(info.kind);
}

void TestSchedules::every_schedule_trains_the_same_mathematics() {
  QFETCH(int, kind);
  const auto schedule = static_cast<ScheduleKind>(kind);
  for (unsigned seed = 1; seed <= 25; ++seed) {
    Draw random(seed * 100 + static_cast<unsigned>(kind));
    int ranks = random.integer(1, 4);
    if (bidirectional(schedule)) ranks = 2 * random.integer(1, 2);
    const Needs needs = needs_of(schedule, ranks, random);
    const ModelSpec model = random_model(random, ranks * needs.chunks);
    const Plan plan = random_plan(model, schedule, ranks, needs, random);
    const QString wrong = difference_from_one_device(model, plan);
    QVERIFY2(
        wrong.isEmpty(),
        qPrintable(QString("seed %1, %2: %3").arg(seed).arg(QString::fromStdString(stage_shape_text(plan)), wrong)));
  }
}

/// The lists of another schedule, copies and joined operations and all, as a plan file brings them.
void TestSchedules::explicit_lists_train_the_same_mathematics() {
  for (const ScheduleKind kind : {ScheduleKind::dualpipe, ScheduleKind::zb_v, ScheduleKind::chimera}) {
    Draw random(7);
    const Needs needs = needs_of(kind, 2, random);
    const ModelSpec model = small_mlp(12, 6);
    Plan plan = random_plan(model, kind, 2, needs, random);
    const Schedule schedule = built(plan);
    plan.chunks = stage_copies(plan);
    plan.schedule = ScheduleKind::explicit_order;
    plan.operations.emplace();
    for (const DeviceLane& lane : schedule.lanes)
      plan.operations->push_back(std::get<ExplicitOrder>(lane.order).operations);
    const QString wrong = difference_from_one_device(model, plan);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
  }
}

void TestSchedules::copies_on_one_device_share_their_weights() {
  const ModelSpec model = small_mlp(12, 4);
  Plan plan = placed_plan(model, ScheduleKind::explicit_order, {1, 1}, 1, 3, 4);
  plan.chunks.emplace();
  for (int s = 0; s < 2; ++s)
    for (int copy = 0; copy < 2; ++copy)
      plan.chunks->push_back({StageId(s), copy, plan.stages[static_cast<std::size_t>(s)].devices});
  plan.operations.emplace();
  for (int s = 0; s < 2; ++s) {
    plan.operations->emplace_back();
    for (const OpKind kind : {OpKind::forward, OpKind::backward})
      for (int m = 0; m < 4; ++m) plan.operations->back().push_back({kind, StageId(s), m});
  }
  const QString wrong = difference_from_one_device(model, plan);
  QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
}

void TestSchedules::stays_on_a_device_is_no_transfer() {
  const ModelSpec model = small_mlp(12, 6);
  const Plan plan = placed_plan(model, ScheduleKind::zb_v, {1, 1}, 2, 3, 5);
  const Trained found = trained_with(model, plan, built(plan), 2);
  const Timeline timeline = found.log.of<MeasuredTimeline>().back().timeline;
  std::size_t transfers = 0;
  for (const TimelineLane& lane : timeline.lanes) {
    if (lane.role != LaneRole::link) continue;
    QVERIFY(lane.device != lane.to);
    transfers += lane.size();
  }
  QCOMPARE(transfers, 2u * 2u * 5u);  // two of three boundaries, both ways
}

void TestSchedules::overlapped_all_reduces_give_the_same_bits_data() {
  QTest::addColumn<int>("kind");
  QTest::addColumn<QList<int>>("replicas");
  QTest::newRow("1f1b") << static_cast<int>(ScheduleKind::one_f_one_b) << QList<int>{2, 3};
  QTest::newRow("zb-h1") << static_cast<int>(ScheduleKind::zb_h1) << QList<int>{2, 2};
  QTest::newRow("zb-v") << static_cast<int>(ScheduleKind::zb_v) << QList<int>{2, 3};
  QTest::newRow("chimera") << static_cast<int>(ScheduleKind::chimera) << QList<int>{2, 1, 1, 2};
  QTest::newRow("dualpipe") << static_cast<int>(ScheduleKind::dualpipe) << QList<int>{1, 1};
}

void TestSchedules::overlapped_all_reduces_give_the_same_bits() {
  QFETCH(int, kind);
  QFETCH(QList<int>, replicas);
  const auto schedule_kind = static_cast<ScheduleKind>(kind);
  const ModelSpec model = small_gpt(5);
  const Plan plan = placed_plan(model, schedule_kind, {replicas.begin(), replicas.end()},
                                schedule_kind == ScheduleKind::zb_v ? 2 : 1, 6, 4);
  const Schedule schedule = built(plan);
  const auto with = [&](Overlap overlap) {
    runtime::train::TrainOptions options;
    options.steps = 4;
    options.overlap = overlap;
    options.bucket = Bytes(6000);
    Trained result;
    result.parameters = runtime::train_on_cpu(model, plan, schedule, options, result.log.sink()).value();
    return result;
  };
  const auto all_reduces = [](const EventLog& log) {
    const Timeline timeline = log.of<MeasuredTimeline>().back().timeline;
    return std::count(timeline.kind.begin(), timeline.kind.end(), OpKind::all_reduce);
  };
  const Trained none = with(Overlap::none), layer = with(Overlap::layer), bucket = with(Overlap::bucket);
  QVERIFY(layer.parameters.layers == none.parameters.layers && layer.log.losses() == none.log.losses());
  QVERIFY(bucket.parameters.layers == none.parameters.layers && bucket.log.losses() == none.log.losses());
  QVERIFY(all_reduces(none.log) < all_reduces(bucket.log) && all_reduces(bucket.log) < all_reduces(layer.log));
}

void TestSchedules::gradients_are_gathered_in_pieces() {
  const std::vector<Bytes> layers{Bytes(10), Bytes(0), Bytes(40), Bytes(30), Bytes(0)};
  using Pieces = std::vector<runtime::exec::GradientBucket>;
  QVERIFY(runtime::exec::gradient_buckets(layers, Overlap::none, Bytes(50)).empty());
  QVERIFY((runtime::exec::gradient_buckets(layers, Overlap::layer, Bytes(50)) == Pieces{{3, 5}, {2, 3}, {0, 2}}));
  QVERIFY((runtime::exec::gradient_buckets(layers, Overlap::bucket, Bytes(50)) == Pieces{{2, 5}, {0, 2}}));
  QVERIFY((runtime::exec::gradient_buckets(layers, Overlap::bucket, Bytes(1000)) == Pieces{{0, 5}}));
  QVERIFY(runtime::exec::gradient_buckets({Bytes(0)}, Overlap::layer, Bytes(50)).empty());
}

/// The first layers' weight gradients take long: meanwhile the last layers' are reduced.
void TestSchedules::all_reduces_run_beside_backward_passes() {
  class Slow final : public runtime::layers::LayerKernel {
   public:
    Slow() : runtime::layers::LayerKernel(12, 12, 0) {}
    void initialise(std::span<float>, pipedeck::Random) const override {}
    runtime::tensor::Tensor forward(runtime::tensor::Tensor input, std::span<const float>,
                                    runtime::layers::SavedTensors&) const override {
      return input;
    }
    runtime::tensor::Tensor backward_input(runtime::tensor::Tensor gradient, std::span<const float>,
                                           runtime::layers::SavedTensors&, bool) const override {
      return gradient;
    }
    void backward_weight(runtime::layers::SavedTensors&, std::span<float>) const override {
      std::this_thread::sleep_for(std::chrono::milliseconds(150));
    }
  };
  ModelSpec model = small_mlp(12, 4);
  model.layers[1] = {"slow", "slow", {{"hidden", 12}}};
  runtime::layers::KernelRegistry kernels = runtime::cpu::cpu_kernel_registry();
  kernels.layers["slow"] = [](const ModelLayer&) -> Result<std::unique_ptr<runtime::layers::LayerKernel>> {
    return std::make_unique<Slow>();
  };
  const Plan plan = placed_plan(model, ScheduleKind::one_f_one_b, {2}, 1, 4, 1);
  runtime::train::TrainOptions options;
  options.overlap = Overlap::layer;
  EventLog log;
  QVERIFY(runtime::train_with(runtime::cpu::cpu_backend(kernels), model, plan, built(plan), options, log.sink())
              .has_value());
  const Timeline timeline = log.of<MeasuredTimeline>().back().timeline;
  std::int64_t backward_end = 0, first_reduced = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    if (timeline.kind[i] == OpKind::backward) backward_end = std::max(backward_end, timeline.row(i).end().count);
    if (timeline.kind[i] == OpKind::all_reduce) first_reduced = std::min(first_reduced, timeline.row(i).end().count);
  }
  QVERIFY(first_reduced < backward_end);
}

PIPEDECK_TEST(TestSchedules)

}  // namespace pipedeck::tst_schedules

#include "tst_schedules.moc"
