// SPDX-License-Identifier: Apache-2.0
// The front against brute force, and the plans it is made of.
#include <QtTest/QTest>

#include <algorithm>
#include <map>

#include "core/plan/validate.hpp"
#include "core/study/whatif/front.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_front {

using pipedeck::test::Random;

/// By the definition alone.
std::vector<bool> brute_force(const std::vector<ObjectiveVector>& choices) {
  std::vector<bool> stands;
  for (const ObjectiveVector& one : choices)
    stands.push_back(std::none_of(choices.begin(), choices.end(), [&](const ObjectiveVector& other) {
      const bool no_worse = other[0] <= one[0] && other[1] <= one[1] && other[2] <= one[2];
      return no_worse && other != one;
    }));
  return stands;
}

Problem small_problem(int seed) {
  Random random(static_cast<std::uint64_t>(seed));
  Problem problem =
      test::random_problem(random, {.layers = 8, .nodes = {2, 2, 2}, .memory = Bytes(std::int64_t{6} << 30)});
  problem.workload.global_batch = 16;
  return problem;
}

std::vector<PlanCandidate> found(const Problem& problem, const study::whatif::SearchOptions& how = {}) {
  const auto plans = study::whatif::find_front(problem, study::default_planners(*problem.profile),
                                               study::whatif::front_space(problem), how);
  return plans ? *plans : std::vector<PlanCandidate>();
}

class TestFront : public QObject {
  Q_OBJECT

 private slots:
  void non_dominated_by_brute_force();
  void nothing_and_one();
  void equal_choices_stand_together();
  void every_plan_is_one_and_fits();
  void front_covers_every_size();
  void threads_change_nothing();
  void a_stop_cancels();
  void a_hurry_answers();
  void without_a_price_two_are_weighed();
  void space_keeps_a_fixed_micro_batch();
  void space_of_many_nodes_is_small();
};

void TestFront::non_dominated_by_brute_force() {
  for (int seed = 0; seed < 400; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    // Few values: many ties, in one respect and in all. Seeds that are even leave one respect aside.
    const int values = random.integer(2, 40), count = random.integer(1, 120);
    std::vector<ObjectiveVector> choices;
    for (int i = 0; i < count; ++i)
      choices.push_back({static_cast<double>(-random.integer(0, values)),
                         static_cast<double>(random.integer(0, values)),
                         seed % 2 == 0 ? 0.0 : static_cast<double>(random.integer(0, values))});
    QCOMPARE(non_dominated(choices), brute_force(choices));
  }
}

void TestFront::nothing_and_one() {
  QVERIFY(non_dominated({}).empty());
  const std::vector<ObjectiveVector> one{{1, 2, 3}};
  QCOMPARE(non_dominated(one), std::vector<bool>{true});
}

void TestFront::equal_choices_stand_together() {
  const std::vector<ObjectiveVector> choices{{1, 1, 1}, {2, 0, 0}, {1, 1, 1}, {2, 1, 0}, {2, 0, 0}};
  QCOMPARE(non_dominated(choices), (std::vector<bool>{true, true, true, false, true}));
}

void TestFront::every_plan_is_one_and_fits() {
  const Problem problem = small_problem(1);
  const std::vector<PlanCandidate> plans = found(problem);
  QVERIFY(plans.size() > 20);
  for (const PlanCandidate& plan : plans) {
    QVERIFY(plan::validate(*plan.plan, *problem.profile, *plan.cluster));
    const sim::Simulator simulator = *sim::Simulator::of(problem.profile, plan.cluster, problem.workload.conventions);
    const auto simulation = simulator.run(*plan.plan);
    QVERIFY(simulation && simulation->fits);
    QCOMPARE(plan.samples_per_second, simulation->samples_per_second);
    Bytes most;
    for (const SimulatedDevice& device : simulation->devices) most = std::max(most, device.peak);
    QCOMPARE(plan.largest_peak.count, most.count);
  }
  const std::vector<std::size_t> front = study::whatif::front_of(plans);
  const std::vector<ObjectiveVector> costs = study::whatif::front_costs(plans);
  const std::vector<bool> expected = brute_force(costs);
  for (std::size_t i = 0; i < plans.size(); ++i)
    QCOMPARE(std::binary_search(front.begin(), front.end(), i), static_cast<bool>(expected[i]));
}

void TestFront::front_covers_every_size() {
  std::map<int, int> sizes;
  for (const PlanCandidate& plan : found(small_problem(2))) ++sizes[static_cast<int>(plan.cluster->nodes.size())];
  QCOMPARE(sizes.size(), std::size_t{3});
}

void TestFront::threads_change_nothing() {
  const Problem problem = small_problem(3);
  const auto one = found(problem), four = found(problem, {.threads = 4});
  QCOMPARE(one.size(), four.size());
  for (std::size_t i = 0; i < one.size(); ++i) QVERIFY(*one[i].plan == *four[i].plan);
}

void TestFront::a_stop_cancels() {
  std::stop_source stop;
  const Problem problem = small_problem(4);
  int calls = 0;
  const auto answer =
      study::whatif::find_front(problem, study::default_planners(*problem.profile), study::whatif::front_space(problem),
                                {.stop = stop.get_token()}, [&](const std::vector<PlanCandidate>&) {
                                  ++calls;
                                  stop.request_stop();
                                });
  QVERIFY(!answer);
  QVERIFY(answer.error().code == ErrorCode::cancelled);
  QCOMPARE(calls, 1);
}

void TestFront::a_hurry_answers() {
  std::stop_source hurry;
  const Problem problem = small_problem(5);
  const std::size_t all = found(problem).size();
  const auto answer = study::whatif::find_front(
      problem, study::default_planners(*problem.profile), study::whatif::front_space(problem),
      {.deadline_token = hurry.get_token()}, [&](const std::vector<PlanCandidate>&) { hurry.request_stop(); });
  QVERIFY(answer);
  QVERIFY(!answer->empty());
  QVERIFY(answer->size() < all);
}

void TestFront::without_a_price_two_are_weighed() {
  std::vector<PlanCandidate> plans = found(small_problem(6));
  for (const ObjectiveVector& costs : study::whatif::front_costs(plans)) QCOMPARE(costs[2], 0.0);
  for (PlanCandidate& plan : plans) plan.price_per_hour = 2.0 * plan.devices;
  for (std::size_t i = 0; i < plans.size(); ++i)
    QCOMPARE(study::whatif::front_costs(plans)[i][2], 2.0 * plans[i].devices);
  plans.front().price_per_hour.reset();
  for (const ObjectiveVector& costs : study::whatif::front_costs(plans)) QCOMPARE(costs[2], 0.0);
}

void TestFront::space_keeps_a_fixed_micro_batch() {
  Problem problem = small_problem(7);
  QCOMPARE(study::whatif::front_space(problem).micro_batches, (std::vector<int>{0, 1, 2, 4, 8, 16}));
  problem.workload.micro_batch = 4;
  QCOMPARE(study::whatif::front_space(problem).micro_batches, std::vector<int>{4});
  for (const PlanCandidate& plan : found(problem))
    if (plan.plan->synchronous())
      QVERIFY2(plan.plan->micro_batch == 4, (plan.plan->name + " " + stage_shape_text(*plan.plan)).c_str());
}

void TestFront::space_of_many_nodes_is_small() {
  Random random(1);
  const Problem problem = test::random_problem(random, {.nodes = std::vector<int>(64, 1)});
  QCOMPARE(study::whatif::front_space(problem).nodes, (std::vector<int>{1, 8, 16, 24, 32, 40, 48, 56, 64}));
}

PIPEDECK_TEST(TestFront)

}  // namespace pipedeck::tst_front

#include "tst_front.moc"
