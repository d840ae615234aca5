// SPDX-License-Identifier: Apache-2.0
// The effect of a machine's fitted parameters on a simulation, and the agreement of all simulations of one plan.
#include <QtTest/QTest>

#include "core/cost/lower_bound.hpp"
#include "core/cost/stages_bound.hpp"
#include "core/plan/validate.hpp"
#include "core/schedule/build.hpp"
#include "core/sim/explain/critical_path.hpp"
#include "core/sim/explain/sensitivity.hpp"
#include "tests/core/sim/every_schedule.hpp"
#include "tests/support/pipeline_plan.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_calibration {

/// Equal stages of 1 ms forward and 2 ms backward, `bytes` between two, 10 GB/s.
Problem equal_stages(int stages, Bytes bytes = {}) {
  Profile profile = test::uniform_profile(stages, milliseconds(1), milliseconds(2));
  for (Layer& layer : profile.layers) layer.output = bytes;
  Problem problem;
  problem.profile = std::make_shared<const Profile>(profile);
  problem.cluster = std::make_shared<const Cluster>(test::flat_cluster(stages, gigabytes_per_second(10)));
  return problem;
}

sim::Simulator simulator_of(const Problem& problem) {
  return sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions).value();
}

Nanoseconds iteration(const Problem& problem, const Plan& plan) {
  return round_to_nanoseconds(simulator_of(problem).iteration_time(plan).value());
}

/// The problem's cluster with other bandwidths, instead of an efficiency.
Problem with_bandwidths(Problem problem, double factor) {
  Cluster cluster = *problem.cluster;
  for (Node& node : cluster.nodes) {
    if (node.link) node.link->bandwidth = node.link->bandwidth * factor;
    if (node.nic) node.nic = *node.nic * factor;
  }
  for (NetworkLink& link : cluster.links) link.link.bandwidth = link.link.bandwidth * factor;
  if (cluster.bandwidth_matrix)
    for (auto& row : *cluster.bandwidth_matrix)
      for (BytesPerSecond& bandwidth : row) bandwidth = bandwidth * factor;
  problem.cluster = std::make_shared<const Cluster>(cluster);
  return problem;
}

/// Calls `check` with random plans of every schedule in turn, in either network, on machines of any calibration.
template <class Check>
void for_random_plans(std::uint64_t seed, Check check) {
  test::Random random(seed);
  int checked = 0;
  for (int trial = 0; checked < test::random_problems(200); ++trial) {
    QVERIFY2(trial < 3 * test::random_problems(200), "most draws must be plans that can be built");
    const auto& offered = all_schedules;
    const ScheduleKind kind = offered[static_cast<std::size_t>(trial) % offered.size()].kind;
    if (kind == ScheduleKind::explicit_order) continue;
    Problem problem = test::random_rich_problem(random);
    if (random.integer(0, 2) == 0) problem.workload.conventions.network = NetworkModel::shared;
    const Plan plan = test::random_plan(random, problem, kind);
    problem.workload.conventions.calibration = {Seconds(random.uniform(0, 1e-3)), random.uniform(1, 2),
                                                random.uniform(0.3, 1.5)};
    if (!plan::validate(plan, *problem.profile, *problem.cluster)) continue;
    if (!simulator_of(problem).schedule(plan)) continue;
    check(problem, plan, "trial " + std::to_string(trial) + ", " + std::string(name_of(kind)));
    if (QTest::currentTestFailed()) return;
    ++checked;
  }
}

class TestCalibration : public QObject {
  Q_OBJECT
 private slots:
  void overheadIsPartOfEveryPass() {
    Problem problem = equal_stages(4);
    problem.workload.conventions.calibration.operation_overhead = microseconds(30);
    Plan plan = test::straight_plan(4, 8);
    plan.schedule = ScheduleKind::gpipe;
    QCOMPARE(iteration(problem, plan).count, 11 * (1'030'000 + 2'030'000));
    for (Stage& stage : plan.stages) stage.recompute.all = true;
    const TimeBreakdown parts = simulator_of(problem).run(plan)->parts;
    QCOMPARE(parts[TimePart::recompute].count % 1'030'000, 0);  // one of its own
  }

  /// The two halves of a backward are two operations.
  void overheadIsPartOfEitherHalf() {
    Problem problem = equal_stages(1);
    problem.workload.conventions.calibration.operation_overhead = microseconds(30);
    Plan plan = test::straight_plan(1, 5);
    QCOMPARE(iteration(problem, plan).count, 5 * (3'000'000 + 2 * 30'000));
    plan.schedule = ScheduleKind::zb_h1;
    QCOMPARE(iteration(problem, plan).count, 5 * (3'000'000 + 3 * 30'000));
  }

  void efficiencyIsAnotherCluster() {
    for_random_plans(1, [](const Problem& problem, const Plan& plan, const std::string& where) {
      for (const Collectives how : {Collectives::best_ring, Collectives::tree, Collectives::nccl}) {
        Problem own = problem;
        own.workload.conventions.collectives = how;
        const Calibration calibration = own.workload.conventions.calibration;
        Problem other = with_bandwidths(own, calibration.link_efficiency);
        other.workload.conventions.calibration.link_efficiency = 1;
        QVERIFY2(simulator_of(own).run(plan).value() == simulator_of(other).run(plan).value(), where.c_str());
      }
    });
  }

  /// Two stages, two micro-batches, transfers of 0.1 ms. Three forwards run during one of them: the second of the first
  /// stage, and both of the second. 9.2 ms become 9.3: the first stage's second forward is not on the critical path.
  void passesBesideTransfersTakeLonger() {
    Problem problem = equal_stages(2, Bytes(1'000'000));
    const Plan plan = test::straight_plan(2, 2);
    QCOMPARE(iteration(problem, plan).count, 9'200'000);
    problem.workload.conventions.calibration.overlap_slowdown = 1.5;
    const Simulation simulation = simulator_of(problem).run(plan).value();
    QCOMPARE(simulation.iteration.count, 9'300'000);
    const std::vector<std::int64_t> first{1'000'000, 1'050'000, 2'000'000, 2'000'000},
        second{1'050'000, 2'000'000, 1'050'000, 2'000'000};
    const Timeline& timeline = simulation.timeline;
    for (std::size_t i = 0; i < 4; ++i) {
      QCOMPARE(timeline.duration[timeline.lanes[0].begin + i], first[i]);
      QCOMPARE(timeline.duration[timeline.lanes[1].begin + i], second[i]);
    }
  }

  /// Two replicas reduce two layers; the first layer's backward runs during the second's all-reduce.
  void passesBesideAllReducesTakeLonger() {
    Profile profile = test::uniform_profile(2, milliseconds(1), milliseconds(2));
    for (Layer& layer : profile.layers) layer.parameters = Bytes(10'000'000);  // 1 ms each
    Problem problem;
    problem.profile = std::make_shared<const Profile>(profile);
    problem.cluster = std::make_shared<const Cluster>(test::flat_cluster(2, gigabytes_per_second(10)));
    Plan plan = test::straight_plan(1, 1);
    plan.stages[0] = {0, 2, {DeviceId(0), DeviceId(1)}, 1, {}, {}, {}, {}};
    plan.micro_batch = plan.global_batch = 2;
    QCOMPARE(iteration(problem, plan).count, 7'000'000);
    // An all-reduce runs during 1 ms of the backward's 4. So it takes 4.5 ms, the last layer's gradient after 2.25,
    // reduced at 5.25, the first one's at 6.5.
    problem.workload.conventions.calibration.overlap_slowdown = 1.5;
    QCOMPARE(iteration(problem, plan).count, 7'500'000);
    problem.workload.conventions.overlap = Overlap::none;
    QCOMPARE(iteration(problem, plan).count, 8'000'000);
  }

  void verdictsAgree() {
    for_random_plans(2, [](const Problem& problem, const Plan& plan, const std::string& where) {
      const sim::Simulator simulator = simulator_of(problem);
      const Simulation simulation = simulator.run(plan).value();
      QVERIFY2(iteration(problem, plan) == simulation.iteration, where.c_str());
      QVERIFY2(simulation.parts.total() == simulation.iteration, where.c_str());
      const CriticalPath path = sim::explain::critical_path(simulator, plan).value();
      if (plan.synchronous()) QVERIFY2(path.end - path.begin == simulation.iteration, where.c_str());
      for (std::size_t i = 1; i < path.links.size(); ++i)
        QVERIFY2(path.links[i].begin == path.links[i - 1].end, where.c_str());
      QVERIFY2(sim::explain::sensitivity(problem, plan).value().iteration == simulation.iteration, where.c_str());
      QVERIFY2(simulator.period(plan).value() <= simulation.iteration || !plan.synchronous(), where.c_str());
    });
  }

  /// Orders are compared by both runs; the slowed one counts.
  void adaptiveIsNoSlowerThanAFixedOrder() {
    int compared = 0;
    for_random_plans(4, [&](const Problem& problem, const Plan& plan, const std::string& where) {
      if (plan.schedule != ScheduleKind::adaptive) return;
      Plan fixed = plan;
      for (const ScheduleKind kind : {ScheduleKind::gpipe, ScheduleKind::one_f_one_b}) {
        fixed.schedule = kind;
        if (!plan::validate(fixed, *problem.profile, *problem.cluster) || !simulator_of(problem).schedule(fixed))
          continue;
        QVERIFY2(iteration(problem, plan) <= iteration(problem, fixed), where.c_str());
        ++compared;
      }
    });
    QVERIFY(compared > 0);
  }

  void boundsHold() {
    for_random_plans(3, [](const Problem& problem, const Plan& plan, const std::string& where) {
      const double time = to_seconds(iteration(problem, plan)).count;
      Problem any = problem;
      any.workload.global_batch = plan.global_batch;
      any.workload.micro_batch.reset();
      QVERIFY2(cost::lower_bound(any, plan.synchronous()).value().count <= time || !plan.synchronous(), where.c_str());
      if (problem.workload.conventions.network == NetworkModel::ideal)
        QVERIFY2(cost::partition_lower_bound(problem, plan).value().count <= time, where.c_str());
    });
  }
};

PIPEDECK_TEST(TestCalibration)

}  // namespace pipedeck::tst_calibration

#include "tst_calibration.moc"
