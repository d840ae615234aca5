// SPDX-License-Identifier: Apache-2.0
// The comparison of command line and window: answers as they come, equal for any number of threads, and one failure
// that ends nothing.
#include <QTest>

#include <map>
#include <set>

#include "core/cost/lower_bound.hpp"
#include "core/io/checksum.hpp"
#include "core/study/compare.hpp"
#include "core/study/origin.hpp"
#include "core/study/trial.hpp"
#include "tests/support/large_problem.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/test_program.hpp"

using namespace pipedeck;

namespace {

Problem small_problem() {
  Problem problem;
  problem.profile = std::make_shared<const Profile>(test::uniform_profile(8, milliseconds(1), milliseconds(2)));
  problem.cluster = std::make_shared<const Cluster>(test::servers(2, 2, Bytes(std::int64_t{16} << 30)));
  problem.workload.global_batch = 64;
  return problem;
}

study::PlannerRequest asked(const std::string& name) { return {planner::find_planner(name).value(), {}}; }

}  // namespace

class TestCompare : public QObject {
  Q_OBJECT

 private slots:
  void hands_over_each_answer_once() {
    const Problem problem = small_problem();
    const auto planners = study::default_planners();
    QVERIFY(planners.size() > 5);
    study::PlanSimulator plan_simulator;
    std::multiset<std::size_t> places;
    std::map<std::size_t, std::string> shapes;
    study::CompareOptions options;
    options.threads = 2;
    options.answered = [&](std::size_t place, const study::ComparedPlan& answer) {
      places.insert(place);
      if (answer.simulated_plan) shapes[place] = stage_shape_text(answer.simulated_plan->plan);
    };
    const auto comparison = study::compare(problem, planners, plan_simulator, options, {}, {});
    QVERIFY2(comparison, comparison ? "" : comparison.error().text().c_str());
    QCOMPARE(places.size(), planners.size());
    for (std::size_t i = 0; i < planners.size(); ++i) {
      QCOMPARE(places.count(i), std::size_t{1});
      const study::ComparedPlan& answer = comparison->plans[i];
      QCOMPARE(answer.planner, planners[i].planner);
      QCOMPARE(answer.simulated_plan.has_value() + answer.infeasible.has_value() + answer.error.has_value(), 1);
      if (answer.simulated_plan) QCOMPARE(shapes[i], stage_shape_text(answer.simulated_plan->plan));
    }
  }

  void threads_change_no_answer() {
    const Problem problem = small_problem();
    std::vector<std::vector<Plan>> plans;
    for (const int threads : {1, 2, 7}) {
      study::PlanSimulator plan_simulator;
      const auto comparison = study::compare(problem, study::default_planners(), plan_simulator,
                                             {.threads = threads, .explain = true}, {}, {});
      QVERIFY(comparison);
      std::vector<Plan>& these = plans.emplace_back();
      for (const study::ComparedPlan& answer : comparison->plans)
        these.push_back(answer.simulated_plan ? answer.simulated_plan->plan : Plan());
    }
    QVERIFY(plans[0] == plans[1]);
    QVERIFY(plans[0] == plans[2]);
  }

  void a_plan_is_predicted_and_gets_its_origin() {
    const Problem problem = small_problem();
    study::PlanSimulator plan_simulator;
    const auto comparison = study::compare(problem, {asked("dapple")}, plan_simulator, {}, {}, {});
    QVERIFY(comparison && comparison->plans.front().simulated_plan);
    const auto& [simulated_plan, simulation, other] = *comparison->plans.front().simulated_plan;
    QVERIFY(simulated_plan.profile_sha256.empty() && simulated_plan.cluster_sha256.empty());
    const Plan plan = study::with_origin(simulated_plan, study::origin_of(*problem.profile, *problem.cluster));
    QCOMPARE(plan.profile_sha256, io::sha256_of(*problem.profile));
    QCOMPARE(plan.cluster_sha256, io::sha256_of(*problem.cluster));
    QCOMPARE(plan.profile, problem.profile->name);
    QCOMPARE(plan.cluster, problem.cluster->name);
    const auto alone = sim::Simulator::of(problem.profile, problem.cluster, {}).value().run(plan);
    QVERIFY(alone);
    QCOMPARE(simulation->iteration, alone->iteration);
    QCOMPARE(plan.predicted->iteration, to_seconds(alone->iteration));
  }

  void an_arrangement_that_fails_is_no_plan() {
    const Problem problem = small_problem();
    study::PlanSimulator plan_simulator;
    study::CompareOptions options;
    options.arrange = [](Plan plan) -> Result<Plan> {
      if (plan.planner == "dapple") return fail(ErrorCode::bad_usage, "not like this");
      plan.name = "arranged";
      return plan;
    };
    const auto comparison = study::compare(problem, {asked("dapple"), asked("gpipe")}, plan_simulator, options, {}, {});
    QVERIFY(comparison);
    QVERIFY(!comparison->plans[0].simulated_plan);
    QCOMPARE(comparison->plans[0].infeasible->reason, std::string("not like this"));
    QVERIFY(comparison->plans[1].simulated_plan);
    QCOMPARE(comparison->plans[1].simulated_plan->plan.name, std::string("arranged"));
  }

  void a_failure_of_one_planner_ends_nothing() {
    const Problem problem = small_problem();
    study::PlanSimulator plan_simulator;
    study::PlannerRequest wrong = asked("dapple");
    wrong.options["no-such-option"] = "1";
    const auto comparison = study::compare(problem, {wrong, asked("gpipe")}, plan_simulator, {}, {}, {});
    QVERIFY(comparison);
    QVERIFY(comparison->plans[0].error);
    QVERIFY(comparison->plans[0].error->text().find("no-such-option") != std::string::npos);
    QVERIFY(comparison->plans[1].simulated_plan);
  }

  void a_stop_is_an_error_of_the_comparison() {
    std::stop_source stop;
    stop.request_stop();
    study::PlanSimulator plan_simulator;
    const auto comparison =
        study::compare(small_problem(), study::default_planners(), plan_simulator, {}, {}, stop.get_token());
    QVERIFY(!comparison);
    QCOMPARE(comparison.error().code, ErrorCode::cancelled);
  }

  /// The table of the window and the command line's plans have one bound.
  void facts_have_the_bound_of_each_plan() {
    int compared = 0;
    test::Random random(5);
    for (int round = 0; round < 200; ++round) {
      Problem problem = test::random_rich_problem(random);
      problem.workload.global_batch = 16;
      if (round % 2 == 0) problem.workload.micro_batch = 4;
      study::PlanSimulator plan_simulator;
      const auto facts = plan_simulator.facts(problem);
      if (!facts) continue;
      for (const bool same : {true, false})
        for (const bool synchronous : {true, false}) {
          Plan plan;
          plan.micro_batch = problem.workload.micro_batch.value_or(4) + (same ? 0 : 1);
          plan.schedule = synchronous ? ScheduleKind::one_f_one_b : ScheduleKind::pipedream;
          QCOMPARE(plan.synchronous(), synchronous);
          QCOMPARE(facts->bound_of(plan), cost::lower_bound_of(problem, plan).value());
          ++compared;
        }
    }
    QVERIFY(compared > 400);
  }

  void trials_are_sorted_by_their_measured_time() {
    std::vector<study::Trial> trials(4);
    for (int i = 0; i < 4; ++i) trials[static_cast<std::size_t>(i)].plan = i;
    trials[1].measured = Seconds(2);
    trials[3].measured = Seconds(1);
    QCOMPARE(study::fastest(trials)->plan, 3);
    study::sort_fastest_first(trials);
    std::vector<int> order;
    for (const study::Trial& trial : trials) order.push_back(trial.plan);
    QCOMPARE(order, (std::vector<int>{3, 1, 0, 2}));
    trials[0].measured.reset(), trials[1].measured.reset();
    QVERIFY(!study::fastest(trials));
  }
};

PIPEDECK_TEST(TestCompare)
#include "tst_compare.moc"
