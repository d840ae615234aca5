// SPDX-License-Identifier: Apache-2.0
#include <QtTest/QTest>

#include <algorithm>
#include <functional>
#include <map>

#include "core/schedule/build.hpp"
#include "core/schedule/builders.hpp"
#include "tests/support/pipeline_plan.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_schedule {

/// Stages of the given numbers of devices, numbered in order, one layer each.
Plan plan_of(const std::vector<int>& replicas, int micro_batches, ScheduleKind schedule = ScheduleKind::one_f_one_b) {
  return test::pipeline_plan(replicas, 12, micro_batches, schedule);
}

/// "F0 F1 B0 ...", one lane.
std::string text_of(const DeviceLane& lane) {
  static const std::map<OpKind, char> letters{
      {OpKind::forward, 'F'}, {OpKind::backward, 'B'}, {OpKind::recompute, 'R'}};
  std::string text;
  for (int i = 0; i < operation_count(lane.order); ++i) {
    const Operation operation = operation_at(lane.order, i);
    text += (i ? " " : "") + std::string(1, letters.at(operation.kind)) + std::to_string(operation.micro_batch);
  }
  return text;
}

std::vector<schedule::StageEstimates> fitting(const std::vector<int>& counts) {
  std::vector<schedule::StageEstimates> figures;
  for (const int count : counts) figures.emplace_back().max_in_flight = count;
  return figures;
}
std::vector<schedule::StageEstimates> plenty(const Plan& plan) {
  return fitting(std::vector<int>(plan.stages.size(), 1'000'000));
}

Schedule built(const Plan& plan) { return schedule::build_schedule(plan, plenty(plan)).value(); }

/// Returns the schedule as stored lists.
Plan as_explicit(Plan plan) {
  const Schedule schedule = built(plan);
  plan.schedule = ScheduleKind::explicit_order;
  plan.operations.emplace();
  for (const DeviceLane& lane : schedule.lanes) {
    plan.operations->emplace_back();
    for (int i = 0; i < operation_count(lane.order); ++i)
      plan.operations->back().push_back(operation_at(lane.order, i));
  }
  return plan;
}

class TestSchedule : public QObject {
  Q_OBJECT
 private slots:
  void gpipe() {
    const Schedule schedule = built(plan_of({1, 1}, 3, ScheduleKind::gpipe));
    QCOMPARE(schedule.lanes.size(), std::size_t{2});
    for (const DeviceLane& lane : schedule.lanes) QCOMPARE(text_of(lane), std::string("F0 F1 F2 B0 B1 B2"));
  }

  void oneForwardOneBackward() {
    Plan plan = plan_of({1, 1, 1}, 4);
    Schedule schedule = built(plan);
    QCOMPARE(text_of(schedule.lanes[0]), std::string("F0 F1 F2 B0 F3 B1 B2 B3"));
    QCOMPARE(text_of(schedule.lanes[1]), std::string("F0 F1 B0 F2 B1 F3 B2 B3"));
    QCOMPARE(text_of(schedule.lanes[2]), std::string("F0 B0 F1 B1 F2 B2 F3 B3"));
    plan.warmup = Warmup::B;
    schedule = built(plan);
    QCOMPARE(text_of(schedule.lanes[0]), std::string("F0 F1 F2 F3 B0 B1 B2 B3"));
    QCOMPARE(text_of(schedule.lanes[1]), std::string("F0 F1 F2 B0 F3 B1 B2 B3"));
    plan.warmup_counts = std::vector<int>{9, 2, 2};
    QCOMPARE(schedule::warmup_counts(plan), (std::vector<int>{4, 2, 2}));
    QCOMPARE(text_of(built(plan).lanes[2]), std::string("F0 F1 B0 F2 B1 F3 B2 B3"));
  }

  void recomputeComesBeforeEveryBackward() {
    Plan plan = plan_of({1, 1}, 2);
    plan.stages[0].recompute.all = true;
    QCOMPARE(text_of(built(plan).lanes[0]), std::string("F0 F1 R0 B0 R1 B1"));
    QCOMPARE(text_of(built(plan).lanes[1]), std::string("F0 B0 F1 B1"));
  }

  void memoryHoldsWarmUpsBack() {
    const Plan plan = plan_of({1, 1, 1, 1}, 8);
    QCOMPARE(schedule::fitting_warmups(plan, fitting({9, 9, 1, 9})), (std::vector<int>{4, 3, 1, 1}));
    QCOMPARE(schedule::fitting_warmups(plan, fitting({1, 9, 9, 9})), (std::vector<int>{1, 1, 1, 1}));
    // A plan's own warm-up is not held back: without room for it the plan does not fit.
    QCOMPARE(schedule::warmup_counts(plan), (std::vector<int>{4, 3, 2, 1}));
    QCOMPARE(text_of(schedule::build_schedule(plan, fitting({1, 1, 1, 1})).value().lanes[0]),
             text_of(built(plan).lanes[0]));
    test::Random random(4);
    for (int trial = 0; trial < 200; ++trial) {
      Plan drawn = plan_of(std::vector<int>(static_cast<std::size_t>(random.integer(1, 6)), 1), random.integer(1, 9));
      drawn.warmup = random.integer(0, 1) ? Warmup::A : Warmup::B;
      std::vector<int> counts;
      for (std::size_t s = 0; s < drawn.stages.size(); ++s) counts.push_back(random.integer(1, 6));
      QVERIFY(schedule::check_deadlock_free(schedule::build_schedule(drawn, fitting(counts)).value(), drawn));
    }
  }

  void pipedreamTakesTurns() {
    const Plan plan = plan_of({2, 1}, 4, ScheduleKind::pipedream);
    const Schedule schedule = built(plan);
    QVERIFY(!schedule.synchronous);
    QCOMPARE(schedule.micro_batches, 8 * 2 * 2);  // NOAM = ceil(3 / 2) = 2, r_0 = 2
    QCOMPARE(text_of(schedule.lanes[1]).substr(0, 17), std::string("F1 F3 B1 F5 B3 F7"));
    QCOMPARE(text_of(schedule.lanes[2]).substr(0, 11), std::string("F0 B0 F1 B1"));
    QVERIFY(schedule::check_deadlock_free(schedule, plan));
  }

  void closedFormsCannotDeadlock() {
    for (const auto& replicas : std::vector<std::vector<int>>{{1}, {2, 1}, {1, 2, 3}, {3, 1, 2, 1}, {2, 3, 1, 1, 2}})
      for (const ScheduleKind kind : {ScheduleKind::gpipe, ScheduleKind::one_f_one_b, ScheduleKind::pipedream,
                                      ScheduleKind::pipedream_vertical, ScheduleKind::pipedream_2bw})
        for (const Warmup warmup : {Warmup::A, Warmup::B}) {
          Plan plan = plan_of(replicas, 12, kind);
          plan.warmup = warmup;
          const Result<void> proof = schedule::check_deadlock_free(built(plan), plan);
          QVERIFY2(proof, proof ? "" : proof.error().text().c_str());
        }
  }

  void growingWarmUpsDeadlockAndNameTheCycle() {
    Plan plan = plan_of({1, 1}, 4);
    plan.warmup_counts = std::vector<int>{1, 2};
    const Result<void> proof = schedule::check_deadlock_free(built(plan), plan);
    QVERIFY(!proof);
    const QString message = QString::fromStdString(proof.error().message);
    QVERIFY2(message.contains("device 0 backward(stage 0, micro-batch 0) waits for device 1 backward(stage 1, "
                              "micro-batch 0)"),
             qPrintable(message));
    QVERIFY2(message.contains("device 1 forward(stage 1, micro-batch 1) waits for device 0 forward(stage 0, "
                              "micro-batch 1)"),
             qPrintable(message));
  }

  void explicitListsEqualTheirClosedForm() {
    const Plan plan = plan_of({2, 3, 1}, 5);
    const Plan lists = as_explicit(plan);
    const Schedule schedule = built(lists);
    for (std::size_t d = 0; d < schedule.lanes.size(); ++d)
      QCOMPARE(text_of(schedule.lanes[d]), text_of(built(plan).lanes[d]));
    QVERIFY(schedule::check_deadlock_free(schedule, lists));
  }

  void transfersMustMatchInOrder() {
    Plan plan = as_explicit(plan_of({1, 1}, 2, ScheduleKind::gpipe));
    std::swap((*plan.operations)[1][0], (*plan.operations)[1][1]);  // F1 before F0 on the second device only
    const Result<void> proof = schedule::check_deadlock_free(built(plan), plan);
    QVERIFY(!proof);
    QVERIFY(QString::fromStdString(proof.error().message).contains("same order on both sides"));
    std::swap((*plan.operations)[0][0], (*plan.operations)[0][1]);
    QVERIFY(schedule::check_deadlock_free(built(plan), plan));
  }

  void explicitListsMustBeComplete() {
    const Plan good = as_explicit(plan_of({1, 1}, 2));
    const auto error_after = [&](const std::function<void(Plan&)>& change) {
      Plan plan = good;
      change(plan);
      const Result<Schedule> schedule = schedule::build_schedule(plan, plenty(plan));
      return schedule ? Error{} : schedule.error();
    };
    QCOMPARE(error_after([](Plan& plan) { (*plan.operations)[1].pop_back(); }).place, std::string("/operations/1"));
    QCOMPARE(error_after([](Plan& plan) { plan.operations->pop_back(); }).place, std::string("/operations"));
    QCOMPARE(error_after([](Plan& plan) { (*plan.operations)[0][2].stage = StageId(1); }).place,
             std::string("/operations/0/2"));
    QCOMPARE(error_after([](Plan& plan) { (*plan.operations)[0][2].micro_batch = 2; }).place,
             std::string("/operations/0/2"));
    QCOMPARE(error_after([](Plan& plan) { plan.stages[1].recompute.all = true; }).place, std::string("/operations/1"));
    QCOMPARE(error_after([](Plan& plan) { (*plan.operations)[0][3] = (*plan.operations)[0][0]; }).code,
             ErrorCode::bad_input);
  }

  void registryListsEverySchedule() {
    std::vector<std::string> names;
    for (const ScheduleTraits& info : all_schedules) names.emplace_back(info.name);
    QCOMPARE(names, (std::vector<std::string>{"gpipe", "1f1b", "interleaved", "zb-h1", "zb-h2", "zb-v", "v-half",
                                              "v-min", "dualpipe", "dualpipev", "chimera", "adaptive", "pipedream",
                                              "pipedream-vertical", "pipedream-2bw", "explicit"}));
  }
};

PIPEDECK_TEST(TestSchedule)

}  // namespace pipedeck::tst_schedule

#include "tst_schedule.moc"
