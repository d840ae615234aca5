// SPDX-License-Identifier: Apache-2.0
// Asynchronous schedules: PipeDream with and without vertical sync, and PipeDream-2BW.
#include <QtTest/QTest>

#include <algorithm>

#include "core/cost/ring_times.hpp"
#include "core/schedule/build.hpp"
#include "core/sim/simulate.hpp"
#include "tests/support/pipeline_plan.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_asynchronous {

/// Returns a plan with micro-batches of one sample and an optimizer without work.
Plan pipeline(const std::vector<int>& replicas, int micro_batches, ScheduleKind schedule) {
  Plan plan = test::pipeline_plan(replicas, 1, micro_batches, schedule);
  plan.optimizer = Optimizer::none;
  return plan;
}
Plan straight(int stages, int micro_batches, ScheduleKind schedule) {
  return pipeline(std::vector<int>(static_cast<std::size_t>(stages), 1), micro_batches, schedule);
}

Simulation run(const Profile& profile, const Plan& plan, const Cluster& cluster, Overlap overlap = Overlap::layer) {
  SimulationOptions conventions;
  conventions.overlap = overlap;
  const Result<Simulation> simulation = sim::Simulator::of(std::make_shared<const Profile>(profile),
                                                           std::make_shared<const Cluster>(cluster), conventions)
                                            ->run(plan);
  if (!simulation) qFatal("%s", simulation.error().text().c_str());
  return *simulation;
}
Simulation run(const Profile& profile, const Plan& plan) {
  return run(profile, plan, test::flat_cluster(static_cast<int>(devices_used(plan).size())));
}

void compare_ms(const Simulation& simulation, double expected) {
  const double actual = in_milliseconds(simulation.iteration);
  QVERIFY2(std::abs(actual - expected) <= 1e-9 * expected,
           qPrintable(QStringLiteral("%1 ms against %2 ms").arg(actual, 0, 'g', 12).arg(expected, 0, 'g', 12)));
}

Profile equal_stages(int stages, Bytes parameters = {}) {
  Profile profile = test::uniform_profile(stages, milliseconds(1), milliseconds(2));
  for (Layer& layer : profile.layers) layer.parameters = parameters;
  return profile;
}

std::int64_t stashed(const Simulation& simulation, std::size_t device) {
  return simulation.devices[device].peak_breakdown[MemoryItem::stashed_weights].count;
}

class TestAsynchronous : public QObject {
  Q_OBJECT
 private slots:
  /// The order and the time are PipeDream's; every stage holds the versions of the input stage.
  void verticalSyncKeepsMoreVersions() {
    const Profile profile = equal_stages(4, Bytes(400));
    const Simulation plain = run(profile, straight(4, 16, ScheduleKind::pipedream));
    const Simulation vertical = run(profile, straight(4, 16, ScheduleKind::pipedream_vertical));
    QCOMPARE(vertical.iteration.count, plain.iteration.count);
    for (std::size_t s = 0; s < 4; ++s) {
      QCOMPARE(stashed(plain, s), static_cast<std::int64_t>(4 - s - 1) * 400);
      QCOMPARE(stashed(vertical, s), std::int64_t{3 * 400});
    }
    // Replicas: 2, 1, 2 with K_0 = 3, six mini-batches in flight; one version per round of the stage's replicas.
    const Plan replicated = pipeline({2, 1, 2}, 12, ScheduleKind::pipedream_vertical);
    const Simulation turns = run(equal_stages(3, Bytes(400)), replicated);
    QCOMPARE(stashed(turns, 0), std::int64_t{2 * 400});
    QCOMPARE(stashed(turns, 2), std::int64_t{5 * 400});
    QCOMPARE(stashed(turns, 3), std::int64_t{2 * 400});
  }

  void verticalSyncTakesPipedreamsTime() {
    test::Random random(5);
    for (int trial = 0; trial < 60; ++trial) {
      const int stages = random.integer(1, 4);
      test::RandomProblem shape;
      shape.layers = stages;
      shape.nodes = {8, 8};
      const Problem problem = test::random_problem(random, shape);
      std::vector<int> replicas;
      for (int s = 0; s < stages; ++s) replicas.push_back(random.integer(1, 3));
      Plan plan = pipeline(replicas, random.integer(1, 9), ScheduleKind::pipedream);
      const std::int64_t plain = sim::simulate(problem, plan)->iteration.count;
      plan.schedule = ScheduleKind::pipedream_vertical;
      const Result<Simulation> vertical = sim::simulate(problem, plan);
      QCOMPARE(vertical->iteration.count, plain);
    }
  }

  /// 1F1B without the flush: M (F + B) per batch for any depth, and two versions of the weights at every stage.
  void twoVersionsOfEqualStages() {
    for (int S = 1; S <= 32; ++S)
      for (const int M : {S, S + 1, 2 * S, 64, 128}) {
        const Profile profile = equal_stages(S, Bytes(400));
        const Simulation simulation = run(profile, straight(S, M, ScheduleKind::pipedream_2bw));
        compare_ms(simulation, M * 3);
        if (M > 2 * S) continue;
        compare_ms(run(profile, straight(S, M, ScheduleKind::one_f_one_b)),
                   in_milliseconds(simulation.iteration) + (S - 1) * 3);
        for (int s = 0; s < S; ++s) {
          const auto d = static_cast<std::size_t>(s);
          QCOMPARE(stashed(simulation, d), std::int64_t{400});
          QCOMPARE(simulation.devices[d].peak_micro_batches, S - s);
        }
      }
  }

  void theSlowestStageSetsThePace() {
    Profile profile = equal_stages(4);
    profile.layers[2].forward = milliseconds(1.5);
    compare_ms(run(profile, straight(4, 16, ScheduleKind::pipedream_2bw)), 16 * 3.5);
  }

  /// The optimizer steps once per batch, not once per micro-batch.
  void oneUpdateABatch() {
    Cluster cluster = test::flat_cluster(1);
    cluster.device_types[0].memory_bandwidth = gigabytes_per_second(1);
    Plan plan = straight(1, 8, ScheduleKind::pipedream_2bw);
    plan.optimizer = Optimizer::adam;
    const Profile profile = equal_stages(1, Bytes(4'000'000));  // 28 MB are moved, 28 ms
    compare_ms(run(profile, plan, cluster), 8 * 3 + 28);
    plan.schedule = ScheduleKind::pipedream;
    compare_ms(run(profile, plan, cluster), 8 * (3 + 28));
  }

  /// One all-reduce per batch: during the next batch's passes, or, without overlap, after its own.
  void oneAllReduceABatch() {
    const Bytes parameters(8'000'000);
    const Plan plan = pipeline({2}, 8, ScheduleKind::pipedream_2bw);
    for (const double bandwidth : {1e9, 1e8}) {
      const Cluster cluster = test::flat_cluster(2, BytesPerSecond(bandwidth));
      const double reduce =
          1e3 * cost::all_reduce(cost::Network::of(cluster).value(), plan.stages[0].devices, parameters).count;
      const Profile profile = equal_stages(1, parameters);
      compare_ms(run(profile, plan, cluster), std::max(4 * 3., reduce));
      compare_ms(run(profile, plan, cluster, Overlap::none), 4 * 3 + reduce);
    }
  }

  void randomPipelines() {
    test::Random random(6);
    for (int trial = 0; trial < 150; ++trial) {
      const int stages = random.integer(1, 5);
      test::RandomProblem shape;
      shape.layers = stages + random.integer(0, 3);
      shape.nodes = {8, 8};
      const Problem problem = test::random_problem(random, shape);
      std::vector<int> replicas;
      for (int s = 0; s < stages; ++s) replicas.push_back(random.integer(1, 3));
      Plan plan = pipeline(replicas, 1, ScheduleKind::pipedream_2bw);
      plan.stages.back().last = shape.layers;
      for (Stage& stage : plan.stages) stage.recompute.all = random.integer(0, 3) == 0;
      plan.micro_batches = plan.global_batch = 6 * random.integer(5, 8);
      for (const Overlap overlap : {Overlap::none, Overlap::layer}) {
        SimulationOptions conventions;
        conventions.overlap = overlap;
        const auto simulator = sim::Simulator::of(problem.profile, problem.cluster, conventions);
        const Result<Simulation> simulation = simulator->run(plan);
        QVERIFY2(simulation, simulation ? "" : simulation.error().text().c_str());
        QCOMPARE(simulator->iteration_time(plan)->count, to_seconds(simulation->iteration).count);
        for (const SimulatedDevice& device : simulation->devices)
          QVERIFY(device.busy.count <= simulation->iteration.count);
        const Result<void> proof = schedule::check_deadlock_free(simulator->schedule(plan).value(), plan);
        QVERIFY2(proof, proof ? "" : proof.error().text().c_str());
      }
    }
  }

  void refusals() {
    const auto refused = [](const Plan& plan, const char* expected) {
      const Result<Schedule> schedule =
          schedule::build_schedule(plan, std::vector<schedule::StageEstimates>(plan.stages.size()));
      QVERIFY(!schedule);
      QCOMPARE(schedule.error().place, std::string("/micro_batches"));
      QVERIFY2(QString::fromStdString(schedule.error().message).contains(expected), schedule.error().message.c_str());
    };
    refused(straight(4, 3, ScheduleKind::pipedream_2bw), "found 3, expected 4 at least, which are in flight");
    refused(pipeline({1, 2}, 7, ScheduleKind::pipedream_2bw),
            "found 7, expected a multiple of the 2 replicas of stage 1");
  }
};

PIPEDECK_TEST(TestAsynchronous)

}  // namespace pipedeck::tst_asynchronous

#include "tst_asynchronous.moc"
