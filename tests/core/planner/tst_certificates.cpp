// SPDX-License-Identifier: Apache-2.0
// Certificates against plain enumeration: no plan simulates faster than the lower bound of its problem, and none faster
// than the bound of its own stages. Chains, graphs, different devices, either overlap of all-reduces.
// PIPEDECK_RANDOM_PROBLEMS problems (60; 500 also larger).
#include <QtTest/QTest>

#include <limits>

#include "core/cost/lower_bound.hpp"
#include "core/cost/stages_bound.hpp"
#include "core/sim/simulate.hpp"
#include "tests/core/planner/plan_enumeration.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/repetitions.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_certificates {

using pipedeck::test::Random;

/// Makes the last device of the cluster a slower type, whose layers may have their own times.
Problem with_a_slower_device(Problem problem, Random& random) {
  Cluster cluster = *problem.cluster;
  DeviceType slower = cluster.device_types.front();
  slower.name = "Y", slower.relative_speed = random.uniform(0.3, 0.9);
  cluster.device_types.push_back(slower);
  Node& node = cluster.nodes.back();
  if (node.devices.front().count > 1) {
    --node.devices.front().count;
    node.devices.push_back({"Y", 1});
  } else {
    node.devices.front().type = "Y";
  }
  problem.cluster = std::make_shared<const Cluster>(std::move(cluster));
  return problem;
}

Problem drawn(int seed) {
  Random random(static_cast<std::uint64_t>(seed) + 70000);
  const bool large = test::random_problems() >= 500 && seed % 4 == 0;
  std::vector<std::vector<int>> shapes{{1}, {2}, {3}, {4}, {1, 1}, {2, 1}, {2, 2}, {1, 1, 1}};
  if (large) shapes = {{4}, {2, 2}, {5}, {3, 2}};
  Problem problem = test::random_problem(
      random, {.layers = random.integer(2, large ? 6 : 5),
               .nodes = shapes[static_cast<std::size_t>(random.integer(0, static_cast<int>(shapes.size()) - 1))],
               .graph = seed % 2 == 1});
  problem.workload.global_batch = random.integer(1, 3) * 2;
  if (seed % 3 == 2) problem = with_a_slower_device(std::move(problem), random);
  if (seed % 5 == 4) problem.workload.conventions.overlap = Overlap::none;
  return problem;
}

class TestCertificates : public QObject {
  Q_OBJECT

 private slots:
  void no_plan_is_quicker_than_the_bounds_data();
  void no_plan_is_quicker_than_the_bounds();
  void the_bound_is_met_by_one_device();
};

void TestCertificates::no_plan_is_quicker_than_the_bounds_data() {
  QTest::addColumn<int>("seed");
  for (int seed = 0; seed < test::random_problems(); ++seed) QTest::addRow("%d", seed) << seed;
}

void TestCertificates::no_plan_is_quicker_than_the_bounds() {
  QFETCH(int, seed);
  const Problem problem = drawn(seed);
  const sim::Simulator simulator = *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
  const Seconds bound = cost::lower_bound(problem).value();
  double least = std::numeric_limits<double>::infinity();
  std::string quickest, broken;
  int plans = 0;
  every_synchronous_plan(problem, [&](const Plan& plan) {
    ++plans;
    const double iteration = simulator.iteration_time(plan)->count;
    if (cost::partition_lower_bound(problem, plan)->count > iteration) broken = stage_shape_text(plan);
    if (iteration < least) least = iteration, quickest = stage_shape_text(plan);
  });
  QVERIFY(plans > 0 && bound.count > 0);
  QVERIFY2(broken.empty(), broken.c_str());
  QVERIFY2(bound.count <= least,
           qPrintable(QString("%1 s, but %2 takes %3 s").arg(bound.count).arg(quickest.c_str()).arg(least)));
}

/// On one device only compute takes time: the bound is the optimum, up to the rounding of operations.
void TestCertificates::the_bound_is_met_by_one_device() {
  Random random(71);
  Problem problem = test::random_problem(random, {.layers = 3, .nodes = {1}});
  problem.workload.global_batch = 4;
  const sim::Simulator simulator = *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
  double least = std::numeric_limits<double>::infinity();
  every_synchronous_plan(problem,
                         [&](const Plan& plan) { least = std::min(least, simulator.iteration_time(plan)->count); });
  const double bound = cost::lower_bound(problem)->count;
  QVERIFY(bound <= least && least <= bound * (1 + 1e-5));
}

PIPEDECK_TEST(TestCertificates)

}  // namespace pipedeck::tst_certificates

#include "tst_certificates.moc"
