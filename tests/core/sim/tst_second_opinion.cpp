// SPDX-License-Identifier: Apache-2.0
// Every operation of random plans starts at the time of a plainer program, to the nanosecond.
#include <QtTest/QTest>

#include <map>

#include "core/plan/validate.hpp"
#include "core/schedule/build.hpp"
#include "core/sim/simulate.hpp"
#include "tests/core/sim/every_schedule.hpp"
#include "tests/core/sim/second_opinion.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_second_opinion {

std::map<DeviceId, std::vector<TimelineRow>> compute_rows(const Timeline& timeline) {
  std::map<DeviceId, std::vector<TimelineRow>> rows;
  for (const TimelineLane& lane : timeline.lanes) {
    if (lane.role != LaneRole::compute) continue;
    std::vector<TimelineRow>& own = rows[lane.device];
    for (std::size_t i = lane.begin; i < lane.end; ++i)
      if (timeline.kind[i] != OpKind::optimizer) own.push_back(timeline.row(i));
  }
  return rows;
}

/// Removes the mark of overlapped operations, which the timeline's columns don't have.
std::map<DeviceId, std::vector<TimelineRow>> without_marks(std::map<DeviceId, std::vector<TimelineRow>> rows) {
  for (auto& [device, own] : rows)
    for (TimelineRow& row : own) row.operation.overlapped_with_next = false;
  return rows;
}

/// Sets each of the three parameters or leaves it unset.
Calibration random_calibration(test::Random& random) {
  Calibration calibration;
  if (random.integer(0, 2) > 0) calibration.operation_overhead = Seconds(random.uniform(0, 2e-3));
  if (random.integer(0, 2) > 0) calibration.overlap_slowdown = random.uniform(1, 2);
  if (random.integer(0, 2) > 0) calibration.link_efficiency = random.uniform(0.3, 1.3);
  return calibration;
}

class TestSecondOpinion : public QObject {
  Q_OBJECT
 private slots:
  void agreesOnRandomPlans() { compare(NetworkModel::ideal, false); }
  void agreesWhereLinksAreShared() { compare(NetworkModel::shared, false); }
  void agreesOnCalibratedMachines() { compare(NetworkModel::ideal, true); }
  void agreesOnCalibratedMachinesWithSharedLinks() { compare(NetworkModel::shared, true); }

 private:
  void compare(NetworkModel network, bool calibrated) {
    test::Random random(calibrated ? 1121 : 2026);
    std::map<std::string, int> seen;
    int agreed = 0;
    for (int trial = 0; agreed < test::random_problems(1000); ++trial) {
      QVERIFY2(trial < 3 * test::random_problems(1000), "most draws must be plans that can be built");
      const auto& offered = all_schedules;
      const ScheduleKind kind = offered[static_cast<std::size_t>(trial) % offered.size()].kind;
      if (kind == ScheduleKind::explicit_order) continue;
      Problem problem = test::random_rich_problem(random);
      problem.workload.conventions.network = network;
      if (calibrated) problem.workload.conventions.calibration = random_calibration(random);
      const Plan plan = test::random_plan(random, problem, kind);
      const std::string where = "trial " + std::to_string(trial) + ", " + std::string(name_of(kind));
      if (!plan::validate(plan, *problem.profile, *problem.cluster)) continue;
      const sim::Simulator simulator =
          sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions).value();
      const Result<Schedule> schedule = simulator.schedule(plan);
      constexpr int most = 64;  // asynchronous runs may be long
      if (!schedule || schedule->micro_batches > most) continue;
      const Result<void> proof = schedule::check_deadlock_free(*schedule, plan);
      QVERIFY2(proof, (where + ": " + (proof ? "" : proof.error().message)).c_str());
      const Result<Simulation> simulation = simulator.run(plan);
      QVERIFY2(simulation, where.c_str());
      const test::Opinion opinion = test::second_opinion(problem, plan, *schedule);
      const bool ideal = network == NetworkModel::ideal;
      if (ideal) QVERIFY2(compute_rows(simulation->timeline) == without_marks(opinion.compute), where.c_str());
      const auto off = static_cast<double>(std::abs(simulation->iteration.count - opinion.iteration));
      QVERIFY2(off <= (ideal ? 0 : 1e-6) * static_cast<double>(opinion.iteration),
               (where + ": " + std::to_string(simulation->iteration.count) + " ns, the other says " +
                std::to_string(opinion.iteration))
                   .c_str());
      ++agreed;
      ++seen[std::string(name_of(kind))];
    }
    for (const ScheduleTraits& info : all_schedules)
      if (info.kind != ScheduleKind::explicit_order)
        QVERIFY2(
            seen[std::string(info.name)] * 3 * static_cast<int>(all_schedules.size()) >= test::random_problems(1000),
            info.name.data());
  }
};

PIPEDECK_TEST(TestSecondOpinion)

}  // namespace pipedeck::tst_second_opinion

#include "tst_second_opinion.moc"
