// SPDX-License-Identifier: Apache-2.0
// PipeDream's search against enumeration of every partition: one, two and three levels, chains and graphs, with and
// without memory, with pins; and the texts of its plans. PIPEDECK_RANDOM_PROBLEMS problems each (60; 500 also larger).
#include <QtTest/QTest>

#include <algorithm>
#include <utility>

#include "core/io/importers.hpp"
#include "core/planner/planner.hpp"
#include "core/planner/search/ideals.hpp"
#include "core/sim/simulate.hpp"
#include "tests/core/planner/pipedream/pipedream_enumeration.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/repetitions.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_pipedream {

using pipedeck::test::Random;

const std::string own_levels = "PipeDream slowest stage A^L";
const std::string one_level = "PipeDream slowest stage A^1, all devices one level";
const std::string consecutive = "PipeDream slowest stage, consecutive devices";

/// Nodes of equal numbers of devices, assigned to leaf switches in turn, which a slower core joins.
struct Shape {
  int devices, nodes, switches;
};

Cluster cluster_of(Random& random, const Shape& shape) {
  Cluster cluster;
  cluster.name = "random";
  cluster.device_types.resize(1);
  cluster.device_types[0].name = "X";
  cluster.device_types[0].memory = Bytes(std::int64_t{1} << 50);
  const double inside = random.uniform(5, 20), near = random.uniform(2, 4), far = random.uniform(0.5, 1.5);
  for (int s = 0; s < shape.switches; ++s) {
    cluster.switches.push_back({"leaf" + std::to_string(s)});
    if (shape.switches > 1)
      cluster.links.push_back({"leaf" + std::to_string(s), "core", Link{gigabytes_per_second(far), {}}});
  }
  if (shape.switches > 1) cluster.switches.push_back({"core"});
  for (int n = 0; n < shape.nodes * shape.switches; ++n) {
    Node node;
    node.name = "n" + std::to_string(n);
    node.devices = {{"X", shape.devices}};
    node.link = Link{gigabytes_per_second(inside), {}};
    cluster.nodes.push_back(node);
    cluster.links.push_back(
        {node.name, "leaf" + std::to_string(n % shape.switches), Link{gigabytes_per_second(near), {}}});
  }
  return cluster;
}

PipedreamShape hierarchy(const Shape& shape) {
  PipedreamShape levels;
  for (const int components : {shape.devices, shape.nodes, shape.switches})
    if (components > 1) levels.components.push_back(components);
  for (int s = 0; s < shape.switches; ++s)
    for (int n = s; n < shape.nodes * shape.switches; n += shape.switches)
      for (int d = 0; d < shape.devices; ++d) levels.devices.push_back(DeviceId(n * shape.devices + d));
  levels.objective = own_levels;
  return levels;
}

PipedreamShape flat(const Shape& shape) {
  PipedreamShape levels{{}, {}, one_level};
  const int count = shape.devices * shape.nodes * shape.switches;
  if (count > 1) levels.components = {count};
  for (int d = 0; d < count; ++d) levels.devices.push_back(DeviceId(d));
  return levels;
}

/// Returns one level of all devices in component order, each stage with its own paths.
PipedreamShape line(const Shape& shape) {
  PipedreamShape levels = flat(shape);
  levels.devices = hierarchy(shape).devices;
  levels.objective = consecutive;
  return levels;
}

/// Returns the first components of each level, in every number.
std::vector<PipedreamShape> with_idle(const PipedreamShape& all) {
  std::vector<PipedreamShape> some{{{}, {DeviceId(0)}, all.objective}};
  some[0].devices[0] = all.devices[0];
  std::size_t size = 1;
  for (const int components : all.components) {
    std::vector<PipedreamShape> wider;
    for (int used = 1; used <= components; ++used)
      for (PipedreamShape shape : some) {
        const std::vector<DeviceId> inside = std::exchange(shape.devices, {});
        for (int c = 0; c < used; ++c)
          for (const DeviceId device : inside) {
            const auto at = std::find(all.devices.begin(), all.devices.end(), device) - all.devices.begin();
            shape.devices.push_back(all.devices[static_cast<std::size_t>(c) * size + static_cast<std::size_t>(at)]);
          }
        shape.components.push_back(used);
        wider.push_back(std::move(shape));
      }
    some = std::move(wider);
    size *= static_cast<std::size_t>(components);
  }
  return some;
}

struct Case {
  Problem problem;
  Shape shape;
  bool ignore_memory = false, printed = false;

  planner::evaluation::EvaluateOptions evaluate() const {
    return {.ignore_memory = ignore_memory, .printed_objective = printed};
  }
  planner::PlannerOptions options(const std::string& levels) const {
    planner::PlannerOptions options{{"levels", levels}};
    if (ignore_memory) options["ignore-memory"] = "true";
    if (printed) options["printed-objective"] = "true";
    return options;
  }
};

Case random_case(int seed, const std::vector<Shape>& shapes) {
  Random random(static_cast<std::uint64_t>(seed) + 90000);
  const bool large = test::random_problems() >= 500;
  test::RandomProblem wanted;
  wanted.graph = seed % 2 == 1;
  Case one;
  one.shape = shapes[static_cast<std::size_t>(random.integer(0, static_cast<int>(shapes.size()) - 1))];
  wanted.layers = random.integer(2, large ? 10 : 7);
  one.problem = test::random_problem(random, wanted);
  one.problem.cluster = std::make_shared<const Cluster>(cluster_of(random, one.shape));
  one.problem.workload.global_batch = 8;
  one.problem.workload.micro_batch = 1;
  one.ignore_memory = seed % 4 < 2;
  one.printed = seed % 7 == 3;
  if (!one.ignore_memory) one.problem = test::with_random_memory(one.problem, random);
  return one;
}

Result<planner::Ranking> answer(const Problem& problem, const planner::PlannerOptions& options, bool simulate = false) {
  planner::PlannerContext context;
  context.relax = false;
  const auto simulator = sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
  if (simulate) context.score = sim::score_of(*simulator);
  return planner::run_planner(**planner::find_planner("pipedream"), problem, options, context);
}

bool near(Seconds a, Seconds b) { return std::abs(a.count - b.count) <= 1e-9 * std::abs(b.count); }

/// The enumeration's optimum, and proven, or none in both.
void same(const Result<planner::Ranking>& ranking, const std::optional<Plan>& expected) {
  QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
  QCOMPARE(ranking->plans.empty(), !expected.has_value());
  if (!expected) return;
  const Plan& plan = ranking->plans.front();
  const Seconds got = *plan.objective->time, want = *expected->objective->time;
  QVERIFY2(near(got, want), qPrintable(QString("%1 against %2: %3 and %4")
                                           .arg(got.count)
                                           .arg(want.count)
                                           .arg(stage_shape_text(plan).c_str(), stage_shape_text(*expected).c_str())));
  QVERIFY(plan.certificate && !plan.certificate->optimal_in.empty());
}

/// Makes boundaries as large as the saved bytes, so that waiting tensors decide if a plan fits; some with ZeRO.
Case with_wide_cuts(int seed, const std::vector<Shape>& shapes) {
  Case one = random_case(seed, shapes);
  Random random(static_cast<std::uint64_t>(seed) + 97000);
  one.ignore_memory = false;
  one.problem.workload.zero = seed % 5 == 4 ? random.integer(1, 3) : 0;
  Profile profile = *one.problem.profile;
  std::int64_t most = 0;
  for (Layer& layer : profile.layers) {
    const int times = random.integer(1, 12);
    layer.output = layer.output * times;
    for (Bytes& output : layer.outputs) output = output * times;
    most += 8 * layer.parameters.count + layer.saved.count + layer.output.count;
  }
  one.problem.profile = std::make_shared<const Profile>(std::move(profile));
  Cluster cluster = *one.problem.cluster;
  cluster.device_types[0].memory =
      Bytes(static_cast<std::int64_t>(static_cast<double>(most) * random.uniform(0.2, 0.9)));
  one.problem.cluster = std::make_shared<const Cluster>(std::move(cluster));
  return one;
}

std::optional<Plan> better(std::optional<Plan> a, std::optional<Plan> b) {
  if (!a || !b) return a ? a : b;
  return *b->objective->time < *a->objective->time ? b : a;
}

void seeds() {
  QTest::addColumn<int>("seed");
  for (int seed = 0; seed < test::random_problems(); ++seed) QTest::addRow("%d", seed) << seed;
}

/// Adds the shapes of 7 and 8 devices if there is time.
std::vector<Shape> shapes(std::vector<Shape> small, const std::vector<Shape>& large) {
  if (test::random_problems() >= 500) small.insert(small.end(), large.begin(), large.end());
  return small;
}

const std::vector<Shape> one_level_shapes =
    shapes({{1, 1, 1}, {2, 1, 1}, {4, 1, 1}, {5, 1, 1}, {1, 4, 1}, {1, 6, 1}}, {{7, 1, 1}, {1, 8, 1}});
const std::vector<Shape> two_level_shapes =
    shapes({{2, 2, 1}, {3, 2, 1}, {2, 3, 1}, {1, 2, 2}, {1, 3, 2}, {1, 2, 3}, {2, 1, 3}}, {{4, 2, 1}, {2, 4, 1}});
const std::vector<Shape> three_level_shapes{{2, 2, 2}};

class TestPipedream : public QObject {
  Q_OBJECT

 private slots:
  void one_level_data() { seeds(); }
  void one_level() { optimal(one_level_shapes); }
  void two_levels_data() { seeds(); }
  void two_levels() { optimal(two_level_shapes); }
  void three_levels_data() { seeds(); }
  void three_levels() { optimal(three_level_shapes); }
  void what_waits_is_exact_data() { seeds(); }
  void what_waits_is_exact();
  void any_is_the_best_of_three_data() { seeds(); }
  void any_is_the_best_of_three();
  void pins_hold_data() { seeds(); }
  void pins_hold();
  void idle_devices_are_allowed_data() { seeds(); }
  void idle_devices_are_allowed();
  void idle_devices_can_pay();
  void too_many_ideals_fall_back();
  void slower_simulation_is_told();
  void too_large_is_refused();
  void large_clusters_with_little_memory_have_answers();
  void vgg16_takes_15_and_1();

 private:
  void optimal(const std::vector<Shape>& shapes);
};

void TestPipedream::optimal(const std::vector<Shape>& shapes) {
  QFETCH(int, seed);
  const Case one = random_case(seed, shapes);
  same(answer(one.problem, one.options("auto")),
       enumerate_pipedream(one.problem, hierarchy(one.shape), 1, one.evaluate()));
}

void TestPipedream::what_waits_is_exact() {
  QFETCH(int, seed);
  for (const auto* shapes : {&one_level_shapes, &two_level_shapes, &three_level_shapes}) {
    const Case one = with_wide_cuts(seed, *shapes);
    same(answer(one.problem, one.options("auto")),
         enumerate_pipedream(one.problem, hierarchy(one.shape), 1, one.evaluate()));
  }
}

void TestPipedream::any_is_the_best_of_three() {
  QFETCH(int, seed);
  std::vector<Shape> shapes = two_level_shapes;
  shapes.push_back({3, 1, 1});
  const Case one = random_case(seed, shapes);
  const auto any = answer(one.problem, one.options("any"));
  std::optional<Plan> best;
  for (const PipedreamShape& shape : {hierarchy(one.shape), flat(one.shape), line(one.shape)})
    best = better(best, enumerate_pipedream(one.problem, shape, 1, one.evaluate()));
  same(any, best);
  for (const char* levels : {"auto", "flat"}) {
    const auto other = answer(one.problem, one.options(levels));
    QVERIFY(other.has_value());
    if (other->plans.empty()) continue;
    QVERIFY(!any->plans.empty());
    QVERIFY(any->plans[0].objective->time->count <= other->plans[0].objective->time->count * (1 + 1e-12));
  }
}

/// Returns layers with many weights, whose synchronisation often makes fewer devices faster.
Case with_heavy_weights(int seed) {
  std::vector<Shape> shapes = seed % 3 == 0 ? one_level_shapes : two_level_shapes;
  if (seed % 10 == 1) shapes = three_level_shapes;
  Case one = random_case(seed, shapes);
  Profile profile = *one.problem.profile;
  Random random(static_cast<std::uint64_t>(seed) + 98000);
  const int times = random.integer(1, 300);
  for (Layer& layer : profile.layers) layer.parameters = layer.parameters * times;
  one.problem.profile = std::make_shared<const Profile>(std::move(profile));
  if (!one.ignore_memory) one.problem = test::with_random_memory(one.problem, random);
  return one;
}

void TestPipedream::idle_devices_are_allowed() {
  QFETCH(int, seed);
  Case one = with_heavy_weights(seed);
  if (seed % 5 == 2) one.problem.pins.max_stages = 2;
  if (seed % 5 == 3) one.problem.pins.layers = {{LayerId(1), DeviceId(1)}};
  if (one.problem.pins.layers.size() == 1 && one.shape.devices * one.shape.nodes * one.shape.switches < 2)
    one.problem.pins = {};
  for (const bool any : {false, true}) {
    planner::PlannerOptions options = one.options(any ? "any" : "auto");
    options["allow-idle"] = "true";
    std::vector<PipedreamShape> all = with_idle(hierarchy(one.shape));
    if (any) {
      for (const PipedreamShape& shape : with_idle(flat(one.shape))) all.push_back(shape);
      for (const PipedreamShape& shape : with_idle(line(one.shape))) all.push_back(shape);
    }
    std::optional<Plan> best;
    for (const PipedreamShape& shape : all)
      best = better(best, enumerate_pipedream(one.problem, shape, 1, one.evaluate()));
    same(answer(one.problem, options), best);
  }
}

/// Synchronising the weights takes longer than two devices save: two stages only.
void TestPipedream::idle_devices_can_pay() {
  Case one = random_case(0, {{4, 1, 1}});
  Profile profile = *one.problem.profile;
  profile.layers.resize(2);
  profile.edges.clear();
  for (Layer& layer : profile.layers) {
    layer.parameters = Bytes(std::int64_t{1} << 36);
    layer.output = Bytes(1);
  }
  one.problem.profile = std::make_shared<const Profile>(std::move(profile));
  one.ignore_memory = true;
  planner::PlannerOptions options = one.options("auto");
  const auto all = answer(one.problem, options);
  options["allow-idle"] = "true";
  const auto some = answer(one.problem, options);
  QVERIFY(all && some);
  QCOMPARE(devices_used(all->plans[0]).size(), std::size_t{4});
  QCOMPARE(devices_used(some->plans[0]).size(), std::size_t{2});
  QVERIFY(*some->plans[0].objective->time < *all->plans[0].objective->time);
}

void TestPipedream::pins_hold() {
  QFETCH(int, seed);
  const std::vector<Shape>& drawn = seed % 3 == 0 ? one_level_shapes : two_level_shapes;
  Case one = seed % 4 == 3 ? with_wide_cuts(seed, drawn) : random_case(seed, drawn);
  Random random(static_cast<std::uint64_t>(seed) + 95000);
  const int devices = one.shape.devices * one.shape.nodes * one.shape.switches;
  const int layers = static_cast<int>(one.problem.profile->layers.size());
  PlanConstraints& pins = one.problem.pins;
  switch (seed % 5) {
    case 0:
      pins.stages = random.integer(1, std::min(devices, layers));
      break;
    case 1:
      pins.max_stages = random.integer(1, 3);
      break;
    case 2:
      pins.replicas = random.integer(1, devices / 2 + 1);
      break;
    case 3:
      for (int i = 0; i < 2; ++i)
        pins.layers.emplace_back(LayerId(random.integer(0, layers - 1)), DeviceId(random.integer(0, devices - 1)));
      break;
    default:
      pins.stages = random.integer(1, std::min(devices, layers));
      pins.layers.emplace_back(LayerId(random.integer(0, layers - 1)), DeviceId(random.integer(0, devices - 1)));
  }
  if (!check(pins, *one.problem.profile, *one.problem.cluster)) return;  // no plan can have them
  if (seed % 2 == 0) {
    same(answer(one.problem, one.options("auto")),
         enumerate_pipedream(one.problem, hierarchy(one.shape), 1, one.evaluate()));
  } else {
    std::optional<Plan> best;
    for (const PipedreamShape& shape : {hierarchy(one.shape), flat(one.shape), line(one.shape)})
      best = better(best, enumerate_pipedream(one.problem, shape, 1, one.evaluate()));
    same(answer(one.problem, one.options("any")), best);
  }
}

/// Fourteen parallel layers have 2^14 ideals.
void TestPipedream::too_many_ideals_fall_back() {
  Profile wide = test::uniform_profile(16, milliseconds(1), milliseconds(2));
  for (int i = 1; i < 15; ++i) {
    wide.edges.push_back({LayerId(0), LayerId(i), {}});
    wide.edges.push_back({LayerId(i), LayerId(15), {}});
  }
  Problem problem{
      std::make_shared<const Profile>(std::move(wide)), std::make_shared<const Cluster>(test::flat_cluster(4)), {}};
  problem.workload.global_batch = 8;
  const auto ranking = answer(problem, {});
  QVERIFY(ranking && !ranking->plans.empty());
  const Plan& plan = ranking->plans.front();
  QVERIFY(near(*plan.objective->time, milliseconds(12)));
  QVERIFY(plan.certificate->optimal_in.ends_with("in one topological order of the graph"));
  QVERIFY(!plan.rationale.empty() && plan.rationale.front().find("too many") != std::string::npos);
}

/// Two even stages whose transfers take as long as they do: NOAM = 2 mini-batches can't hide them.
void TestPipedream::slower_simulation_is_told() {
  Profile profile = test::uniform_profile(2, milliseconds(5), milliseconds(5));
  for (Layer& layer : profile.layers) layer.output = Bytes(4500000), layer.parameters = Bytes(400000000);
  Problem problem{std::make_shared<const Profile>(std::move(profile)),
                  std::make_shared<const Cluster>(test::flat_cluster(2, gigabytes_per_second(1))),
                  {}};
  problem.workload.global_batch = 8;
  const auto ranking = answer(problem, {}, true);
  QVERIFY(ranking && !ranking->plans.empty());
  const Plan& plan = ranking->plans.front();
  QCOMPARE(plan.stages.size(), std::size_t{2});
  QVERIFY(near(*plan.objective->time, milliseconds(10)));
  QVERIFY(!plan.rationale.empty() && plan.rationale.front().find("NOAM = ceil(2 / 1) = 2") != std::string::npos);
}

void TestPipedream::too_large_is_refused() {
  Problem problem{std::make_shared<const Profile>(test::uniform_profile(3000, milliseconds(1), milliseconds(2))),
                  std::make_shared<const Cluster>(test::flat_cluster(1024)),
                  {}};
  problem.workload.global_batch = 8;
  const auto ranking = answer(problem, {});
  QVERIFY(ranking && ranking->infeasible);
  QVERIFY(ranking->infeasible->reason.starts_with("too large: 3000 layers on 1024 devices"));
  QCOMPARE(ranking->infeasible->relaxation, std::string("planner data-parallel can"));
}

/// Memory far beyond the limit of the exact tables: there is a fitting answer, and only true claims.
void TestPipedream::large_clusters_with_little_memory_have_answers() {
  for (const int nodes : {96, 128}) {
    Random random(1);
    Cluster cluster = cluster_of(random, {8, nodes, 1});
    cluster.device_types[0].memory = Bytes(std::int64_t{16} << 30);
    Profile profile;
    profile.name = "large", profile.device = "X", profile.micro_batch = 1;
    for (int i = 0; i < 96; ++i) {
      Layer layer;
      layer.name = "l" + std::to_string(i);
      layer.forward = Seconds((5 + i % 7) * 1e-3), layer.backward = Seconds((10 + 2 * (i % 7)) * 1e-3);
      layer.output = Bytes(20'000'000), layer.saved = Bytes(60'000'000), layer.parameters = Bytes(200'000'000);
      profile.layers.push_back(layer);
    }
    Problem problem;
    problem.profile = std::make_shared<const Profile>(std::move(profile));
    problem.cluster = std::make_shared<const Cluster>(std::move(cluster));
    problem.workload.global_batch = 256;
    const auto found = answer(problem, {});
    QVERIFY2(found, found ? "" : found.error().message.c_str());
    QVERIFY(!found->plans.empty());
    const auto simulated = sim::simulate(problem, found->plans.front());
    QVERIFY(simulated && simulated->fits);
  }
}

void TestPipedream::vgg16_takes_15_and_1() {
  if (test::shared_data().empty()) QSKIP("the measured profiles are not here");
  const auto profile =
      io::read_profile(test::shared_data() + "/pipedream/vgg16.graph.txt", {.profile_micro_batch = 128});
  QVERIFY(profile.has_value());
  Problem problem{std::make_shared<const Profile>(*profile),
                  std::make_shared<const Cluster>(test::flat_cluster(16, gigabytes_per_second(1.25))),
                  {}};
  problem.workload.global_batch = 256;
  const auto text = answer(problem, {{"ignore-memory", "true"}});
  QVERIFY(text && !text->plans.empty());
  QCOMPARE(QString(stage_shape_text(text->plans[0]).c_str()), QString("15:1 · 31:9"));
  QCOMPARE(QString::number(in_milliseconds(*text->plans[0].objective->time), 'f', 3), QString("44.159"));
  const auto printed = answer(problem, {{"ignore-memory", "true"}, {"printed-objective", "true"}});
  QVERIFY(printed && !printed->plans.empty());
  QCOMPARE(QString::number(in_milliseconds(*printed->plans[0].objective->time), 'f', 1), QString("82.2"));
  QCOMPARE(printed->plans[0].stages[0].last, 24);
}

PIPEDECK_TEST(TestPipedream)

}  // namespace pipedeck::tst_pipedream

#include "tst_pipedream.moc"
