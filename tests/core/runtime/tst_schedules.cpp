// SPDX-License-Identifier: Apache-2.0
// Every synchronous schedule of the simulator trains the same mathematics in its own order: random models, stages,
// replicas, shares and recomputation, against one device.
#include <QTest>

#include <random>

#include "tests/core/runtime/schedule_cases.hpp"

using namespace pipedeck;
using namespace pipedeck::test;

namespace {

constexpr int steps = 4;

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int integer(int least, int most) { return std::uniform_int_distribution<int>(least, most)(engine_); }
  bool once_in(int n) { return integer(1, n) == 1; }

  /// `parts` numbers of at least 1 that make up `sum`.
  std::vector<int> shares(int sum, int parts) {
    std::vector<int> shares(static_cast<std::size_t>(parts), 1);
    for (int i = parts; i < sum; ++i) ++shares[static_cast<std::size_t>(integer(0, parts - 1))];
    return shares;
  }

 private:
  std::mt19937 engine_;
};

/// At least as many layers as `stages`.
ModelSpec random_model(Random& random, int stages) {
  if (random.once_in(3)) return small_gpt(std::max(1, stages - 3) + random.integer(0, 1), 8, 4, 10);
  return small_mlp(random.integer(5, 20), stages + random.integer(0, 3), random.integer(3, 9), random.integer(2, 6));
}

/// Ranges of layers of any lengths.
void cut_anywhere(Plan& plan, Random& random) {
  const auto layers = random.shares(plan.stages.back().last, static_cast<int>(plan.stages.size()));
  int next = 0;
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    plan.stages[s].first = next;
    plan.stages[s].last = next += layers[s];
  }
}

void recompute_some(Plan& plan, Random& random) {
  for (Stage& stage : plan.stages) {
    if (random.once_in(3)) stage.recompute.all = true;
    if (stage.recompute.all || !random.once_in(2)) continue;
    for (int layer = stage.first; layer < stage.last; ++layer)
      if (random.once_in(2)) stage.recompute.layers.push_back(LayerId(layer));
  }
}

/// What a kind asks of its placement: stages a rank, micro-batches, as many replicas here as there.
struct Needs {
  int chunks = 1, least_batches = 1, batch_multiple = 1;
  bool even_ranks = false, paired = false;
};
Needs needs_of(ScheduleKind kind, int ranks, Random& random) {
  switch (kind) {
    case ScheduleKind::interleaved:
    case ScheduleKind::adaptive:
      return {random.integer(1, 3), 1, 1, false, false};
    case ScheduleKind::zb_v:
    case ScheduleKind::v_half:
    case ScheduleKind::v_min:
      return {2, 1, 1, false, false};
    case ScheduleKind::dualpipe_v:
      return {2, 2 * ranks, 1, false, false};
    case ScheduleKind::dualpipe:
      return {1, 2 * ranks, 2, true, true};
    case ScheduleKind::chimera:
      return {1, 2, 2, true, true};
    default:
      return {};
  }
}

Plan random_plan(const ModelSpec& model, ScheduleKind kind, int ranks, const Needs& needs, Random& random) {
  std::vector<int> replicas;
  for (int k = 0; k < ranks; ++k) replicas.push_back(random.integer(1, 3));
  for (int k = 0; k < ranks && needs.paired; ++k)
    replicas[static_cast<std::size_t>(ranks - 1 - k)] = replicas[static_cast<std::size_t>(k)];
  const int micro_batch = random.integer(3, 6);
  const int some = random.integer(1, 6);
  const int batches =
      std::max(needs.least_batches, (some + needs.batch_multiple - 1) / needs.batch_multiple * needs.batch_multiple);
  Plan plan = placed_plan(model, kind, replicas, needs.chunks, micro_batch, batches);
  cut_anywhere(plan, random);
  if (random.once_in(2)) recompute_some(plan, random);
  for (Stage& stage : plan.stages)
    if (random.once_in(2)) stage.shares = random.shares(micro_batch, stage.replicas());
  if (random.once_in(2)) plan.warmup = Warmup::B;
  plan.optimizer = random.once_in(2) ? Optimizer::adam : Optimizer::momentum;
  return plan;
}

Plan on_one_device(Plan plan) {
  Stage all;
  all.last = plan.stages.back().last;
  all.devices = {DeviceId(0)};
  plan.stages = {all};
  plan.schedule = ScheduleKind::gpipe;
  plan.chunks.reset();
  plan.operations.reset();
  plan.micro_batch = plan.global_batch;
  plan.micro_batches = 1;
  return plan;
}

/// Empty where all is as it has to be.
QString difference_from_one_device(const ModelSpec& model, const Plan& plan) {
  const Schedule schedule = built(plan);
  if (const auto ends = prove_deadlock_free(schedule, plan); !ends) return QString::fromStdString(ends.error().text());
  const Plan single = on_one_device(plan);
  const Trained expected = trained_with(model, single, built(single), steps);
  const Trained found = trained_with(model, plan, schedule, steps, steps);
  const double parameters = parameter_difference(found.parameters, expected.parameters);
  const double losses = loss_difference(found.log.losses(), expected.log.losses());
  if (parameters > 1e-5 || losses > 1e-5)
    return QString("parameters differ by %1, losses by %2").arg(parameters).arg(losses);
  const auto lanes = lanes_run(found.log);
  if (lanes.size() != schedule.lanes.size()) return "other devices";
  for (const DeviceLane& lane : schedule.lanes) {
    std::vector<Operation> list;
    for (int i = 0; i < operation_count(lane.order); ++i) list.push_back(operation_at(lane.order, i));
    for (Operation& operation : list) operation.joined = false;  // timelines do not say so
    if (lanes.at(lane.device).passes != list) return QString("another order on device %1").arg(lane.device.value);
  }
  return {};
}

}  // namespace

class TestSchedules : public QObject {
  Q_OBJECT
 private slots:
  void every_schedule_trains_the_same_mathematics_data();
  void every_schedule_trains_the_same_mathematics();
  void explicit_lists_train_the_same_mathematics();
  void copies_on_one_device_share_their_weights();
  void stays_on_a_device_is_no_transfer();
};

void TestSchedules::every_schedule_trains_the_same_mathematics_data() {
  QTest::addColumn<int>("kind");
  for (const ScheduleInfo& info : schedules())
    if (!asynchronous(info.kind) && info.kind != ScheduleKind::explicit_order)
      QTest::newRow(info.name.c_str()) << static_cast<int>(info.kind);
}

void TestSchedules::every_schedule_trains_the_same_mathematics() {
  QFETCH(int, kind);
  const auto schedule = static_cast<ScheduleKind>(kind);
  for (unsigned seed = 1; seed <= 25; ++seed) {
    Random random(seed * 100 + static_cast<unsigned>(kind));
    int ranks = random.integer(1, 4);
    if (bidirectional(schedule)) ranks = 2 * random.integer(1, 2);
    const Needs needs = needs_of(schedule, ranks, random);
    const ModelSpec model = random_model(random, ranks * needs.chunks);
    const Plan plan = random_plan(model, schedule, ranks, needs, random);
    const QString wrong = difference_from_one_device(model, plan);
    QVERIFY2(wrong.isEmpty(),
             qPrintable(QString("seed %1, %2: %3").arg(seed).arg(QString::fromStdString(shape_text(plan)), wrong)));
  }
}

/// The lists of another schedule, copies and joined operations and all, as a plan file brings them.
void TestSchedules::explicit_lists_train_the_same_mathematics() {
  for (const ScheduleKind kind : {ScheduleKind::dualpipe, ScheduleKind::zb_v, ScheduleKind::chimera}) {
    Random random(7);
    const Needs needs = needs_of(kind, 2, random);
    const ModelSpec model = small_mlp(12, 6);
    Plan plan = random_plan(model, kind, 2, needs, random);
    const Schedule schedule = built(plan);
    plan.chunks = chunks_of(plan);
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

QTEST_APPLESS_MAIN(TestSchedules)
#include "tst_schedules.moc"
