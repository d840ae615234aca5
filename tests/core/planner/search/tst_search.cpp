// SPDX-License-Identifier: Apache-2.0
// The searches against enumeration of every plan, on small random problems.
#include <QtTest/QTest>

#include "core/planner/planner.hpp"
#include "tests/core/planner/brute_force.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_search {

using pipedeck::test::Random;
using pipedeck::test::RandomProblem;

Problem make(Random& random, int layers, std::vector<int> nodes, int global_batch, int micro_batch) {
  RandomProblem shape;
  shape.layers = layers;
  shape.nodes = std::move(nodes);
  Problem problem = test::random_problem(random, shape);
  problem.workload.global_batch = global_batch;
  problem.workload.micro_batch = micro_batch;
  return problem;
}

Result<planner::Ranking> answer(const std::string& planner, const Problem& problem,
                                const planner::PlannerOptions& options, int top = 1) {
  const auto info = planner::find_planner(planner);
  planner::PlannerContext context;
  context.top = top;
  return planner::run_planner(**info, problem, options, context);
}

/// Same objective, or none in both.
void same(const Result<planner::Ranking>& ranking, const std::optional<Plan>& expected) {
  QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
  QCOMPARE(ranking->plans.empty(), !expected.has_value());
  if (!expected) {
    QVERIFY(ranking->infeasible.has_value());
    return;
  }
  const Objective &got = *ranking->plans.front().objective, &want = *expected->objective;
  if (want.bytes) {
    QCOMPARE(got.bytes->count, want.bytes->count);
    return;
  }
  const double gap = std::abs(got.time->count - want.time->count);
  QVERIFY2(gap <= 1e-9 * std::abs(want.time->count),
           qPrintable(QString("%1 against %2: %3 and %4")
                          .arg(got.time->count)
                          .arg(want.time->count)
                          .arg(stage_shape_text(ranking->plans.front()).c_str(), stage_shape_text(*expected).c_str())));
}

class TestSearch : public QObject {
  Q_OBJECT

 private slots:
  void pipedream_is_optimal_data();
  void pipedream_is_optimal();
};

void TestSearch::pipedream_is_optimal_data() {
  QTest::addColumn<int>("seed");
  for (int seed = 0; seed < 60; ++seed) QTest::addRow("%d", seed) << seed;
}

void TestSearch::pipedream_is_optimal() {
  QFETCH(int, seed);
  Random random(static_cast<std::uint64_t>(seed) + 2000);
  const std::vector<std::vector<int>> shapes{{1}, {2}, {4}, {5}, {2, 2}, {3, 3}, {2, 2, 2}, {1, 1, 1}, {3, 2}};
  const std::vector<int> nodes = shapes[static_cast<std::size_t>(random.integer(0, 8))];
  Problem problem = make(random, random.integer(2, 6), nodes, 8, 1);
  const bool ignore = seed % 2 == 0, flat = seed % 5 == 4, printed = seed % 7 == 3;
  if (!ignore) problem = test::with_random_memory(problem, random);
  planner::PlannerOptions options;
  if (ignore) options["ignore-memory"] = "true";
  if (flat) options["levels"] = "flat";
  if (printed) options["printed-objective"] = "true";
  const BruteForceOptions all{.evaluate = {.ignore_memory = ignore, .printed_objective = printed, .flat_levels = flat}};
  same(answer("pipedream", problem, options), brute_force_pipedream(problem, 1, all));
}

PIPEDECK_TEST(TestSearch)

}  // namespace pipedeck::tst_search

#include "tst_search.moc"
