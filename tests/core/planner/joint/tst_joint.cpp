// SPDX-License-Identifier: Apache-2.0
// joint against plain enumeration, against every other planner, and with every kind of pin. PIPEDECK_RANDOM_PROBLEMS
// sets the number of random problems (60).
#include <QtTest/QTest>

#include <functional>
#include <map>
#include <set>

#include "core/planner/joint/orders.hpp"
#include "core/planner/joint/pool.hpp"
#include "core/planner/joint/search.hpp"
#include "core/planner/planner.hpp"
#include "core/planner/search/memory_fit.hpp"
#include "core/planner/search/micro_batch_sizes.hpp"
#include "core/sim/simulate.hpp"
#include "tests/support/large_problem.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/repetitions.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_joint {

/// Replaces some nodes' devices by a second, slower type with less memory.
void mix_devices(test::Random& random, Problem& problem) {
  Cluster cluster = *problem.cluster;
  DeviceType slow = cluster.device_types[0];
  slow.name = "Y";
  slow.relative_speed = random.uniform(0.3, 0.9);
  cluster.device_types.push_back(slow);
  for (std::size_t n = 1; n < cluster.nodes.size(); n += 2) cluster.nodes[n].devices[0].type = "Y";
  if (cluster.nodes.size() == 1 && cluster.nodes[0].devices[0].count > 1) {
    --cluster.nodes[0].devices[0].count;
    cluster.nodes[0].devices.push_back({"Y", 1});
  }
  problem.cluster = std::make_shared<const Cluster>(std::move(cluster));
}

/// Adds edges to the chain's: skip connections, and two branches.
void branch(test::Random& random, Problem& problem) {
  Profile profile = *problem.profile;
  const int layers = static_cast<int>(profile.layers.size());
  for (int i = 0; i + 1 < layers; ++i)
    if (i == 0 || random.integer(0, 3) > 0 || layers < 4)
      profile.edges.push_back({LayerId(std::int32_t{i}), LayerId(std::int32_t{i + 1}), {}});
    else
      profile.edges.push_back({LayerId(std::int32_t{i - 1}), LayerId(std::int32_t{i + 1}), {}});
  profile.edges.push_back({LayerId(std::int32_t{0}), LayerId(std::int32_t{layers - 1}), {}});
  for (int i = 0; i + 2 < layers; ++i)  // every output is used
    if (std::none_of(profile.edges.begin(), profile.edges.end(), [&](const Edge& e) { return e.from.value == i; }))
      profile.edges.push_back({LayerId(std::int32_t{i}), LayerId(std::int32_t{layers - 1}), {}});
  std::set<std::pair<int, int>> once;
  std::erase_if(profile.edges, [&](const Edge& e) { return !once.insert({e.from.value, e.to.value}).second; });
  problem.profile = std::make_shared<const Profile>(std::move(profile));
}

void split_by_columns(Problem& problem) {
  Profile profile = *problem.profile;
  for (Layer& layer : profile.layers)
    layer.tensor_parallel = {{2, layer.forward * 0.55, layer.backward * 0.55, layer.output, layer.output}};
  problem.profile = std::make_shared<const Profile>(std::move(profile));
}

void limit_memory(test::Random& random, Problem& problem) {
  std::int64_t all = 0;
  for (const Layer& layer : problem.profile->layers) all += 4 * layer.parameters.count + layer.saved.count;
  Cluster cluster = *problem.cluster;
  for (DeviceType& type : cluster.device_types)
    type.memory = Bytes(static_cast<std::int64_t>(static_cast<double>(all) * random.uniform(0.5, 1.5)));
  problem.cluster = std::make_shared<const Cluster>(std::move(cluster));
}

/// Returns a problem of any shape: chains and graphs, equal and different devices, much and little memory.
Problem any_problem(int seed) {
  test::Random random(static_cast<std::uint64_t>(seed) + 1000);
  const std::vector<std::vector<int>> shapes{{4}, {2, 2}, {1, 1, 1}, {3, 2}, {2}, {2, 2, 2}};
  Problem problem = test::random_problem(
      random, {.layers = random.integer(2, 7), .nodes = shapes[static_cast<std::size_t>(random.integer(0, 5))]});
  problem.workload.global_batch = 4 * random.integer(1, 6);
  if (seed % 3 == 1) mix_devices(random, problem);
  if (seed % 4 == 2) branch(random, problem);
  if (seed % 5 == 3) split_by_columns(problem);
  if (seed % 6 == 4) limit_memory(random, problem);
  if (seed % 7 == 5) problem.workload.conventions.overlap = Overlap::none;
  return problem;
}

struct PlanTimes {
  explicit PlanTimes(const Problem& problem)
      : simulator(*sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions)) {
    context.score = sim::score_of(simulator);
    context.fits = sim::fits_of(simulator);
  }
  double time(const Plan& plan) const { return simulator.iteration_time(plan)->count; }
  sim::Simulator simulator;
  planner::PlannerContext context;
};

/// A partition of the layers: their order (none: as listed), and where each stage ends in it.
struct Cutting {
  std::optional<std::vector<LayerId>> order;
  std::vector<int> ends;
};

/// Returns all sequences of nested ideals; for a chain, all partitions.
std::vector<Cutting> every_cutting(const Profile& profile, int stages) {
  const planner::search::Ideals ideals = *planner::search::Ideals::of(profile);
  std::vector<Cutting> found;
  std::vector<int> nested{0};
  const std::function<void()> extend = [&] {
    const bool last = static_cast<int>(nested.size()) == stages;
    for (int next = last ? ideals.whole() : nested.back() + 1; next < ideals.count(); ++next) {
      if (!ideals.within(nested.back(), next) || (!last && next == ideals.whole())) continue;
      nested.push_back(next);
      if (last) {
        found.push_back({ideals.order(nested), {}});
        for (std::size_t i = 1; i < nested.size(); ++i) found.back().ends.push_back(ideals.size(nested[i]));
      } else {
        extend();
      }
      nested.pop_back();
    }
  };
  extend();
  return found;
}

/// Calls `each` with every plan of whole layers on sets of devices, perhaps with idle ones; equal devices in order.
void every_pipeline(const Problem& problem, int micro_batch, const std::function<void(Plan&)>& each) {
  planner::search::Chain chain = *planner::search::Chain::of(problem);
  const int layers = chain.layers(), devices = chain.devices();
  std::vector<std::vector<Cutting>> cuttings{{}};  // by number of stages
  for (int stages = 1; stages <= std::min(layers, devices); ++stages)
    cuttings.push_back(every_cutting(*problem.profile, stages));
  std::vector<int> label(static_cast<std::size_t>(devices), 0);  // 0: idle, else stage + 1
  const std::function<void(int, int)> assign = [&](int device, int stages) {
    if (device < devices) {
      const Device& mine = chain.network().device(DeviceId(device));
      int low = 0;
      if (device > 0) {
        const Device& before = chain.network().device(DeviceId(device - 1));
        if (before.node == mine.node && before.type == mine.type) low = label[static_cast<std::size_t>(device - 1)];
      }
      for (int l = low; l <= stages; ++l) {
        label[static_cast<std::size_t>(device)] = l;
        assign(device + 1, stages);
      }
      return;
    }
    std::vector<std::vector<DeviceId>> teams(static_cast<std::size_t>(stages));
    for (int d = 0; d < devices; ++d)
      if (const int l = label[static_cast<std::size_t>(d)]; l > 0)
        teams[static_cast<std::size_t>(l - 1)].push_back(DeviceId(d));
    for (const auto& team : teams)
      if (team.empty() || static_cast<int>(team.size()) > micro_batch) return;
    for (const Cutting& cutting : cuttings[static_cast<std::size_t>(stages)]) {
      Plan plan = chain.plan_of("joint", micro_batch);
      plan.order = cutting.order;
      int first = 0;
      for (const int end : cutting.ends) {
        plan.stages.push_back(planner::search::stage_on(first, end, teams[plan.stages.size()]));
        first = end;
      }
      each(plan);
    }
  };
  for (int stages = 1; stages <= std::min(layers, devices); ++stages) assign(0, stages);
}

/// Returns the least simulated time under GPipe and 1F1B with either warm-up.
double enumerate(const Problem& problem, const PlanTimes& judge) {
  double best = std::numeric_limits<double>::infinity();
  const auto sizes = planner::search::micro_batch_choices(problem.workload, 1);
  for (const int size : *sizes)
    every_pipeline(problem, size, [&](Plan& plan) {
      for (const Warmup warmup : {Warmup::A, Warmup::B}) {
        plan.schedule = ScheduleKind::one_f_one_b;
        plan.warmup = warmup;
        best = std::min(best, judge.time(plan));
      }
      plan.schedule = ScheduleKind::gpipe;
      best = std::min(best, judge.time(plan));
    });
  return best;
}

class TestJoint : public QObject {
  Q_OBJECT

 private slots:
  void closed_form_is_the_least_of_all();
  void closed_form_is_the_least_of_a_graph();
  void orders_come_from_ideals();
  void too_many_ideals_are_said();
  void within_one_percent_of_all_plans();
  void within_one_percent_on_graphs();
  void orders_inside_stages_are_searched();
  void never_worse_than_another_planner();
  void never_worse_in_a_large_cluster();
  void pins_are_honoured_data();
  void pins_are_honoured();
  void a_pinned_plan_is_found_where_there_is_one();
  void threads_change_nothing();
  void the_answer_of_a_hurry();
  void shares_follow_speed();
  void the_bound_is_a_proof();
  void all_schedules_are_never_worse();
};

/// The dynamic programme finds the least closed form of all pipelines, over one order of devices and over all orders,
/// each evaluated separately.
void TestJoint::closed_form_is_the_least_of_all() {
  for (int seed = 0; seed < test::random_problems() / 2; ++seed) {
    test::Random random(static_cast<std::uint64_t>(seed) + 500);
    const std::vector<std::vector<int>> shapes{{4}, {2, 2}, {1, 1, 1}, {1, 2}};
    Problem problem = test::random_problem(
        random, {.layers = random.integer(2, 5), .nodes = shapes[static_cast<std::size_t>(seed % 4)]});
    problem.workload.global_batch = 8;
    if (seed % 3 == 0) problem.workload.conventions.overlap = Overlap::none;
    planner::search::Chain chain = *planner::search::Chain::of(problem);
    planner::joint::JointOrder listed(chain, {});
    planner::joint::JointCosts& costs = listed.costs;
    for (const int size : {1, 4, 8}) {
      double all = std::numeric_limits<double>::infinity(), found = all;
      every_pipeline(problem, size, [&](Plan& plan) { all = std::min(all, costs.closed_form(plan)); });
      for (const auto& order : planner::joint::joint_orders(chain)) {
        const planner::joint::Found one = planner::joint::search_joint(costs, order, size, {.any_end = true}, {}, {});
        QVERIFY(!one.cut_short);
        if (!one.candidates.empty()) found = std::min(found, one.candidates[0].bound);
      }
      QVERIFY2(std::abs(all - found) <= 1e-9 * all,
               qPrintable(QString("seed %1, micro-batch %2: %3 of all, %4").arg(seed).arg(size).arg(all).arg(found)));
    }
  }
}

Problem random_graph(test::Random& random, int layers, const std::vector<int>& nodes) {
  Problem problem = test::random_problem(random, {.layers = layers, .nodes = nodes, .graph = true});
  problem.workload.global_batch = 8;
  return problem;
}

/// Likewise over all sequences of nested ideals, each plan evaluated in its own order.
void TestJoint::closed_form_is_the_least_of_a_graph() {
  for (int seed = 0; seed < test::random_problems() / 2; ++seed) {
    test::Random random(static_cast<std::uint64_t>(seed) + 9500);
    const std::vector<std::vector<int>> shapes{{4}, {2, 2}, {1, 1, 1}, {1, 2}};
    Problem problem = random_graph(random, random.integer(3, 6), shapes[static_cast<std::size_t>(seed % 4)]);
    if (seed % 3 == 0) problem.workload.conventions.overlap = Overlap::none;
    if (seed % 5 == 1) split_by_columns(problem);
    planner::joint::Pool pool(problem, {}, {});
    planner::joint::JointOrder graph(*planner::search::Chain::of(problem),
                                     *planner::search::Ideals::of(*problem.profile), {});
    for (const int size : {1, 4, 8}) {
      double all = std::numeric_limits<double>::infinity(), found = all;
      every_pipeline(problem, size,
                     [&](Plan& plan) { all = std::min(all, (*pool.order_of(plan))->costs.closed_form(plan)); });
      for (const auto& order : planner::joint::joint_orders(graph.chain)) {
        const planner::joint::Found one =
            planner::joint::search_joint(graph.costs, order, size, {.any_end = true}, {}, {});
        QVERIFY(!one.cut_short && one.whole);
        if (!one.candidates.empty()) found = std::min(found, one.candidates[0].bound);
      }
      // With tensor parallelism the search has more plans than the enumeration.
      QVERIFY2(seed % 5 == 1 ? found <= all * (1 + 1e-9) : std::abs(all - found) <= 1e-9 * all,
               qPrintable(QString("seed %1, micro-batch %2: %3 of all, %4").arg(seed).arg(size).arg(all).arg(found)));
    }
  }
}

void TestJoint::within_one_percent_on_graphs() {
  int optimal = 0, count = test::random_problems() / 6;
  for (int seed = 0; seed < count; ++seed) {
    test::Random random(static_cast<std::uint64_t>(seed) + 9700);
    const std::vector<std::vector<int>> shapes{{4}, {2, 2}, {1, 1, 1}, {1, 2}, {3}};
    Problem problem = random_graph(random, random.integer(3, 5), shapes[static_cast<std::size_t>(seed % 5)]);
    if (seed % 2) mix_devices(random, problem);
    const PlanTimes judge(problem);
    const auto ranking = planner::run_planner(**planner::find_planner("joint"), problem,
                                              {{"synchronous-only", "true"}, {"seeds", "none"}}, judge.context);
    QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
    QVERIFY(!ranking->plans.empty());
    const double all = enumerate(problem, judge), joint = judge.time(ranking->plans[0]);
    optimal += joint <= all * (1 + 1e-9);
    QVERIFY2(joint <= 1.01 * all, qPrintable(QString("seed %1: %2 of all plans, %3 joint, %4")
                                                 .arg(seed)
                                                 .arg(all)
                                                 .arg(joint)
                                                 .arg(ranking->plans[0].name.c_str())));
  }
  qInfo("as quick as the best of all plans in %d of %d problems", optimal, count);
}

/// Calls `each` with every topological order inside the stages from `stage` on.
void every_order(const Profile& profile, Plan& plan, std::size_t stage, const std::function<void()>& each) {
  if (stage == plan.stages.size()) return each();
  const auto begin = plan.order->begin() + plan.stages[stage].first,
             end = plan.order->begin() + plan.stages[stage].last;
  const std::vector<LayerId> own(begin, end);
  std::vector<LayerId> order = own;
  std::sort(order.begin(), order.end());
  do {
    const auto after = [&](LayerId a, LayerId b) {
      return std::find(order.begin(), order.end(), a) > std::find(order.begin(), order.end(), b);
    };
    if (std::ranges::any_of(profile.edges, [&](const Edge& edge) {
          return std::ranges::count(own, edge.from) && std::ranges::count(own, edge.to) && after(edge.from, edge.to);
        }))
      continue;
    std::copy(order.begin(), order.end(), begin);
    every_order(profile, plan, stage + 1, each);
  } while (std::next_permutation(order.begin(), order.end()));
  std::copy(own.begin(), own.end(), begin);
}

/// The gradients of a stage's last layers are ready first, and their all-reduces overlap the rest.
void TestJoint::orders_inside_stages_are_searched() {
  int optimal = 0;
  const int count = test::random_problems() / 6;
  for (int seed = 0; seed < count; ++seed) {
    test::Random random(static_cast<std::uint64_t>(seed) + 12300);
    const std::vector<std::vector<int>> shapes{{4}, {2, 2}, {3}};
    Problem problem = random_graph(random, random.integer(3, 5), shapes[static_cast<std::size_t>(seed % 3)]);
    problem.workload.global_batch = 4;
    const PlanTimes judge(problem);
    const auto ranking = planner::run_planner(**planner::find_planner("joint"), problem,
                                              {{"synchronous-only", "true"}, {"seeds", "none"}}, judge.context);
    QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
    double all = std::numeric_limits<double>::infinity();
    for (const int size : {1, 2, 4})
      every_pipeline(problem, size, [&](Plan& plan) {
        plan.order = order_of(plan, *problem.profile);
        plan.schedule = ScheduleKind::one_f_one_b;
        every_order(*problem.profile, plan, 0, [&] {
          for (const Warmup warmup : {Warmup::A, Warmup::B}) {
            plan.warmup = warmup;
            all = std::min(all, judge.time(plan));
          }
        });
      });
    const double joint = judge.time(ranking->plans[0]);
    optimal += joint <= all * (1 + 1e-9);
    QVERIFY2(joint <= 1.03 * all,
             qPrintable(QString("seed %1: %2 of all plans, %3 joint").arg(seed).arg(all).arg(joint)));
  }
  qInfo("as quick as the best of all orders in %d of %d problems", optimal, count);
  QVERIFY(20 * optimal >= 19 * count);
}

/// Two branches of equal layers between a first and a last one, listed alternately. Parallel branches need another
/// order than the listed one, in which both cross every boundary.
void TestJoint::orders_come_from_ideals() {
  Profile profile = test::uniform_profile(10, milliseconds(1), milliseconds(2));
  for (Layer& layer : profile.layers) layer.output = Bytes(40'000'000);
  for (int i = 1; i < 9; ++i) {
    profile.edges.push_back({LayerId(i < 3 ? 0 : i - 2), LayerId(i), {}});
    if (i > 6) profile.edges.push_back({LayerId(i), LayerId(9), {}});
  }
  for (const std::size_t end : {0, 7, 8}) profile.layers[end].output = Bytes(1000);
  Problem problem;
  problem.profile = std::make_shared<const Profile>(profile);
  problem.cluster = std::make_shared<const Cluster>(test::flat_cluster(2, gigabytes_per_second(1)));
  problem.workload.global_batch = 8;
  problem.pins.stages = 2;
  const PlanTimes judge(problem);
  const auto ranking = planner::run_planner(**planner::find_planner("joint"), problem,
                                            {{"synchronous-only", "true"}, {"seeds", "none"}}, judge.context);
  QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
  QVERIFY(!ranking->plans.empty() && ranking->plans[0].order.has_value());
  double best = std::numeric_limits<double>::infinity();
  for (const int size : {1, 2, 4, 8})
    every_pipeline(problem, size, [&](Plan& plan) {
      if (plan.stages.size() == 2) best = std::min(best, judge.time(plan));
    });
  QVERIFY(judge.time(ranking->plans[0]) <= best);
}

/// Fourteen parallel layers have 2^14 ideals: one topological order is searched, and the answer has a note.
void TestJoint::too_many_ideals_are_said() {
  Profile wide = test::uniform_profile(16, milliseconds(1), milliseconds(2));
  for (int i = 1; i < 15; ++i) {
    wide.edges.push_back({LayerId(0), LayerId(i), {}});
    wide.edges.push_back({LayerId(i), LayerId(15), {}});
  }
  Problem problem;
  problem.profile = std::make_shared<const Profile>(wide);
  problem.cluster = std::make_shared<const Cluster>(test::flat_cluster(2));
  problem.workload.global_batch = 8;
  const PlanTimes judge(problem);
  const auto ranking = planner::run_planner(**planner::find_planner("joint"), problem, {}, judge.context);
  QVERIFY(ranking.has_value() && !ranking->plans.empty());
  const auto& why = ranking->plans[0].rationale;
  QVERIFY(std::any_of(why.begin(), why.end(),
                      [](const std::string& text) { return text.find("topological order") != std::string::npos; }));
}

void TestJoint::within_one_percent_of_all_plans() {
  int optimal = 0;
  for (int seed = 0; seed < test::random_problems() / 2; ++seed) {
    test::Random random(static_cast<std::uint64_t>(seed) + 100);
    const std::vector<std::vector<int>> shapes{{4}, {2, 2}, {1, 1, 1}, {1, 2}, {3}};
    Problem problem = test::random_problem(
        random, {.layers = random.integer(2, 5), .nodes = shapes[static_cast<std::size_t>(seed % 5)]});
    problem.workload.global_batch = 4 * random.integer(1, 4);
    if (seed % 2) mix_devices(random, problem);
    const PlanTimes judge(problem);
    const auto ranking = planner::run_planner(**planner::find_planner("joint"), problem,
                                              {{"synchronous-only", "true"}, {"seeds", "none"}}, judge.context);
    QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
    QVERIFY(!ranking->plans.empty());
    const double all = enumerate(problem, judge), joint = judge.time(ranking->plans[0]);
    optimal += joint <= all * (1 + 1e-9);
    QVERIFY2(joint <= 1.01 * all, qPrintable(QString("seed %1: %2 of all plans, %3 joint, %4")
                                                 .arg(seed)
                                                 .arg(all)
                                                 .arg(joint)
                                                 .arg(ranking->plans[0].name.c_str())));
  }
  qInfo("as quick as the best of all plans in %d of %d problems", optimal, test::random_problems() / 2);
}

void TestJoint::never_worse_than_another_planner() {
  int compared = 0;
  for (int seed = 0; seed < test::random_problems(); ++seed) {
    const Problem problem = any_problem(seed);
    const PlanTimes judge(problem);
    const planner::PlannerInfo& joint = **planner::find_planner("joint");
    const auto any = planner::run_planner(joint, problem, {}, judge.context);
    const auto synchronous = planner::run_planner(joint, problem, {{"synchronous-only", "true"}}, judge.context);
    QVERIFY2(any.has_value() && synchronous.has_value(), any ? "" : any.error().text().c_str());
    for (const planner::Ranking* ranking : {&*any, &*synchronous})
      for (const Plan& plan : ranking->plans)
        QVERIFY2(judge.simulator.run(plan)->fits, qPrintable(QString("seed %1").arg(seed)));
    for (const planner::PlannerInfo& planner : planner::planners()) {
      if (planner.of_transformers) continue;
      const auto other = planner::run_planner(planner, problem, {}, judge.context);
      QVERIFY2(other.has_value(), other ? "" : (planner.name + ": " + other.error().text()).c_str());
      if (other->plans.empty()) continue;
      ++compared;
      const Plan& plan = other->plans[0];
      QVERIFY(!any->plans.empty());
      QVERIFY2(judge.time(any->plans[0]) <= judge.time(plan),
               qPrintable(QString("seed %1, %2").arg(seed).arg(planner.name.c_str())));
      if (plan.synchronous()) QVERIFY(judge.time(synchronous->plans[0]) <= judge.time(plan));
    }
  }
  QVERIFY(compared > 3 * test::random_problems());
}

/// Above 128 devices some simulations are skipped.
void TestJoint::never_worse_in_a_large_cluster() {
  const Problem problem = test::transformer(112, test::servers(17, 8, Bytes(std::int64_t{80} << 30)), 544);
  const PlanTimes judge(problem);
  const auto joint = planner::run_planner(**planner::find_planner("joint"), problem, {}, judge.context);
  QVERIFY2(joint.has_value(), joint ? "" : joint.error().text().c_str());
  QVERIFY(!joint->plans.empty() && !joint->plans[0].truncated);
  for (const planner::PlannerInfo& planner : planner::planners()) {
    if (planner.of_transformers) continue;
    if (planner.name == "joint") continue;
    const auto other = planner::run_planner(planner, problem, {}, judge.context);
    QVERIFY2(other.has_value(), other ? "" : (planner.name + ": " + other.error().text()).c_str());
    if (!other->plans.empty())
      QVERIFY2(judge.time(joint->plans[0]) <= judge.time(other->plans[0]), planner.name.c_str());
  }
}

void TestJoint::pins_are_honoured_data() {
  QTest::addColumn<int>("kind");
  const std::vector<const char*> kinds{"stages",  "most stages", "replicas", "tensor parallelism",
                                       "a layer", "two layers"};
  for (std::size_t k = 0; k < kinds.size(); ++k) QTest::addRow("%s", kinds[k]) << static_cast<int>(k);
}

/// As fast as any pipeline that honours the pin, up to one percent.
void TestJoint::pins_are_honoured() {
  QFETCH(int, kind);
  for (int seed = 0; seed < 6; ++seed) {
    test::Random random(static_cast<std::uint64_t>(seed) + 700);
    Problem problem =
        test::random_problem(random, {.layers = 4, .nodes = seed % 2 ? std::vector{2, 2} : std::vector{1, 1, 1, 1}});
    problem.workload.global_batch = 8;
    if (kind == 3) split_by_columns(problem);
    switch (kind) {
      case 0:
        problem.pins.stages = 2 + seed % 3;
        break;
      case 1:
        problem.pins.max_stages = 1 + seed % 3;
        break;
      case 2:
        problem.pins.replicas = 1 + seed % 2;
        break;
      case 3:
        problem.pins.tensor_parallel = 2;
        break;
      case 4:
        problem.pins.layers = {{LayerId(seed % 4), DeviceId(3 - seed % 4)}};
        break;
      default:
        problem.pins.layers = {{LayerId(0), DeviceId(3)}, {LayerId(3), DeviceId(seed % 3)}};
    }
    const PlanTimes judge(problem);
    const auto ranking =
        planner::run_planner(**planner::find_planner("joint"), problem, {{"synchronous-only", "true"}}, judge.context);
    QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
    QVERIFY(!ranking->plans.empty());
    QVERIFY(!first_violation(ranking->plans[0], *problem.profile, problem.pins));
    double best = std::numeric_limits<double>::infinity();
    for (const int size : {1, 2, 4, 8})
      every_pipeline(problem, size, [&](Plan& plan) {
        plan.warmup = Warmup::B;
        if (!first_violation(plan, *problem.profile, problem.pins)) best = std::min(best, judge.time(plan));
      });
    QVERIFY2(judge.time(ranking->plans[0]) <= 1.01 * best, qPrintable(QString("seed %1").arg(seed)));
  }
}

/// Each of four layers is on its own device, for any pins.
void TestJoint::a_pinned_plan_is_found_where_there_is_one() {
  test::Random random(800);
  Problem problem = test::random_problem(random, {.layers = 4, .nodes = {2, 3, 4}});
  problem.workload.global_batch = 8;
  problem.pins.stages = 4;
  problem.pins.layers = {
      {LayerId(0), DeviceId(7)}, {LayerId(1), DeviceId(2)}, {LayerId(2), DeviceId(8)}, {LayerId(3), DeviceId(0)}};
  const PlanTimes judge(problem);
  const auto ranking = planner::run_planner(**planner::find_planner("joint"), problem, {}, judge.context);
  QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
  QVERIFY(!ranking->plans.empty());
}

void TestJoint::threads_change_nothing() {
  for (const int seed : {3, 4, 8, 13}) {
    const Problem problem = any_problem(seed);
    PlanTimes judge(problem);
    judge.context.top = 3;
    const auto one = planner::run_planner(**planner::find_planner("joint"), problem, {}, judge.context);
    judge.context.threads = 2;
    const auto two = planner::run_planner(**planner::find_planner("joint"), problem, {}, judge.context);
    QVERIFY(one.has_value() && two.has_value());
    QVERIFY(one->plans == two->plans);
  }
}

/// With a hurry before the start, the answer is the first plan; with a stop, an error.
void TestJoint::the_answer_of_a_hurry() {
  const Problem problem = any_problem(0);
  PlanTimes judge(problem);
  std::stop_source hurry, stop;
  hurry.request_stop();
  judge.context.deadline_token = hurry.get_token();
  const auto ranking = planner::run_planner(**planner::find_planner("joint"), problem, {}, judge.context);
  QVERIFY(ranking.has_value() && !ranking->plans.empty());
  QVERIFY(ranking->plans[0].truncated);
  QVERIFY(ranking->plans[0].certificate->optimal_in.empty());
  stop.request_stop();
  judge.context.stop = stop.get_token();
  QCOMPARE(planner::run_planner(**planner::find_planner("joint"), problem, {}, judge.context).error().code,
           ErrorCode::cancelled);
}

/// A device of twice the speed takes 6 of 9 samples.
void TestJoint::shares_follow_speed() {
  Problem problem;
  Cluster cluster = test::flat_cluster(2);
  DeviceType slow = cluster.device_types[0];
  slow.name = "slow";
  slow.relative_speed = 0.5;
  cluster.device_types.push_back(slow);
  cluster.nodes[0].devices = {{"X", 1}, {"slow", 1}};
  problem.profile = std::make_shared<const Profile>(test::uniform_profile(1, milliseconds(1), milliseconds(2)));
  problem.cluster = std::make_shared<const Cluster>(cluster);
  problem.workload.global_batch = 9;
  problem.workload.micro_batch = 9;
  const PlanTimes judge(problem);
  const auto ranking =
      planner::run_planner(**planner::find_planner("joint"), problem, {{"synchronous-only", "true"}}, judge.context);
  QVERIFY(ranking.has_value() && !ranking->plans.empty());
  const Plan& plan = ranking->plans[0];
  QCOMPARE(plan.stages.size(), std::size_t{1});
  QVERIFY(plan.stages[0].samples_per_replica == (std::vector{6, 3}));
  QVERIFY(std::abs(plan.objective->time->count - 0.018) < 1e-9);
}

/// Two equal layers on two devices without bytes: data parallelism takes exactly the bound of all plans.
void TestJoint::the_bound_is_a_proof() {
  Problem problem;
  problem.profile = std::make_shared<const Profile>(test::uniform_profile(2, milliseconds(1), milliseconds(2)));
  problem.cluster = std::make_shared<const Cluster>(test::flat_cluster(2));
  problem.workload.global_batch = 8;
  const PlanTimes judge(problem);
  const auto ranking =
      planner::run_planner(**planner::find_planner("joint"), problem, {{"synchronous-only", "true"}}, judge.context);
  QVERIFY(ranking.has_value() && !ranking->plans.empty());
  QVERIFY(!ranking->plans[0].certificate->optimal_in.empty());
  QVERIFY(ranking->plans[0].certificate->gap < 1e-5);
}

/// `--schedule all` adds plans: some pipelines with weights too large to replicate become faster.
void TestJoint::all_schedules_are_never_worse() {
  int quicker = 0;
  for (int seed = 0; seed < std::max(4, test::random_problems() / 6); ++seed) {
    test::Random random(static_cast<std::uint64_t>(seed) + 900);
    Problem problem = test::random_problem(
        random, {.layers = random.integer(6, 9), .nodes = {1, 1, 1}, .memory = Bytes(std::int64_t{3} << 30)});
    problem.workload.global_batch = 8;
    const PlanTimes judge(problem);
    const auto best = [&](const char* schedule) -> std::optional<double> {
      const auto ranking = planner::run_planner(
          **planner::find_planner("joint"), problem,
          {{"synchronous-only", "true"}, {"schedule", schedule}, {"evaluations", "300"}}, judge.context);
      if (!ranking) qFatal("%s", ranking.error().message.c_str());
      if (ranking->plans.empty()) return std::nullopt;
      return ranking->plans[0].objective->time->count;
    };
    const auto own = best("any"), all = best("all");
    QCOMPARE(all.has_value(), own.has_value());
    if (own) QVERIFY(*all <= *own);
    if (own) quicker += *all < 0.99 * *own ? 1 : 0;
  }
  QVERIFY2(quicker > 0, "somewhere a schedule of several chunks or split backwards is quicker");
}

PIPEDECK_TEST(TestJoint)

}  // namespace pipedeck::tst_joint

#include "tst_joint.moc"
