// SPDX-License-Identifier: Apache-2.0
#include <QtTest/QTest>

#include <array>

#include "core/plan/launch_order.hpp"
#include "core/planner/dapple/space.hpp"
#include "core/planner/evaluation/evaluation.hpp"
#include "core/planner/planner.hpp"
#include "core/planner/search/memory_fit.hpp"
#include "core/sim/simulate.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_planners {

Problem small(int seed, std::vector<int> nodes = {2, 2}, int layers = 6) {
  test::Random random(static_cast<std::uint64_t>(seed));
  Problem problem = test::random_problem(random, {.layers = layers, .nodes = std::move(nodes)});
  problem.workload.global_batch = 16;
  return problem;
}

planner::PlannerContext judged_by(const sim::Simulator& simulator, int top = 1) {
  planner::PlannerContext context;
  context.top = top;
  context.score = sim::score_of(simulator);
  return context;
}

class TestPlanners : public QObject {
  Q_OBJECT

 private slots:
  void options_are_checked();
  void policies();
  void every_planner_answers();
  void every_planner_brings_its_evaluation();
  void the_same_question_gives_the_same_answer();
  void dapple_ranks_by_simulation();
  void l_max_is_a_lower_bound();
  void a_micro_batch_of_its_own_has_its_bound();
  void plans_fit_in_simulation();
  void infeasible_names_the_least_memory();
  void the_relaxation_is_enough_data();
  void the_relaxation_is_enough();
  void fewer_samples_are_enough();
  void capture_takes_the_micro_batch_of_the_smallest_peak();
  void one_device_whatever_its_memory();
  void stop_is_honoured();
  void pipedream_lists_the_synchronous_plan();
  void a_wrong_objective_is_withheld();
  void memory_counts_device_by_device();
  void equal_plans_are_placed_for_launchers();
};

void TestPlanners::options_are_checked() {
  const planner::PlannerInfo& dapple = **planner::find_planner("dapple");
  QVERIFY(planner::check_options(dapple, {{"allow-idle", "true"}, {"min-slice", "3"}}).has_value());
  for (const planner::PlannerOptions& wrong : {planner::PlannerOptions{{"nonsense", "true"}},
                                               {{"allow-idle", "yes"}},
                                               {{"min-slice", "-1"}},
                                               {{"rank-by", "taste"}}}) {
    const auto result = planner::check_options(dapple, wrong);
    QVERIFY(!result.has_value());
    QCOMPARE(result.error().code, ErrorCode::bad_usage);
  }
  QCOMPARE(planner::find_planner("dappel").error().code, ErrorCode::bad_usage);
  const auto simulations = std::ranges::find(dapple.options, "simulations", &planner::OptionInfo::name);
  QCOMPARE(simulations->default_value, std::string("256"));
}

/// Section IV-B on three machines of 4, the first with one device in use.
void TestPlanners::policies() {
  const std::vector<int> sizes{4, 4, 4}, used{1, 0, 0};
  using List = std::vector<int>;
  QVERIFY(*planner::dapple::place(planner::dapple::PlacementPolicy::fresh_first, sizes, used, 6) == (List{0, 4, 2}));
  QVERIFY(*planner::dapple::place(planner::dapple::PlacementPolicy::append_first, sizes, used, 6) == (List{3, 3, 0}));
  QVERIFY(*planner::dapple::place(planner::dapple::PlacementPolicy::scatter_first, sizes, used, 6) == (List{3, 2, 1}));
  QVERIFY(*planner::dapple::place(planner::dapple::PlacementPolicy::scatter_first, sizes, {0, 0, 0}, 6) ==
          (List{2, 2, 2}));
  QVERIFY(!planner::dapple::place(planner::dapple::PlacementPolicy::fresh_first, sizes, used, 12));
}

void TestPlanners::every_planner_answers() {
  for (const int seed : {1, 2, 3}) {
    const Problem problem = small(seed);
    const sim::Simulator simulator =
        *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
    for (const planner::PlannerInfo& planner : planner::planners()) {
      if (planner.of_transformers) continue;
      const auto ranking = planner::run_planner(planner, problem, {}, judged_by(simulator, 3));
      QVERIFY2(ranking.has_value(), ranking ? "" : (planner.name + ": " + ranking.error().text()).c_str());
      QVERIFY2(!ranking->plans.empty(), planner.name.c_str());
      QVERIFY(ranking->plans.size() <= 3);
      for (const Plan& plan : ranking->plans) {
        QCOMPARE(plan.planner, planner.name);
        QVERIFY(simulator.iteration_time(plan).has_value());
      }
    }
  }
}

void TestPlanners::the_same_question_gives_the_same_answer() {
  const Problem problem = small(4);
  const sim::Simulator simulator = *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
  for (const planner::PlannerInfo& planner : planner::planners()) {
    if (planner.of_transformers) continue;
    const auto one = planner::run_planner(planner, problem, {}, judged_by(simulator, 2));
    const auto two = planner::run_planner(planner, problem, {}, judged_by(simulator, 2));
    QVERIFY(one->plans == two->plans);
  }
}

/// The answer is never slower than that of the least L_max, and the list is ordered, in the workload's own overlap.
void TestPlanners::dapple_ranks_by_simulation() {
  for (int seed = 10; seed < 20; ++seed) {
    const Problem problem = small(seed);
    const sim::Simulator simulator =
        *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
    const planner::PlannerInfo& dapple = **planner::find_planner("dapple");
    const auto simulated = planner::run_planner(dapple, problem, {}, judged_by(simulator, 4));
    const auto objective = planner::run_planner(dapple, problem, {{"rank-by", "objective"}}, judged_by(simulator));
    QVERIFY(simulated.has_value() && objective.has_value());
    const auto time = [&](const Plan& plan) { return simulator.iteration_time(plan)->count; };
    QVERIFY(time(simulated->plans[0]) <= time(objective->plans[0]));
    for (std::size_t i = 1; i < simulated->plans.size(); ++i)
      QVERIFY(time(simulated->plans[i - 1]) <= time(simulated->plans[i]));
  }
}

/// Four samples take little longer than one, and PipeDream's synchronous plan chooses its micro-batch itself.
void TestPlanners::a_micro_batch_of_its_own_has_its_bound() {
  Problem problem = small(93);
  Profile profile = *problem.profile;
  profile.micro_batch = 1;
  for (Layer& layer : profile.layers) layer.at = {{4, layer.forward * 1.1, layer.backward * 1.1}};
  problem.profile = std::make_shared<const Profile>(std::move(profile));
  problem.workload.global_batch = 16;
  problem.workload.micro_batch = 1;
  const sim::Simulator simulator = *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
  const auto ranking = planner::run_planner(**planner::find_planner("pipedream"), problem, {{"synchronous", "true"}},
                                            judged_by(simulator));
  QVERIFY(ranking && !ranking->plans.empty());
  const Plan& plan = ranking->plans.front();
  QVERIFY(plan.micro_batch > 1);
  QVERIFY(plan.certificate->lower_bound <= *plan.objective->time);
}

/// L_max never exceeds the simulated 1F1B iteration with `overlap none`. (This holds inside a node. Across nodes,
/// replicas may have their slow transfers at different boundaries, and L_max counts the slowest of every boundary.)
void TestPlanners::l_max_is_a_lower_bound() {
  for (int seed = 30; seed < 50; ++seed) {
    Problem problem = small(seed, {4}, 6);
    problem.workload.conventions.overlap = Overlap::none;
    const sim::Simulator simulator =
        *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
    const auto ranking = planner::run_planner(**planner::find_planner("dapple"), problem, {}, judged_by(simulator, 8));
    QVERIFY(ranking.has_value());
    for (const Plan& plan : ranking->plans) {
      const double l_max = plan.objective->time->count, simulated = simulator.iteration_time(plan)->count;
      QVERIFY2(l_max <= simulated * (1 + 1e-6), qPrintable(QString("%1, micro-batch %2: L_max %3, simulated %4")
                                                               .arg(stage_shape_text(plan).c_str())
                                                               .arg(plan.micro_batch)
                                                               .arg(l_max)
                                                               .arg(simulated)));
    }
  }
}

/// Plans that fit by a planner fit in simulation, also with large boundaries.
void TestPlanners::plans_fit_in_simulation() {
  int answers = 0;
  for (int seed = 60; seed < 90; ++seed) {
    Problem problem = small(seed, seed % 3 ? std::vector{2, 2} : std::vector{4});
    if (seed % 2) {
      Profile profile = *problem.profile;
      for (Layer& layer : profile.layers) layer.output = layer.output * 10;
      problem.profile = std::make_shared<const Profile>(std::move(profile));
    }
    std::int64_t all = 0;
    for (const Layer& layer : problem.profile->layers) all += 4 * layer.parameters.count + layer.saved.count;
    Cluster cluster = *problem.cluster;
    cluster.device_types[0].memory =
        Bytes(static_cast<std::int64_t>(static_cast<double>(all) * (0.4 + 0.03 * (seed - 60))));
    problem.cluster = std::make_shared<const Cluster>(std::move(cluster));
    const sim::Simulator simulator =
        *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
    for (const char* name :
         {"dapple", "pipedream", "capture", "data-parallel", "gpipe", "gpipe-balanced", "straight", "single"}) {
      const auto ranking = planner::run_planner(**planner::find_planner(name), problem, {}, judged_by(simulator, 4));
      QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
      for (const Plan& plan : ranking->plans) {
        ++answers;
        QVERIFY2(simulator.run(plan)->fits, qPrintable(QString("%1, seed %2").arg(plan.name.c_str()).arg(seed)));
      }
    }
  }
  QVERIFY(answers > 100);
}

void TestPlanners::infeasible_names_the_least_memory() {
  Problem problem = small(5);
  Cluster cluster = *problem.cluster;
  cluster.device_types[0].memory = Bytes(std::int64_t{100} << 20);
  problem.cluster = std::make_shared<const Cluster>(cluster);
  const sim::Simulator simulator = *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
  for (const planner::PlannerInfo& planner : planner::planners()) {
    if (planner.of_transformers) continue;
    const auto ranking = planner::run_planner(planner, problem, {}, judged_by(simulator));
    QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
    QVERIFY2(ranking->infeasible.has_value(), planner.name.c_str());
    QVERIFY2(ranking->infeasible->relaxation.find("iB more memory on every device") != std::string::npos,
             ranking->infeasible->relaxation.c_str());
  }
}

void TestPlanners::the_relaxation_is_enough_data() {
  QTest::addColumn<QString>("planner");
  QTest::addColumn<QString>("option");
  for (const char* planner : {"dapple", "pipedream", "amp", "amp-sa", "capture", "data-parallel", "gpipe",
                              "gpipe-balanced", "straight", "megatron", "single"})
    QTest::addRow("%s", planner) << planner << "";
  QTest::addRow("dapple, recompute on") << "dapple"
                                        << "recompute";
  QTest::addRow("pipedream, synchronous") << "pipedream"
                                          << "synchronous";
}

/// With the stated memory there is a plan; with two steps of that figure less there is none.
void TestPlanners::the_relaxation_is_enough() {
  QFETCH(QString, planner);
  QFETCH(QString, option);
  planner::PlannerOptions options;
  if (!option.isEmpty()) options[option.toStdString()] = option == "recompute" ? "on" : "true";
  const planner::PlannerInfo& info = **planner::find_planner(planner.toStdString());
  for (const int seed : {90, 91, 92, 93}) {
    Problem problem = small(seed);
    Profile profile = *problem.profile;
    for (Layer& layer : profile.layers) {  // so that some answers are in GiB
      layer.parameters = layer.parameters * (seed % 2 ? 20 : 1);
      layer.output = layer.output * (seed % 4 < 2 ? 10 : 1);
    }
    problem.profile = std::make_shared<const Profile>(std::move(profile));
    const auto answer = [&](std::int64_t bytes) {
      Problem with = problem;
      Cluster cluster = *problem.cluster;
      for (DeviceType& type : cluster.device_types) type.memory = Bytes((std::int64_t{50} << 20) + bytes);
      with.cluster = std::make_shared<const Cluster>(std::move(cluster));
      const sim::Simulator simulator = *sim::Simulator::of(with.profile, with.cluster, with.workload.conventions);
      return *planner::run_planner(info, with, options, judged_by(simulator));
    };
    const auto none = answer(0);
    QVERIFY(none.infeasible.has_value());
    const QStringList words = QString::fromStdString(none.infeasible->relaxation).split(' ');
    const double unit = words[1] == "MiB" ? 0x1p20 : 0x1p30, step = words[1] == "MiB" ? 0x1p20 : 0.01 * 0x1p30;
    const double more = words[0].toDouble() * unit;
    QVERIFY2(!answer(static_cast<std::int64_t>(more)).plans.empty(), none.infeasible->relaxation.c_str());
    QVERIFY2(answer(static_cast<std::int64_t>(more - 2 * step)).plans.empty(), none.infeasible->relaxation.c_str());
  }
}

/// Micro-batches of 4 samples at least, and a global batch of 3 or 12 for four devices.
void TestPlanners::fewer_samples_are_enough() {
  Problem problem = small(94);
  Profile profile = *problem.profile;
  profile.micro_batch = 4;
  for (Layer& layer : profile.layers) layer.at.clear();
  problem.profile = std::make_shared<const Profile>(std::move(profile));
  const sim::Simulator simulator = *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
  const auto relaxation = [&](const char* name, int batch, planner::PlannerOptions options) {
    problem.workload.global_batch = batch;
    const auto ranking = planner::run_planner(**planner::find_planner(name), problem, options, judged_by(simulator));
    return ranking->infeasible ? ranking->infeasible->relaxation : std::string();
  };
  for (const char* name : {"capture", "gpipe", "gpipe-balanced", "straight", "single"}) {
    QCOMPARE(relaxation(name, 3, {}), std::string("--min-slice 3"));
    QCOMPARE(relaxation(name, 3, {{"min-slice", "3"}}), std::string());
  }
  QCOMPARE(relaxation("data-parallel", 12, {}), std::string("--min-slice 3"));
  QCOMPARE(relaxation("data-parallel", 12, {{"min-slice", "3"}}), std::string());
  QCOMPARE(relaxation("data-parallel", 3, {}), std::string("--global-batch 16"));
  QCOMPARE(relaxation("dapple", 3, {{"allow-idle", "true"}}), std::string("--min-slice 3"));
  QCOMPARE(relaxation("dapple", 3, {{"allow-idle", "true"}, {"min-slice", "3"}}), std::string());
}

/// Without the user's micro-batch all sizes are candidates: no omitted one has a smaller peak.
void TestPlanners::capture_takes_the_micro_batch_of_the_smallest_peak() {
  for (const int seed : {95, 96, 97}) {
    Problem problem = small(seed);
    const sim::Simulator simulator =
        *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
    const planner::PlannerInfo& capture = **planner::find_planner("capture");
    const auto open = planner::run_planner(capture, problem, {}, judged_by(simulator, 50));
    QVERIFY(open.has_value());
    for (std::size_t i = 1; i < open->plans.size(); ++i)
      QVERIFY(*open->plans[i - 1].objective->bytes <= *open->plans[i].objective->bytes);
    for (const int size : {1, 2, 4, 8, 16}) {
      if (size < problem.profile->micro_batch) continue;
      problem.workload.micro_batch = size;
      const auto fixed = planner::run_planner(capture, problem, {}, judged_by(simulator));
      QVERIFY(fixed.has_value());
      QVERIFY(*open->plans[0].objective->bytes <= *fixed->plans[0].objective->bytes);
    }
  }
}

/// The reference of speed-ups exists even if the model fits nowhere, and below the measured micro-batch.
void TestPlanners::one_device_whatever_its_memory() {
  Problem problem = small(5);
  Cluster cluster = *problem.cluster;
  for (DeviceType& type : cluster.device_types) type.memory = Bytes(1);
  problem.cluster = std::make_shared<const Cluster>(cluster);
  Profile profile = *problem.profile;
  profile.micro_batch = 2 * problem.workload.global_batch;
  problem.profile = std::make_shared<const Profile>(profile);
  const sim::Simulator simulator = *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
  const auto ranking = planner::rank_one_device(problem, judged_by(simulator));
  QVERIFY(ranking.has_value() && ranking->plans.size() == 1);
  QCOMPARE(devices_used(ranking->plans[0]).size(), std::size_t{1});
}

void TestPlanners::stop_is_honoured() {
  const Problem problem = small(6);
  const sim::Simulator simulator = *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
  std::stop_source stop;
  stop.request_stop();
  for (const planner::PlannerInfo& planner : planner::planners()) {
    if (planner.of_transformers) continue;
    planner::PlannerContext context = judged_by(simulator);
    context.stop = stop.get_token();
    const auto ranking = planner::run_planner(planner, problem, {}, context);
    QVERIFY2(!ranking.has_value(), planner.name.c_str());
    QCOMPARE(ranking.error().code, ErrorCode::cancelled);
  }
}

/// A planner whose answer is two stages: one device in two, on two nodes of two.
Result<planner::Ranking> two_stages_apart(const Problem& problem, const planner::PlannerOptions&,
                                          const planner::PlannerContext&) {
  Plan plan;
  plan.planner = "apart", plan.name = "apart";
  plan.global_batch = problem.workload.global_batch, plan.micro_batch = 4, plan.micro_batches = plan.global_batch / 4;
  const bool inside = devices_of(*problem.cluster)[1].node == devices_of(*problem.cluster)[3].node;
  const std::vector<std::vector<int>> devices =
      inside ? std::vector<std::vector<int>>{{3, 2}, {1, 0}} : std::vector<std::vector<int>>{{0, 2}, {1, 3}};
  const int layers = static_cast<int>(problem.profile->layers.size());
  for (int s = 0; s < 2; ++s) {
    Stage stage;
    stage.first = s == 0 ? 0 : layers / 2, stage.last = s == 0 ? layers / 2 : layers;
    for (const int device : devices[static_cast<std::size_t>(s)]) stage.devices.emplace_back(std::int32_t{device});
    plan.stages.push_back(stage);
  }
  plan.objective = Objective{"simulated iteration time", Seconds(1), {}};
  return planner::Ranking{{plan}, {}};
}

/// Devices of one node are alike, so that a plan may have them in the order of the processes. Between nodes other
/// devices are another plan, which stays.
void TestPlanners::equal_plans_are_placed_for_launchers() {
  planner::PlannerInfo apart = **planner::find_planner("joint");
  apart.plan = &two_stages_apart;
  for (const bool inside : {true, false}) {
    Problem problem = small(8, inside ? std::vector<int>{4} : std::vector<int>{2, 2});
    Cluster cluster = *problem.cluster;
    cluster.device_types.resize(1);
    cluster.device_types[0].memory = Bytes(std::int64_t{1} << 40);
    for (Node& node : cluster.nodes) node.devices = {{cluster.device_types[0].name, inside ? 4 : 2}};
    problem.cluster = std::make_shared<const Cluster>(cluster);
    problem.profile = std::make_shared<const Profile>(test::uniform_profile(6, milliseconds(1), milliseconds(2)));
    problem.workload.conventions.overlap = Overlap::none;
    const sim::Simulator simulator =
        *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
    const planner::PlannerContext context = judged_by(simulator);
    const Plan before = two_stages_apart(problem, {}, context)->plans.front();
    const auto ranking = planner::run_planner(apart, problem, {}, context);
    QVERIFY2(ranking && ranking->plans.size() == 1, ranking ? "" : ranking.error().text().c_str());
    const Plan& plan = ranking->plans.front();
    QVERIFY(plan::first_out_of_launch_order(before, cluster).has_value());
    const Plan moved = *plan::in_launch_order(before, cluster);
    const bool equal = simulator.run(before)->iteration == simulator.run(moved)->iteration;
    if (inside) QVERIFY(equal);
    QCOMPARE(plan.stages, equal ? moved.stages : before.stages);
    QCOMPARE(simulator.run(plan)->iteration, simulator.run(before)->iteration);
  }
}

void TestPlanners::pipedream_lists_the_synchronous_plan() {
  const Problem problem = small(7);
  const sim::Simulator simulator = *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
  const planner::PlannerInfo& pipedream = **planner::find_planner("pipedream");
  const auto both = planner::run_planner(pipedream, problem, {}, judged_by(simulator, 2));
  QVERIFY(both.has_value());
  QCOMPARE(both->plans.size(), std::size_t{2});
  QVERIFY(both->plans[0].schedule == ScheduleKind::pipedream && both->plans[1].schedule == ScheduleKind::one_f_one_b);
  QVERIFY(both->plans[0].stages == both->plans[1].stages);
  const auto alone = planner::run_planner(pipedream, problem, {{"synchronous", "true"}}, judged_by(simulator));
  QVERIFY(alone.has_value());
  QVERIFY(alone->plans == std::vector<Plan>{both->plans[1]});
}

/// A planner without one would not be checked.
void TestPlanners::every_planner_brings_its_evaluation() {
  for (const planner::PlannerInfo& planner : planner::planners())
    QVERIFY2(planner.objective.compute && planner.objective.options, planner.name.c_str());
}

void TestPlanners::a_wrong_objective_is_withheld() {
  const Problem problem = small(8);
  const sim::Simulator simulator = *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
  for (const char* name : {"dapple", "pipedream", "capture", "amp", "amp-sa", "whale"}) {
    auto ranking = planner::run_planner(**planner::find_planner(name), problem, {}, judged_by(simulator));
    QVERIFY(ranking.has_value());
    Plan plan = ranking->plans[0];
    QVERIFY(planner::evaluate(**planner::find_planner(plan.planner), problem, plan).has_value());
    if (plan.objective->time) plan.objective->time = *plan.objective->time * (1 + 1e-8);
    if (plan.objective->bytes) plan.objective->bytes = *plan.objective->bytes + Bytes(1);
    const auto wrong = planner::evaluate(**planner::find_planner(plan.planner), problem, plan);
    QVERIFY(!wrong.has_value());
    QCOMPARE(wrong.error().code, ErrorCode::internal);
  }
}

/// In a stage on a large and a small device the small one needs memory for its own, smaller share; a device of a
/// tensor-parallel pair for its half of the weights.
void TestPlanners::memory_counts_device_by_device() {
  Problem problem = small(9, {2}, 1);
  problem.workload.global_batch = 8;
  problem.workload.micro_batch = 8;
  Profile profile = *problem.profile;
  Layer& layer = profile.layers[0];
  layer.parameters = layer.saved = Bytes(1000000);  // 4 MB of states, 1 MB per sample
  layer.tensor_parallel = {{2, layer.forward, layer.backward, {}, {}}};
  problem.profile = std::make_shared<const Profile>(profile);
  const auto fits = [&](std::int64_t large, std::int64_t small, const Stage& stage) {
    Cluster cluster = *problem.cluster;
    cluster.device_types.push_back(cluster.device_types[0]);
    cluster.device_types[0].memory = Bytes(large);
    cluster.device_types[1].memory = Bytes(small);
    cluster.device_types[1].name = "small";
    cluster.nodes[0].devices = {{"X", 1}, {"small", 1}};
    Problem with = problem;
    with.cluster = std::make_shared<const Cluster>(std::move(cluster));
    planner::search::Chain chain = *planner::search::Chain::of(with);
    Plan plan = chain.plan_of("hand", 8);
    plan.stages = {stage};
    using planner::search::WhenShort;
    const bool fitting = planner::search::set_warmup(chain, plan, Warmup::A, WhenShort::shorten);
    if (!fitting) planner::search::set_warmup(chain, plan, Warmup::A, WhenShort::ignore_memory);
    return std::array{fitting, planner::evaluate(**planner::find_planner("joint"), with, plan).has_value(),
                      sim::simulate(with, plan)->fits};
  };
  Stage stage = planner::search::stage_on(0, 1, {DeviceId(0), DeviceId(1)});
  stage.samples_per_replica = {6, 2};
  QVERIFY(fits(10000000, 6000000, stage) == (std::array{true, true, true}));
  QVERIFY(fits(10000000, 5999999, stage) == (std::array{false, false, false}));
  QVERIFY(fits(9999999, 6000000, stage) == (std::array{false, false, false}));
  stage.samples_per_replica.reset();
  stage.tensor_parallel = 2;
  QVERIFY(fits(10000000, 10000000, stage) == (std::array{true, true, true}));
  QVERIFY(fits(10000000, 9999999, stage) == (std::array{false, false, false}));
  stage.shard_fractions = {{0.75, 0.25}};
  QVERIFY(fits(11000000, 9000000, stage) == (std::array{true, true, true}));
  QVERIFY(fits(11000000, 8999999, stage) == (std::array{false, false, false}));
  QVERIFY(fits(10999999, 9000000, stage) == (std::array{false, false, false}));
}

PIPEDECK_TEST(TestPlanners)

}  // namespace pipedeck::tst_planners

#include "tst_planners.moc"
