// SPDX-License-Identifier: Apache-2.0
// The judge's cache: requested verdicts stay, previews of a long drag are bounded in bytes.
#include <QTest>

#include "core/plan/edits.hpp"
#include "core/study/plan_simulator.hpp"
#include "tests/support/large_problem.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_plan_simulator {

Problem large_problem() {
  Problem problem;
  problem.profile = std::make_shared<const Profile>(test::uniform_profile(256, milliseconds(1), milliseconds(2)));
  problem.cluster = std::make_shared<const Cluster>(test::servers(8, 8, Bytes(std::int64_t{80} << 30)));
  problem.workload.global_batch = 16 * 512;
  return problem;
}

Plan plan_of_64_stages() {
  Plan plan;
  plan.name = "under the hand";
  plan.planner = "hand";
  plan.micro_batch = 16;
  plan.micro_batches = 512;
  plan.global_batch = 16 * 512;
  for (int s = 0; s < 64; ++s) {
    Stage stage;
    stage.first = 4 * s;
    stage.last = stage.first + 4;
    stage.devices.push_back(DeviceId(s));
    plan.stages.push_back(stage);
  }
  return plan;
}

class TestPlanSimulator : public QObject {
  Q_OBJECT

 private slots:
  void a_long_drag_is_bounded_in_memory() {
    const Problem problem = large_problem();
    study::PlanSimulator plan_simulator;
    const Plan first = plan_of_64_stages();
    QVERIFY(plan_simulator.compute_result(problem, first));
    std::size_t one = 0;
    Plan plan;
    for (int step = 0; step < 60; ++step) {  // every cut to either side: other plans all
      plan =
          plan::with_edit(first, *problem.profile, *problem.cluster, plan::MoveBoundary{1 + step, 4 * (1 + step) + 1})
              .value();
      QVERIFY(plan_simulator.simulation(problem, plan));
      if (step == 0) one = plan_simulator.preview_cache_bytes();
      QVERIFY(plan_simulator.preview_cache_bytes() <= study::PlanSimulator::max_preview_bytes);
    }
    QVERIFY2(60 * one > study::PlanSimulator::max_preview_bytes, "the drag is too short to need a bound");
    QVERIFY(plan_simulator.find(problem, plan));   // the newest
    QVERIFY(plan_simulator.find(problem, first));  // asked for: previews do not push it out
  }
};

PIPEDECK_TEST(TestPlanSimulator)

}  // namespace pipedeck::tst_plan_simulator

#include "tst_plan_simulator.moc"
