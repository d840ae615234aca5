// SPDX-License-Identifier: Apache-2.0
// The comparison of command line and window: answers as they come, equal for any number of threads, and one failure
// that ends nothing.
#include <QTest>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <thread>

#include "core/cost/lower_bound.hpp"
#include "core/io/checksum.hpp"
#include "core/plan/agreement.hpp"
#include "core/plan/reschedule.hpp"
#include "core/plan/short_list.hpp"
#include "core/planner/ranking.hpp"
#include "core/presets/presets.hpp"
#include "core/study/compare.hpp"
#include "core/study/trial.hpp"
#include "tests/support/large_problem.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_compare {

Problem small_problem() {
  Problem problem;
  problem.profile = std::make_shared<const Profile>(test::uniform_profile(8, milliseconds(1), milliseconds(2)));
  problem.cluster = std::make_shared<const Cluster>(test::servers(2, 2, Bytes(std::int64_t{16} << 30)));
  problem.workload.global_batch = 64;
  return problem;
}

study::PlannerRequest asked(const std::string& name) { return {planner::find_planner(name).value(), {}}; }

/// Returns a planner that has a plan and ignores its time budget: it ends only after a stop.
planner::PlannerInfo stubborn_planner() {
  planner::PlannerInfo info = *planner::find_planner("gpipe").value();
  info.name = "stubborn";
  info.plan = [](const Problem&, const planner::PlannerOptions&,
                 const planner::PlannerContext& context) -> Result<planner::Ranking> {
    planner::note_plan(context);
    while (!context.stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return fail(ErrorCode::cancelled, "stopped");
  };
  return info;
}

/// Returns a planner that simulates gpipe's plan, and then never answers by itself.
planner::PlannerInfo late_planner() {
  planner::PlannerInfo info = *planner::find_planner("gpipe").value();
  info.name = "late", info.title = "Late";
  info.plan = [](const Problem& problem, const planner::PlannerOptions& options,
                 const planner::PlannerContext& context) -> Result<planner::Ranking> {
    auto ranking = planner::find_planner("gpipe").value()->plan(problem, options, context);
    if (!ranking || ranking->plans.empty()) return ranking;
    if (const auto scored = context.score(ranking->plans.front(), {}, {}); !scored)
      return tl::unexpected(scored.error());
    while (!context.stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return fail(ErrorCode::cancelled, "stopped");
  };
  return info;
}

/// Returns a planner that searches for as long as it may, then answers as gpipe does.
planner::PlannerInfo patient_planner() {
  planner::PlannerInfo info = *planner::find_planner("gpipe").value();
  info.name = "patient";
  info.plan = [](const Problem& problem, const planner::PlannerOptions& options,
                 const planner::PlannerContext& context) -> Result<planner::Ranking> {
    auto ranking = planner::find_planner("gpipe").value()->plan(problem, options, context);
    if (!ranking || ranking->plans.empty()) return ranking;
    const auto scored = context.score(ranking->plans.front(), {}, {});
    if (!scored) return tl::unexpected(scored.error());
    planner::note_plan(context);
    while (!context.deadline_token.stop_requested() && !context.stop.stop_requested())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (context.stop.stop_requested()) return fail(ErrorCode::cancelled, "stopped");
    ranking->plans.front().truncated = true;
    return ranking;
  };
  return info;
}

/// Returns true as soon as `holds`; false if it does not within ten seconds.
template <class Condition>
bool eventually(const Condition& holds) {
  const auto begin = std::chrono::steady_clock::now();
  while (!holds()) {
    if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(10)) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

class TestCompare : public QObject {
  Q_OBJECT

 private slots:
  void hands_over_each_answer_once() {
    const Problem problem = small_problem();
    const auto planners = study::default_planners(*problem.profile);
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

  /// mesh answers with its short list: different plans, each for its merits. Plans of other planners are alone.
  void the_short_list_is_compared() {
    Problem problem;
    problem.profile = std::make_shared<const Profile>(presets::profile_preset("llama-3-8b").value());
    problem.cluster = std::make_shared<const Cluster>(presets::open_cluster("preset:2x8-h100-sxm").value());
    problem.workload.global_batch = 16;
    problem.workload.precision = Precision::mixed_18;
    study::PlanSimulator plan_simulator;
    const auto comparison = study::compare(problem, {asked("mesh"), asked("fsdp")}, plan_simulator, {}, {}, {});
    QVERIFY2(comparison, comparison ? "" : comparison.error().text().c_str());
    const auto& [mesh, fsdp] = std::tie(comparison->plans[0], comparison->plans[1]);
    QVERIFY(mesh.simulated_plan && fsdp.simulated_plan && fsdp.alternatives.empty());
    QVERIFY(fsdp.simulated_plan->plan.merits.empty());
    std::multiset<Merit> merits;
    std::vector<const study::SimulatedPlan*> all{&*mesh.simulated_plan};
    for (const study::SimulatedPlan& one : mesh.alternatives) all.push_back(&one);
    for (const study::SimulatedPlan* one : all) {
      merits.insert(one->plan.merits.begin(), one->plan.merits.end());
      QCOMPARE(plan::is_alternative(one->plan), one != all.front());
      QVERIFY(one->plan.name.starts_with(plan::short_list_title("Mesh", one->plan.merits)));
      QVERIFY(one->simulation->fits && one->simulation->iteration >= all.front()->simulation->iteration);
      for (const study::SimulatedPlan* other : all)
        QCOMPARE(plan::agree(one->plan, *one->simulation, other->plan, *other->simulation), one == other);
    }
    QCOMPARE(merits, (std::multiset{Merit::fastest, Merit::simplest, Merit::least_memory, Merit::cheapest}));
    QVERIFY(std::ranges::any_of(mesh.alternatives, [](const study::SimulatedPlan& one) {
      return one.plan.merits.front() == Merit::cheapest && devices_used(one.plan).size() == 8;
    }));

    // A schedule of all plans that the short list does not have leaves no alternatives.
    study::CompareOptions arranged;
    arranged.arrange = [&](Plan plan) { return plan::with_schedule(plan, *problem.profile, ScheduleKind::gpipe); };
    const auto other = study::compare(problem, {asked("mesh")}, plan_simulator, arranged, {}, {});
    QVERIFY(other && other->plans.front().alternatives.empty());
  }

  /// Comparisons of language models ask for the plain choices; other comparisons and studies do not.
  void plain_choices_are_asked_in_comparisons_alone() {
    const Profile model = presets::profile_preset("llama-3-8b").value();
    const auto plain = [](const std::vector<study::PlannerRequest>& requests) {
      return std::ranges::count_if(requests, [](const auto& request) { return request.planner->plain_choice; });
    };
    QCOMPARE(plain(study::comparison_planners(model)), 3);
    QCOMPARE(plain(study::comparison_planners(*small_problem().profile)), 0);
    QCOMPARE(plain(study::default_planners(model)), 0);
  }

  void threads_change_no_answer() {
    const Problem problem = small_problem();
    std::vector<std::vector<Plan>> plans;
    for (const int threads : {1, 2, 7}) {
      study::PlanSimulator plan_simulator;
      const auto comparison = study::compare(problem, study::default_planners(*problem.profile), plan_simulator,
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
    const auto& [plan, simulation, other] = *comparison->plans.front().simulated_plan;
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

  /// One thread, and the first planner never answers by itself.
  void a_planner_without_end_holds_back_no_other() {
    const planner::PlannerInfo stubborn = stubborn_planner();
    study::PlanSimulator plan_simulator;
    std::vector<std::size_t> order;
    study::CompareOptions options;
    options.budget = Seconds(0.6);
    options.answered = [&](std::size_t place, const study::ComparedPlan&) { order.push_back(place); };
    const auto comparison = study::compare(small_problem(), {{&stubborn, {}}, asked("gpipe"), asked("dapple")},
                                           plan_simulator, options, {}, {});
    QVERIFY(comparison && !comparison->cancelled);
    QCOMPARE(order, (std::vector<std::size_t>{1, 2, 0}));
    QVERIFY(comparison->plans[0].out_of_time);
    QVERIFY(comparison->plans[0].infeasible && !comparison->plans[0].error);
    QVERIFY(comparison->plans[1].simulated_plan && comparison->plans[2].simulated_plan);
    QVERIFY(!comparison->plans[1].out_of_time);
  }

  void a_plan_that_was_seen_is_not_lost_with_its_planner() {
    const planner::PlannerInfo late = late_planner();
    study::PlanSimulator plan_simulator;
    const auto comparison = study::compare(small_problem(), {{&late, {}}, asked("gpipe")}, plan_simulator,
                                           {.budget = Seconds(0.3)}, {}, {});
    QVERIFY(comparison);
    const study::ComparedPlan &kept = comparison->plans[0], &whole = comparison->plans[1];
    QVERIFY(kept.simulated_plan && !kept.out_of_time && !kept.infeasible && !kept.error);
    QVERIFY(kept.simulated_plan->plan.truncated);
    QCOMPARE(kept.simulated_plan->plan.planner, std::string("late"));
    QVERIFY(kept.simulated_plan->plan.name.starts_with("Late "));
    QVERIFY(kept.simulated_plan->plan.stages == whole.simulated_plan->plan.stages);
    QCOMPARE(kept.simulated_plan->simulation->iteration, whole.simulated_plan->simulation->iteration);
  }

  void long_searches_begin_last_and_keep_their_place() {
    planner::PlannerInfo quick = *planner::find_planner("gpipe").value(), slow = quick;
    slow.name = "slow", slow.search_time = planner::SearchTime::slow;
    study::PlanSimulator plan_simulator;
    std::vector<std::size_t> order;
    study::CompareOptions options;
    options.answered = [&](std::size_t place, const study::ComparedPlan&) { order.push_back(place); };
    const auto comparison =
        study::compare(small_problem(), {{&slow, {}}, {&quick, {}}}, plan_simulator, options, {}, {});
    QVERIFY(comparison);
    QCOMPARE(order, (std::vector<std::size_t>{1, 0}));
    QCOMPARE(comparison->plans[0].planner->name, std::string("slow"));
  }

  void a_budget_ends_a_search_with_its_best_plan() {
    const planner::PlannerInfo patient = patient_planner();
    study::PlanSimulator plan_simulator;
    const auto begin = std::chrono::steady_clock::now();
    const auto comparison =
        study::compare(small_problem(), {{&patient, {}}}, plan_simulator, {.budget = Seconds(0.3)}, {}, {});
    const auto time = std::chrono::steady_clock::now() - begin;
    QVERIFY(comparison && comparison->plans[0].simulated_plan);
    QVERIFY(comparison->plans[0].simulated_plan->plan.truncated);
    QVERIFY(time >= std::chrono::milliseconds(300));
  }

  /// A plan that the same request found before is kept if the new one is slower, or if there is no new one.
  void a_longer_search_is_never_worse() {
    const Problem problem = small_problem();
    study::PlanSimulator simulator;
    const auto best = [&](const study::PlannerRequest& request, const study::CompareOptions& options) {
      return study::compare(problem, {request}, simulator, options, {}, {})->plans.at(0);
    };
    const auto iteration = [](const study::ComparedPlan& answer) {
      return answer.simulated_plan->simulation->iteration;
    };
    const study::PlannerRequest gpipe = asked("gpipe");
    const study::ComparedPlan own = best(gpipe, {}), faster = best(asked("joint"), {}),
                              slower = best(asked("single"), {});
    QVERIFY(iteration(faster) < iteration(own) && iteration(own) < iteration(slower));

    study::CompareOptions options;
    options.earlier[gpipe.planner] = faster.simulated_plan->plan;
    QCOMPARE(iteration(best(gpipe, options)), iteration(faster));
    QVERIFY(best(gpipe, options).simulated_plan->plan.stages == faster.simulated_plan->plan.stages);
    options.earlier[gpipe.planner].zero = 1;  // the answer to another question
    QCOMPARE(iteration(best(gpipe, options)), iteration(own));
    options.earlier[gpipe.planner] = slower.simulated_plan->plan;
    QCOMPARE(iteration(best(gpipe, options)), iteration(own));

    const planner::PlannerInfo stubborn = stubborn_planner();  // it is stopped, and has no plan
    options.budget = Seconds(0.05);
    QVERIFY(best({&stubborn, {}}, options).out_of_time);
    options.earlier[&stubborn] = own.simulated_plan->plan;
    const study::ComparedPlan kept = best({&stubborn, {}}, options);
    QVERIFY(kept.simulated_plan && !kept.out_of_time && !kept.infeasible);
    QVERIFY(kept.simulated_plan->plan.truncated);
    QCOMPARE(iteration(kept), iteration(own));
  }

  void a_search_is_followed_lengthened_and_ended_on_request() {
    const planner::PlannerInfo patient = patient_planner();
    study::PlanSimulator plan_simulator;
    study::Searches searches;
    QVERIFY(searches.statuses().empty());
    study::CompareOptions options;
    options.budget = Seconds(1);
    options.searches = &searches;
    std::optional<Result<study::Comparison>> comparison;
    std::jthread comparing([&] {
      comparison = study::compare(small_problem(), {{&patient, {}}}, plan_simulator, options, {}, {});
    });
    const auto status = [&] { return searches.statuses().at(0); };
    QVERIFY(eventually([&] { return !searches.statuses().empty() && status().best; }));
    QCOMPARE(status().state, study::Searches::State::running);
    QVERIFY(!status().best_plan.stages.empty());
    searches.set_budget(0, Seconds(1000));
    QVERIFY(eventually([&] { return status().elapsed > Seconds(1.3); }));
    QCOMPARE(status().state, study::Searches::State::running);
    searches.keep_best(0);
    comparing.join();
    QVERIFY(comparison && *comparison);
    QVERIFY((*comparison)->plans[0].simulated_plan->plan.truncated);
    QCOMPARE(status().state, study::Searches::State::answered);
    QCOMPARE(to_seconds((*comparison)->plans[0].simulated_plan->simulation->iteration).count, status().best->count);
  }

  void a_stop_keeps_the_answers_that_are_there() {
    const planner::PlannerInfo stubborn = stubborn_planner();
    std::stop_source stop;
    study::PlanSimulator plan_simulator;
    study::CompareOptions options;
    options.answered = [&](std::size_t, const study::ComparedPlan&) { stop.request_stop(); };
    const auto comparison = study::compare(small_problem(), {asked("gpipe"), {&stubborn, {}}}, plan_simulator, options,
                                           {}, stop.get_token());
    QVERIFY(comparison && comparison->cancelled);
    QVERIFY(comparison->plans[0].simulated_plan);
    QVERIFY(comparison->plans[1].error);
    QCOMPARE(comparison->plans[1].error->code, ErrorCode::cancelled);
    QCOMPARE(comparison->plans[1].planner->name, std::string("stubborn"));
  }

  void progress_names_the_planner_that_works() {
    const planner::PlannerInfo patient = patient_planner();
    study::PlanSimulator plan_simulator;
    std::string last;
    const auto comparison = study::compare(small_problem(), {asked("dapple"), {&patient, {}}}, plan_simulator,
                                           {.threads = 2, .budget = Seconds(0.5)},
                                           [&](double, std::string_view what) {
                                             if (what.find(';') < what.size()) last = what;
                                           },
                                           {});
    QVERIFY(comparison);
    QVERIFY2(last.starts_with("1 of 2 planners; GPipe"), last.c_str());
  }

  void language_models_leave_out_asynchronous_plans() {
    Profile profile = test::uniform_profile(4, milliseconds(1), milliseconds(2));
    const auto names = [](const std::vector<study::PlannerRequest>& requests) {
      std::vector<std::string> all;
      for (const study::PlannerRequest& request : requests) all.push_back(request.planner->name);
      return all;
    };
    const auto usual = study::comparison_planners(profile);
    QCOMPARE(usual.front().planner->name, std::string("joint"));
    QCOMPARE(usual.front().planner->title, std::string("Pipedeck"));
    QCOMPARE(usual.front().options.at("synchronous-only"), std::string("true"));
    QVERIFY(std::ranges::count(names(usual), "pipedream") == 1);
    QVERIFY(!study::is_language_model(profile));
    profile = presets::profile_preset("llama-3-8b", {}, "H100-SXM").value();
    QVERIFY(study::is_language_model(profile));
    const auto modern = names(study::comparison_planners(profile));
    QCOMPARE(modern.size(), usual.size() + 3);  // with mesh instead, and the plain choices
    QVERIFY(std::ranges::count(modern, "pipedream") == 0);
  }

  void transformers_are_divided_in_all_dimensions() {
    const auto asks_mesh = [](const std::vector<study::PlannerRequest>& requests) {
      return std::ranges::any_of(requests, [](const auto& request) { return request.planner->name == "mesh"; });
    };
    const Profile plain = test::uniform_profile(4, milliseconds(1), milliseconds(2));
    const Profile computed = presets::profile_preset("llama-3-8b", {}, "H100-SXM").value();
    for (const auto& ask : {study::comparison_planners, study::default_planners})
      QVERIFY(asks_mesh(ask(computed)) && !asks_mesh(ask(plain)));
  }

  /// Mesh and joint, which starts from its plan, give one plan with the bound of mesh's own space.
  void plans_in_several_dimensions_stand_among_the_others() {
    Problem problem;
    problem.profile = std::make_shared<const Profile>(presets::profile_preset("llama-3-8b", {}, "H100-SXM").value());
    problem.cluster = std::make_shared<const Cluster>(presets::cluster_preset("8-h100-sxm").value());
    problem.workload.global_batch = 32;
    problem.workload.precision = Precision::mixed_16;
    study::PlanSimulator plan_simulator;
    const auto comparison = study::compare(problem, {asked("mesh"), asked("megatron")}, plan_simulator, {}, {}, {});
    QVERIFY2(comparison, comparison ? "" : comparison.error().text().c_str());
    const study::SimulatedPlan &mesh = *comparison->plans[0].simulated_plan,
                               &other = *comparison->plans[1].simulated_plan;
    QVERIFY(has_mesh(mesh.plan));
    QVERIFY(mesh.simulation->iteration < other.simulation->iteration);
    const Seconds bound = mesh.plan.certificate->lower_bound;
    QVERIFY(bound.count > 0 && bound <= to_seconds(mesh.simulation->iteration));
    QCOMPARE(mesh.plan.predicted->lower_bound, bound);
    QCOMPARE(comparison->facts.bound_of(mesh.plan), bound);
    Plan edited = mesh.plan;
    edited.certificate.reset();
    QCOMPARE(comparison->facts.bound_of(edited), Seconds());
    QVERIFY(plan::agree(mesh.plan, *mesh.simulation, mesh.plan, *mesh.simulation));
    edited.sharding.level = (edited.sharding.level + 1) % 4;
    QVERIFY(!plan::agree(mesh.plan, *mesh.simulation, edited, *mesh.simulation));
  }

  /// Other schedules do not cover such a plan: its row has the reason, and the others their plans.
  void schedules_that_do_not_fit_are_reasons() {
    Problem problem;
    problem.profile = std::make_shared<const Profile>(presets::profile_preset("llama-3-8b", {}, "H100-SXM").value());
    problem.cluster = std::make_shared<const Cluster>(presets::cluster_preset("8-h100-sxm").value());
    problem.workload.global_batch = 32;
    problem.workload.precision = Precision::mixed_16;
    study::PlanSimulator plan_simulator;
    study::CompareOptions options;
    options.arrange = [&](const Plan& plan) {
      return plan::with_schedule(plan, *problem.profile, ScheduleKind::gpipe);
    };
    const auto comparison =
        study::compare(problem, {asked("mesh"), asked("megatron")}, plan_simulator, options, {}, {});
    QVERIFY2(comparison, comparison ? "" : comparison.error().text().c_str());
    QVERIFY(comparison->plans[0].infeasible && !comparison->plans[0].simulated_plan);
    QVERIFY2(comparison->plans[0].infeasible->reason.find("found 'gpipe'") != std::string::npos,
             comparison->plans[0].infeasible->reason.c_str());
    QVERIFY(comparison->plans[1].simulated_plan);
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

}  // namespace pipedeck::tst_compare

#include "tst_compare.moc"
