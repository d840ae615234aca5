// SPDX-License-Identifier: Apache-2.0
// Every synchronous schedule of the simulator trains the same mathematics in its own order: random models, stages,
// replicas, shares and recomputation, against one device.
#include <QTest>

#include "tests/core/runtime/random_plans.hpp"

using namespace pipedeck;
using namespace pipedeck::test;

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
    Draw random(seed * 100 + static_cast<unsigned>(kind));
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
    Draw random(7);
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
