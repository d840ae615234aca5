// SPDX-License-Identifier: Apache-2.0
// The planner `mesh` as users ask it: options, answers without a plan, reasons, deadlines.
#include <QTest>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>
#include <string>

#include "core/analytic/analytic_profile.hpp"
#include "core/cost/lower_bound.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/documents/transformer.hpp"
#include "core/mesh/plan_question.hpp"
#include "core/plan/validate.hpp"
#include "core/planner/planner.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/presets.hpp"
#include "core/sim/simulate.hpp"
#include "tests/core/analytic/transformer/shards/shard_shapes.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_mesh_planner {

using planner::PlannerOptions;

Problem problem_of(const TransformerConfig& config, const std::string& cluster, int batch) {
  const AnalyticOptions options{.sequence = 2048};
  const DeviceModel device = *presets::catalogue_device("H100-SXM");
  auto computed = analytic::analytic_profile({config, {}}, device, options);
  if (!computed) qFatal("%s", computed.error().text().c_str());
  Problem problem;
  problem.profile = std::make_shared<const Profile>(
      io::documents::with_origin(std::move(computed->profile), {config, device.type.name, options}));
  problem.cluster = std::make_shared<const Cluster>(presets::open_cluster(cluster).value());
  problem.workload.global_batch = batch;
  problem.workload.precision = Precision::mixed_18;
  return problem;
}

planner::PlannerContext judged(const Problem& problem) {
  const auto simulator = sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
  planner::PlannerContext context;
  context.score = sim::score_of(*simulator);
  context.fits = sim::fits_of(*simulator);
  return context;
}

planner::Ranking ranking_of(const Problem& problem, const PlannerOptions& options = {}, int top = 1,
                            bool explain = false) {
  planner::PlannerContext context = judged(problem);
  context.top = top, context.explain = explain;
  auto ranking = planner::run_planner(**planner::find_planner("mesh"), problem, options, context);
  if (!ranking) qFatal("%s", ranking.error().text().c_str());
  return *std::move(ranking);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

class TestMeshPlanner : public QObject {
  Q_OBJECT

  const Problem seven_ = problem_of(test::llama(4096, 32, 32, 32, 11008, 32000), "preset:2x8-h100-sxm", 64);

 private slots:
  void the_answer_is_simulated_and_proven() {
    const auto ranking = ranking_of(seven_, {}, 3);
    QVERIFY2(!ranking.infeasible, ranking.infeasible ? ranking.infeasible->reason.c_str() : "");
    const Plan& plan = ranking.plans.front();
    QCOMPARE(plan.planner, std::string("mesh"));
    QVERIFY(has_mesh(plan) && plan.choices);
    QCOMPARE(plan.global_batch, 64);
    QVERIFY(has(plan.certificate->optimal_in, "simulated"));
    QVERIFY(plan.certificate->lower_bound.count > 0 && plan.certificate->lower_bound <= *plan.objective->time);
    const auto simulator = sim::Simulator::of(seven_.profile, seven_.cluster, seven_.workload.conventions);
    Seconds before;
    for (const Plan& one : ranking.plans) {
      const Seconds time = simulator->iteration_time(one).value();
      QVERIFY(std::abs(time.count - one.objective->time->count) <= 1e-9 * time.count);
      QVERIFY(*ranking.plans.front().objective->time <= time);
      QVERIFY(simulator->prediction(one)->fits);
      before = time;
    }
    QVERIFY(before.count > 0);
    QCOMPARE(io::documents::plan_to_json(ranking_of(seven_, {}, 3).plans.front()), io::documents::plan_to_json(plan));
  }

  void pins_are_kept_data() {
    QTest::addColumn<QString>("option");
    QTest::addColumn<QString>("value");
    for (const auto& [option, value] : {std::pair{"tp", "4"},
                                        {"cp", "2"},
                                        {"pp-ranks", "2"},
                                        {"dp-ranks", "4"},
                                        {"samples", "2"},
                                        {"sharding", "3"},
                                        {"recompute", "full"},
                                        {"vp", "2"},
                                        {"sp", "off"},
                                        {"products", "fp8"}})
      QTest::newRow(option) << option << value;
  }
  void pins_are_kept() {
    QFETCH(QString, option);
    QFETCH(QString, value);
    PlannerOptions options{{option.toStdString(), value.toStdString()}};
    if (option == "vp") options["pp-ranks"] = "2";
    if (option == "sp") options["tp"] = "2";
    const auto ranking = ranking_of(seven_, options);
    QVERIFY2(!ranking.infeasible, ranking.infeasible ? ranking.infeasible->reason.c_str() : "");
    const auto asked = mesh::question_of(ranking.plans.front(), *seven_.profile, seven_.cluster).value();
    const std::map<QString, QString> found{{"tp", QString::number(asked.shard().tensor)},
                                           {"cp", QString::number(asked.shard().context)},
                                           {"pp-ranks", QString::number(asked.pipeline)},
                                           {"dp-ranks", QString::number(asked.data)},
                                           {"samples", QString::number(asked.layer.count.micro_batch)},
                                           {"sharding", QString::number(asked.sharding.level)},
                                           {"recompute", asked.layer.recomputed.blocks ? "full" : "none"},
                                           {"vp", QString::number(asked.virtual_stages)},
                                           {"sp", asked.shard().divides_tokens() ? "on" : "off"},
                                           {"products", QString::fromStdString(asked.training.products)}};
    QCOMPARE(found.at(option), value);
  }

  void pins_of_all_planners_are_kept() {
    Problem problem = seven_;
    problem.pins.stages = 4, problem.pins.tensor_parallel = 2;
    const auto ranking = ranking_of(problem);
    QCOMPARE(ranking.plans.front().stages.size(), std::size_t{4});
    QCOMPARE(ranking.plans.front().stages.front().tensor_parallel, 2);
  }

  void no_mesh_divides_the_model() {
    const auto ranking = ranking_of(seven_, {{"tp", "3"}});
    QVERIFY2(
        has(ranking.infeasible->reason, "no mesh of 16 devices divides the model and a global batch of 64 samples"),
        ranking.infeasible->reason.c_str());
  }

  void missing_memory_is_named() {
    Cluster cluster = *seven_.cluster;
    cluster.device_types.front().memory = Bytes(std::int64_t{8} << 30);
    Problem problem = seven_;
    problem.cluster = std::make_shared<const Cluster>(cluster);
    const auto none = ranking_of(problem).infeasible;
    QVERIFY(none.has_value());
    QVERIFY2(has(none->reason, "no mesh fits: the least that one needs is"), none->reason.c_str());
    const double more = std::stod(none->relaxation) * 0x1p30;
    QVERIFY2(more > 0 && has(none->relaxation, "GiB more memory on every device"), none->relaxation.c_str());
    const auto with = [&](double bytes) {
      cluster.device_types.front().memory = Bytes((std::int64_t{8} << 30) + static_cast<std::int64_t>(bytes));
      problem.cluster = std::make_shared<const Cluster>(cluster);
      return ranking_of(problem).plans.size();
    };
    QVERIFY(with(more) > 0);
    QVERIFY(with(0.95 * more) == 0);
  }

  void other_profiles_are_refused() {
    test::Random random(3);
    const Problem problem = test::random_problem(random, {.layers = 4, .nodes = {2}});
    const auto none = ranking_of(problem).infeasible;
    QVERIFY2(has(none->reason, "were not computed from one"), none->reason.c_str());
  }

  /// Returns `seven_` on a node of 8 H100 and one of 8 devices of another type.
  Problem on_two_types(const std::string& type) const {
    Cluster cluster = *seven_.cluster;
    cluster.device_types.push_back(presets::catalogue_device(type)->type);
    cluster.nodes.back().devices.front().type = type;
    Problem problem = seven_;
    problem.cluster = std::make_shared<const Cluster>(cluster);
    return problem;
  }

  /// Stages go to kinds, and the faster one has more blocks.
  void two_generations_share_a_pipeline() {
    const Problem both = on_two_types("A100-80GB");
    const auto ranking = ranking_of(both, {}, 4, true);
    QVERIFY2(!ranking.infeasible, ranking.infeasible ? ranking.infeasible->reason.c_str() : "");
    const auto simulator = sim::Simulator::of(both.profile, both.cluster, both.workload.conventions);
    for (const Plan& plan : ranking.plans) {
      const Seconds time = simulator->iteration_time(plan).value();
      QVERIFY(std::abs(time.count - plan.objective->time->count) <= 1e-9 * time.count);
      QVERIFY(simulator->run(plan)->fits && simulator->prediction(plan)->fits);
      QVERIFY(plan.certificate->lower_bound <= time);
    }
    const Plan& best = ranking.plans.front();
    QVERIFY2(has(best.name, "H100-SXM") && has(best.name, "A100-80GB"), best.name.c_str());
    QVERIFY(has(best.certificate->optimal_in, "simulated"));
    const auto question = mesh::question_of(best, *both.profile, both.cluster).value();
    QCOMPARE(question.devices(), 16);
    int on_fast = 0, on_slow = 0;
    for (std::size_t s = 0; s < best.stages.size(); ++s)
      (best.stages[s].devices.front().index() < 8 ? on_fast : on_slow) += question.blocks[s];
    QVERIFY2(on_fast > on_slow && on_slow > 0, best.name.c_str());

    // A cluster of the fast node alone has the plan of the arrangement without the slow one, in the same time.
    Problem alone = both;
    Cluster fast = *both.cluster;
    fast.nodes.pop_back(), fast.links.pop_back(), fast.device_types.pop_back();
    alone.cluster = std::make_shared<const Cluster>(fast);
    const Seconds on_fast_alone = *ranking_of(alone).plans.front().objective->time;
    QVERIFY(*best.objective->time < on_fast_alone);
    bool is_listed = false;
    for (const Plan& plan : ranking.plans) {
      if (std::ranges::find(plan.merits, Merit::cheapest) == plan.merits.end()) continue;
      is_listed = true;
      QCOMPARE(devices_used(plan).size(), std::size_t{8});
      QCOMPARE(*plan.objective->time, on_fast_alone);
    }
    QVERIFY(is_listed);
  }

  /// Two types that compute alike share stages, within the smaller memory.
  void equal_generations_share_stages() {
    const Problem both = on_two_types("H200");
    const auto ranking = ranking_of(both);
    const Plan& best = ranking.plans.front();
    QVERIFY2(has(best.name, "H100-SXM with H200"), best.name.c_str());
    const auto simulator = sim::Simulator::of(both.profile, both.cluster, both.workload.conventions);
    const auto prediction = simulator->prediction(best).value();
    QCOMPARE(prediction.capacity, both.cluster->device_types[0].memory);
    QVERIFY(prediction.fits && *best.objective->time < *ranking_of(seven_).plans.front().objective->time * 1.01);
  }

  /// Devices without times for the precision are left out, with the reason; so are those that would hold all others up.
  void some_kinds_are_left_out() {
    const auto with = [&](const std::string& type, const PlannerOptions& options) {
      const auto ranking = ranking_of(on_two_types(type), options);
      if (ranking.infeasible) qFatal("%s", ranking.infeasible->reason.c_str());
      return ranking.plans.front();
    };
    const Plan unknown = with("T4", {});
    QCOMPARE(devices_used(unknown).size(), std::size_t{8});
    QVERIFY2(has(unknown.rationale.back(), "T4"), unknown.rationale.back().c_str());
    const Plan alone = with("A100-80GB", {{"pp-ranks", "1"}});
    QCOMPARE(devices_used(alone).size(), std::size_t{8});
    QVERIFY2(has(alone.rationale.back(), "8 of 16 devices are idle"), alone.rationale.back().c_str());
  }

  void reasons() {
    const auto ranking = ranking_of(seven_, {{"tp", "2"}, {"pp-ranks", "2"}}, 1, true);
    std::string all;
    for (const std::string& sentence : ranking.plans.front().rationale) {
      QVERIFY2(!std::islower(static_cast<unsigned char>(sentence.front())), sentence.c_str());
      all += sentence + "\n";
    }
    for (const char* part : {"Compute is", "The fullest rank needs", "Limit: ", "Next limit: ",
                             "TP 2 stays in an NVLink domain of 8 devices.", "Sharding level"})
      QVERIFY2(has(all, part), (std::string(part) + " in\n" + all).c_str());
  }

  /// Schedules along a V, and with gradients apart, are asked for by name. Answers name the engines that have them.
  void schedules_by_name() {
    for (const auto& [name, engines] :
         {std::pair{"zb-v", "kept: those of torchtitan; found the schedule 'zb-v'"},
          std::pair{"dualpipev", "kept: those of torchtitan; found the schedule 'dualpipev'"},
          std::pair{"zb-h1", "No engine's rules for degrees and schedules are kept; found the schedule 'zb-h1'"},
          std::pair{"1f1b", "kept: those of Megatron-LM"}}) {
      const auto ranking = ranking_of(seven_, {{"schedule", name}, {"pp-ranks", "2"}}, 1, true);
      QVERIFY2(!ranking.plans.empty(), name);
      const Plan& best = ranking.plans.front();
      const bool usual = best.schedule == ScheduleKind::interleaved;
      QCOMPARE(name_of(usual ? ScheduleKind::one_f_one_b : best.schedule), std::string_view(name));
      QVERIFY(!best.certificate->optimal_in.empty());
      std::string why;
      for (const std::string& sentence : best.rationale) why += sentence + "\n";
      QVERIFY2(has(why, engines), why.c_str());
      const auto again = io::documents::plan_from_json(io::documents::plan_to_json(best));
      QVERIFY2(again, again ? "" : again.error().text().c_str());
      const auto valid = plan::validate(*again, *seven_.profile, *seven_.cluster);
      QVERIFY2(valid, valid ? "" : valid.error().text().c_str());
    }
    const auto time = [&](const char* schedules) {
      return ranking_of(seven_, {{"schedule", schedules}}).plans.front().objective->time->count;
    };
    QVERIFY(time("all") <= time("auto"));
  }

  /// The short list has each merit once. Times are those of simulations; the cheapest may leave nodes idle.
  void the_short_list_has_each_merit_once() {
    const auto simulator = sim::Simulator::of(seven_.profile, seven_.cluster, seven_.workload.conventions);
    const auto ranking = ranking_of(seven_, {}, merit_count);
    std::map<Merit, const Plan*> best;
    for (const Plan& plan : ranking.plans) {
      QVERIFY(std::abs(simulator->iteration_time(plan)->count - plan.objective->time->count) <=
              1e-9 * plan.objective->time->count);
      for (const Merit merit : plan.merits) QVERIFY(best.emplace(merit, &plan).second);
    }
    QCOMPARE(best.size(), std::size_t{merit_count});
    const Plan& fastest = *best.at(Merit::fastest);
    QCOMPARE(&fastest, &ranking.plans.front());
    for (const Merit merit : {Merit::simplest, Merit::least_memory})
      QVERIFY(best.at(merit)->objective->time->count < fastest.objective->time->count * 1.05);
    const Plan& cheapest = *best.at(Merit::cheapest);
    const auto cost = [](const Plan& plan) {
      return plan.objective->time->count * static_cast<double>(devices_used(plan).size());
    };
    QVERIFY(cost(cheapest) <= cost(fastest));
    if (&cheapest != &fastest) {
      QCOMPARE(devices_used(cheapest).size(), devices_used(fastest).size() / 2);
      QVERIFY2(has(cheapest.rationale.front(), "Cheapest: 8 of 16 devices"), cheapest.rationale.front().c_str());
    }
    QVERIFY(ranking_of(seven_).plans.front().merits.empty());
    const std::string text = io::documents::plan_to_json(cheapest);
    QVERIFY(has(text, "\"merits\"") && has(text, "\"cheapest\""));
    const auto again = io::documents::plan_from_json(text);
    QVERIFY2(again, again ? "" : again.error().text().c_str());
    QVERIFY(again->merits == cheapest.merits);
  }

  /// Few samples leave devices with little to do: the cheapest plan has half of the nodes.
  void the_cheapest_leaves_nodes_idle() {
    Problem problem = seven_;
    problem.workload.global_batch = 4;
    const auto ranking = ranking_of(problem, {}, merit_count);
    const auto cheapest = std::ranges::find_if(ranking.plans, [](const Plan& plan) {
      return std::ranges::find(plan.merits, Merit::cheapest) != plan.merits.end();
    });
    QVERIFY(cheapest != ranking.plans.end() && cheapest != ranking.plans.begin());
    QCOMPARE(devices_used(*cheapest).size(), std::size_t{8});
    QVERIFY2(has(cheapest->rationale.front(), "Cheapest: 8 of 16 devices"), cheapest->rationale.front().c_str());
    QVERIFY(cheapest->objective->time->count * 8 < ranking.plans.front().objective->time->count * 16);
  }

  void the_deadline_gives_the_first_plan() {
    std::stop_source over;
    over.request_stop();
    planner::PlannerContext context = judged(seven_);
    context.deadline_token = over.get_token();
    const auto first = planner::run_planner(**planner::find_planner("mesh"), seven_, {}, context);
    QVERIFY2(first, first ? "" : first.error().text().c_str());
    QVERIFY(!first->plans.empty());
    QVERIFY(first->plans.front().certificate->optimal_in.empty());
    context = judged(seven_);
    context.stop = over.get_token();
    QCOMPARE(planner::run_planner(**planner::find_planner("mesh"), seven_, {}, context).error().code,
             ErrorCode::cancelled);
  }

  void unknown_times_are_a_reason() {
    const TransformerConfig small = test::llama(512, 4, 8, 8, 1024, 1000);
    const AnalyticOptions options{.precision = "fp32", .sequence = 128};
    DeviceModel device = *presets::catalogue_device("V100-16GB");
    auto computed = analytic::analytic_profile({small, {}}, device, options);
    QVERIFY2(computed, computed ? "" : computed.error().text().c_str());
    Problem problem;
    problem.profile = std::make_shared<const Profile>(
        io::documents::with_origin(std::move(computed->profile), {small, device.type.name, options}));
    problem.cluster = std::make_shared<const Cluster>(presets::cluster_preset("dapple-a").value());
    problem.workload.global_batch = 16;
    const auto ranking = ranking_of(problem);
    QVERIFY(ranking.infeasible);
    QVERIFY2(has(ranking.infeasible->reason, "no times for this question: found precision 'fp32'"),
             ranking.infeasible->reason.c_str());
  }

  /// joint takes its plan as it is: never slower, and with the time that one simulation has of it.
  void joint_answers_no_slower() {
    const Problem one_node = problem_of(test::llama(2048, 8, 16, 16, 5504, 32000), "preset:8-h100-sxm", 16);
    const Plan mesh = ranking_of(one_node).plans.front();
    const planner::PlannerContext context = judged(one_node);
    const auto joint =
        planner::run_planner(**planner::find_planner("joint"), one_node, {{"evaluations", "1"}}, context);
    QVERIFY2(joint && !joint->infeasible, joint ? "" : joint.error().text().c_str());
    const Plan& best = joint->plans.front();
    const auto time = context.score(best, {}, {});
    QVERIFY(time);
    QCOMPARE(*best.objective->time, *time);
    QVERIFY(*time <= *mesh.objective->time);
    const auto gpipe = planner::run_planner(**planner::find_planner("joint"), one_node,
                                            {{"evaluations", "1"}, {"schedule", "gpipe"}}, context);
    QVERIFY(gpipe);
    for (const Plan& plan : gpipe->plans) QVERIFY(!has_mesh(plan));
  }

  /// A planner's plans have the adapters that were asked for, or it has no plan.
  void adapters_are_kept_or_refused() {
    Problem problem = seven_;
    const auto time_of = [&](const planner::PlannerInfo& planner) -> std::optional<Seconds> {
      auto ranking = planner::run_planner(planner, problem, {}, judged(problem));
      if (!ranking) qFatal("%s: %s", planner.name.c_str(), ranking.error().text().c_str());
      if (ranking->plans.empty()) return std::nullopt;
      for (const Plan& plan : ranking->plans) {
        if (adapters_of(plan) != problem.workload.adapters) qFatal("%s: other adapters", planner.name.c_str());
        if (!plan::validate(plan, *problem.profile, *problem.cluster)) qFatal("%s: no plan", planner.name.c_str());
      }
      return ranking->plans.front().objective->time;
    };
    const Seconds all = *time_of(**planner::find_planner("mesh"));
    QVERIFY(cost::lower_bound(problem)->count > 0);
    problem.workload.adapters = {16, AdapterTargets::linear, FrozenWeights::same};
    QCOMPARE(*cost::lower_bound(problem), Seconds());  // that of all weights' training would be above these plans
    for (const planner::PlannerInfo& planner : planner::planners()) {
      const auto time = time_of(planner);
      QCOMPARE(time.has_value(), planner.trains_adapters);
      if (time && planner.name == "mesh") QVERIFY(*time<all&& * time> all * 0.5);
    }
  }
};

PIPEDECK_TEST(TestMeshPlanner)

}  // namespace pipedeck::tst_mesh_planner

#include "tst_mesh_planner.moc"
