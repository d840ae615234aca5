// SPDX-License-Identifier: Apache-2.0
// Memory computed once for equal replicas, and by several threads, equals each device's own list.
#include <QtTest/QTest>

#include <algorithm>
#include <set>

#include "core/plan/validate.hpp"
#include "core/sim/engine_plan.hpp"
#include "core/sim/memory/curve.hpp"
#include "core/sim/memory/identical_lanes.hpp"
#include "core/sim/simulate.hpp"
#include "tests/support/large_problem.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_memory_twins {

/// Returns four stages of four devices, a node each.
Plan replicated(int micro_batch, int micro_batches) {
  Plan plan;
  plan.micro_batch = micro_batch;
  plan.micro_batches = micro_batches;
  plan.global_batch = micro_batch * micro_batches;
  for (int s = 0; s < 4; ++s) {
    Stage stage;
    stage.first = 4 * s;
    stage.last = 4 * s + 4;
    for (int r = 0; r < 4; ++r) stage.devices.push_back(DeviceId(std::int32_t{4 * s + r}));
    plan.stages.push_back(stage);
  }
  return plan;
}

sim::Simulator simulator_of_16() {
  Profile profile = test::uniform_profile(16, milliseconds(1), milliseconds(2));
  for (Layer& layer : profile.layers)
    layer.output = Bytes(1'000'000), layer.parameters = Bytes(10'000'000), layer.saved = Bytes(2'000'000);
  return sim::Simulator::of(std::make_shared<const Profile>(profile),
                            std::make_shared<const Cluster>(test::servers(4, 4)), {})
      .value();
}

std::size_t leaders_of(const sim::Simulator& simulator, const Plan& plan) {
  const sim::EnginePlan ready = sim::prepare(simulator.inputs(), plan, {}).value();
  const sim::engine::EngineInput input = ready.run_of(simulator.inputs(), plan, true);
  const auto leaders = sim::memory::representative_lanes(input, sim::run_to_end(input, {}).value());
  return std::set<std::size_t>(leaders.begin(), leaders.end()).size();
}

/// Devices whose curve is not what their own lane's operations give.
int wrong_devices(const sim::Simulator& simulator, const Plan& plan) {
  const sim::EnginePlan ready = sim::prepare(simulator.inputs(), plan, {}).value();
  const sim::engine::EngineInput input = ready.run_of(simulator.inputs(), plan, true);
  const sim::engine::Trace trace = sim::run_to_end(input, {}).value();
  const auto resources = sim::memory::resources_of_lanes(input);
  const Simulation simulation = simulator.run(plan).value();
  int wrong = 0;
  for (std::size_t lane = 0; lane < input.costs.lanes.size(); ++lane)
    for (std::size_t rank = 0; rank < input.costs.lanes[lane].devices.size(); ++rank) {
      const SimulatedDevice own = sim::memory::memory_of(simulator.inputs(), input, trace, lane, rank, resources[lane]);
      const DeviceId device = input.costs.lanes[lane].devices[rank];
      const auto found = std::find_if(simulation.devices.begin(), simulation.devices.end(),
                                      [&](const SimulatedDevice& verdict) { return verdict.device == device; });
      wrong += found == simulation.devices.end() || found->curve != own.curve ||
               found->peak_breakdown != own.peak_breakdown || found->peak_micro_batches != own.peak_micro_batches ||
               found->peak_time != own.peak_time;
    }
  return wrong;
}

class TestMemoryTwins : public QObject {
  Q_OBJECT
 private slots:
  void equal_replicas_are_looked_at_once() {
    const sim::Simulator simulator = simulator_of_16();
    QCOMPARE(leaders_of(simulator, replicated(8, 12)), std::size_t{4});
    QCOMPARE(wrong_devices(simulator, replicated(8, 12)), 0);
  }

  /// Six samples over four replicas: two of one, two of two.
  void unequal_shares_are_not() {
    const sim::Simulator simulator = simulator_of_16();
    QCOMPARE(leaders_of(simulator, replicated(6, 12)), std::size_t{8});
    QCOMPARE(wrong_devices(simulator, replicated(6, 12)), 0);
  }

  /// A plan with enough operations for several threads.
  void threads_change_nothing() {
    const sim::Simulator simulator = simulator_of_16();
    const Plan plan = replicated(6, 2000);
    const Simulation first = simulator.run(plan).value();
    QVERIFY(first.timeline.size() > 60'000);
    QVERIFY(first == simulator.run(plan).value());
    QCOMPARE(wrong_devices(simulator, plan), 0);
  }

  void any_plan_of_any_schedule() {
    test::Random random(5);
    int seen = 0;
    for (int round = 0; round < 40; ++round)
      for (const ScheduleKind kind : {ScheduleKind::gpipe, ScheduleKind::one_f_one_b, ScheduleKind::interleaved,
                                      ScheduleKind::chimera, ScheduleKind::pipedream}) {
        Problem problem = test::random_rich_problem(random);
        const Plan plan = test::random_plan(random, problem, kind);
        const auto simulator = sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
        if (!plan::validate(plan, *problem.profile, *problem.cluster) || !simulator->run(plan)) continue;
        QCOMPARE(wrong_devices(*simulator, plan), 0);
        ++seen;
      }
    QVERIFY2(seen > 80, qPrintable(QString::number(seen)));
  }
};

PIPEDECK_TEST(TestMemoryTwins)

}  // namespace pipedeck::tst_memory_twins

#include "tst_memory_twins.moc"
