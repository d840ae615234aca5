// SPDX-License-Identifier: Apache-2.0
// joint where memory binds, against plain enumeration: each plan's time and whether it fits are the simulator's.
#include <QtTest/QTest>

#include <algorithm>
#include <optional>

#include "core/planner/planner.hpp"
#include "core/sim/simulate.hpp"
#include "tests/core/planner/plan_enumeration.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/repetitions.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_joint_memory {

struct Judge {
  explicit Judge(const Problem& problem)
      : simulator(*sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions)) {
    context.score = sim::score_of(simulator);
    context.fits = sim::fits_of(simulator);
  }
  double time(const Plan& plan) const { return simulator.iteration_time(plan)->count; }
  bool fits(const Plan& plan) const { return simulator.run(plan)->fits; }

  sim::Simulator simulator;
  planner::PlannerContext context;
};

/// Calls `each` with every plan, and with every choice of stages that recompute.
void every_recomputed_plan(const Problem& problem, const std::function<void(const Plan&)>& each) {
  every_synchronous_plan(problem, [&](const Plan& plain) {
    Plan plan = plain;
    for (std::size_t set = 0; set < std::size_t{1} << plan.stages.size(); ++set) {
      for (std::size_t s = 0; s < plan.stages.size(); ++s) plan.stages[s].recompute.all = (set >> s & 1) != 0;
      each(plan);
    }
  });
}

struct Best {
  std::optional<double> time;  ///< of the fastest plan that fits
  bool binds = false;          ///< a faster one does not fit
};

Best best_of_all(const Problem& problem, const Judge& judge) {
  std::vector<std::pair<double, Plan>> all;
  every_recomputed_plan(problem, [&](const Plan& plan) { all.emplace_back(judge.time(plan), plan); });
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Best best;
  for (const auto& [time, plan] : all) {
    if (judge.fits(plan)) {
      best.time = time;
      return best;
    }
    best.binds = true;
  }
  return best;
}

/// Returns a problem whose devices hold less than a quarter to all of the training state of a device with all layers.
Problem small_problem(test::Random& random) {
  const std::vector<std::vector<int>> shapes{{3}, {4}, {2, 1}, {2, 2}, {1, 1, 1}};
  Problem problem = test::random_problem(
      random, {.layers = random.integer(2, 5), .nodes = shapes[static_cast<std::size_t>(random.integer(0, 4))]});
  problem.workload.global_batch = random.integer(1, 12);
  std::int64_t all = 0;
  for (const Layer& layer : problem.profile->layers) all += 4 * layer.parameters.count + layer.saved.count;
  Cluster cluster = *problem.cluster;
  cluster.device_types[0].memory = Bytes(static_cast<std::int64_t>(static_cast<double>(all) * random.uniform(0.2, 1)));
  problem.cluster = std::make_shared<const Cluster>(std::move(cluster));
  return problem;
}

class TestJointMemory : public QObject {
  Q_OBJECT
 private slots:
  /// Its room for memory is the simulator's.
  void findsTheFastestPlanThatFits() {
    test::Random random(281);
    const int wanted = test::random_problems(test::nightly() ? 200 : 20);
    int binding = 0;
    for (int trial = 0; binding < wanted; ++trial) {
      const Problem problem = small_problem(random);
      const Judge judge(problem);
      const Best best = best_of_all(problem, judge);
      if (!best.time || !best.binds) continue;
      ++binding;
      const auto ranking = planner::run_planner(**planner::find_planner("joint"), problem,
                                                {{"synchronous-only", "true"}}, judge.context);
      QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
      QVERIFY2(!ranking->plans.empty(), qPrintable(QStringLiteral("trial %1: no plan").arg(trial)));
      const double joint = judge.time(ranking->plans[0]);
      QVERIFY(judge.fits(ranking->plans[0]));
      QVERIFY2(
          joint <= *best.time * (1 + 1e-9),
          qPrintable(
              QStringLiteral("trial %1: %2 ms instead of %3 ms").arg(trial).arg(joint * 1e3).arg(*best.time * 1e3)));
    }
  }
};

PIPEDECK_TEST(TestJointMemory)

}  // namespace pipedeck::tst_joint_memory

#include "tst_joint_memory.moc"
