// SPDX-License-Identifier: Apache-2.0
// Planners on layers with measured shardings. Layers without a path of shardings are never planned. Plans take no more
// memory in the simulator than the devices have, since both use these shardings.
#include <QTest>

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/cost/sharded_ranges.hpp"
#include "core/cost/stage_sharding.hpp"
#include "core/plan/edits.hpp"
#include "core/plan/layer_bytes.hpp"
#include "core/plan/sharding_path.hpp"
#include "core/plan/validate.hpp"
#include "core/planner/planner.hpp"
#include "core/sim/simulate.hpp"
#include "tests/core/planner/amp/amp_enumeration.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_planned_ways {

using pipedeck::test::Random;

using enum TensorLayout;

Bytes some(Random& random, Bytes most) {
  return Bytes(static_cast<std::int64_t>(static_cast<double>(most.count) * random.uniform(0, 1)));
}

/// Returns a sharding; `input`: of the whole layer.
ShardingCost way(Random& random, const Layer& layer, Bytes input, int degree, TensorLayout from, TensorLayout to) {
  ShardingCost way{{from, to, random.integer(0, 3), random.integer(0, 5) == 0}, {}, {}, {}, {}};
  way.replicated_parameters = some(random, layer.parameters);
  way.memory.input = from == replicated ? input : Bytes((input.count + degree - 1) / degree);
  way.saved = way.memory.input + Bytes(layer.saved.count / degree) + some(random, Bytes(layer.saved.count / 2));
  way.memory.forward = way.memory.backward = some(random, layer.saved);
  way.workspace = way.memory.backward + layer.output;  // the incoming gradient is part of the pass
  return way;
}

/// Adds shardings like the profiler's: a product by columns or rows, an element-wise layer in columns, or one sharded
/// inside. With `broken` some layers can only continue with columns.
void add_configs(Random& random, Profile& profile, bool broken) {
  Bytes input;  // of the layer
  for (Layer& layer : profile.layers) {
    layer.memory = LayerMemory{};
    layer.memory->input = input, layer.saved += input;
    layer.memory->forward = layer.memory->backward = layer.saved;
    layer.workspace = layer.saved + layer.output;
    for (const int degree : {2, 3}) {
      TensorParallelPoint point{degree, layer.forward / degree, layer.backward / degree,
                                Bytes(1000000 * random.integer(0, 3)), Bytes(1000000 * random.integer(0, 3))};
      const auto add = [&](TensorLayout from, TensorLayout to) {
        point.ways.push_back(way(random, layer, input, degree, from, to));
      };
      const bool first = &layer == &profile.layers.front(), last = &layer == &profile.layers.back();
      if (!first) add(column_sharded, random.integer(0, 1) == 0 || last ? replicated : column_sharded);
      if (!last && random.integer(0, 2) > 0) add(replicated, column_sharded);
      if (!broken || random.integer(0, 3) > 0) add(replicated, replicated);
      // The figure after the previous layer is below that of a stage that begins here.
      point.details.saved = Bytes(layer.saved.count / degree), point.details.workspace = Bytes(layer.saved.count / 2);
      layer.tensor_parallel.push_back(point);
    }
    input = layer.output;
  }
}

struct Case {
  Problem problem;
  int layers = 0;
};

Case problem_with_ways(int seed, bool broken) {
  Random random(static_cast<std::uint64_t>(seed));
  Case made;
  made.layers = random.integer(2, 6);
  made.problem = test::random_problem(random, {.layers = made.layers, .nodes = {random.integer(2, 4)}});
  Profile profile = *made.problem.profile;
  Cluster cluster = *made.problem.cluster;
  add_configs(random, profile, broken);
  std::int64_t all = 0;
  for (const Layer& layer : profile.layers) all += 4 * layer.parameters.count + 2 * layer.saved.count;
  cluster.device_types[0].memory =
      Bytes(static_cast<std::int64_t>(static_cast<double>(all) * random.uniform(0.3, 1.2)));
  made.problem.profile = std::make_shared<const Profile>(std::move(profile));
  made.problem.cluster = std::make_shared<const Cluster>(std::move(cluster));
  made.problem.workload.global_batch = 4;
  return made;
}

bool is_cut(const Plan& plan) {
  return std::ranges::any_of(plan.stages, [](const Stage& stage) { return stage.tensor_parallel > 1; });
}

/// Returns stages of the plan's devices one after another, some equal, some not.
Plan random_plan(Random& random, const Case& made) {
  Plan plan;
  plan.micro_batch = plan.micro_batches = 2, plan.global_batch = 4;
  int first = 0, device = 0;
  while (first < made.layers) {
    Stage stage;
    stage.first = first, stage.last = first = random.integer(first + 1, made.layers);
    stage.tensor_parallel = random.integer(0, 4) == 0 ? 3 : random.integer(0, 3) == 0 ? 1 : 2;
    for (int d = stage.tensor_parallel * random.integer(1, 2); d > 0; --d) stage.devices.push_back(DeviceId(device++));
    plan.stages.push_back(stage);
  }
  return plan;
}

planner::PlannerContext judged(const Problem& problem) {
  planner::PlannerContext context;
  const sim::Simulator simulator = *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
  context.score = sim::score_of(simulator);
  context.fits = sim::fits_of(simulator);
  context.top = 20;
  context.relax = false;
  return context;
}

class TestPlannedWays : public QObject {
  Q_OBJECT

 private slots:
  void ranges_are_never_below_the_stages_own();
  void a_longer_range_never_takes_less();
  void plans_fit_in_the_simulator_data();
  void plans_fit_in_the_simulator();
  void amp_finds_what_enumeration_finds();
  void what_no_way_leads_through_is_refused();
};

void TestPlannedWays::ranges_are_never_below_the_stages_own() {
  int compared = 0, equal = 0;
  for (int seed = 0; seed < 400; ++seed) {
    const Case made = problem_with_ways(seed, false);
    const Profile& profile = *made.problem.profile;
    const std::vector<LayerId> order = topological_order(profile);
    Random random(static_cast<std::uint64_t>(seed));
    const Plan plan = random_plan(random, made);
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
      const Stage& stage = plan.stages[s];
      const std::vector<const ShardingCost*> ways = cost::stage_sharding(plan, profile, order, StageId(s));
      QCOMPARE(ways.empty(), stage.tensor_parallel == 1);
      if (ways.empty()) continue;
      const auto ranges = cost::ShardedRanges::of(profile, order, stage.tensor_parallel);
      QVERIFY(ranges);
      const cost::ShardedRangeBytes own = cost::figures_of(ways), most = ranges->most(stage.first, stage.last);
      QVERIFY(own.saved <= most.saved && own.workspace <= most.workspace);
      QVERIFY(own.replicated_parameters <= most.replicated_parameters);
      ++compared, equal += own.saved == most.saved ? 1 : 0;
    }
  }
  QVERIFY2(compared > 300 && 4 * equal > compared, qPrintable(QString("%1 of %2").arg(equal).arg(compared)));
}

void TestPlannedWays::a_longer_range_never_takes_less() {
  const Case made = problem_with_ways(3, false);
  const std::vector<LayerId> order = topological_order(*made.problem.profile);
  const auto ranges = cost::ShardedRanges::of(*made.problem.profile, order, 2);
  QVERIFY(ranges);
  for (int first = 0; first < made.layers; ++first)
    for (int last = first + 1; last < made.layers; ++last)
      for (const cost::ShardedRangeBytes& longer :
           {ranges->most(first, last + 1), ranges->most(std::max(0, first - 1), last)}) {
        const cost::ShardedRangeBytes here = ranges->most(first, last);
        QVERIFY(here.saved <= longer.saved && here.workspace <= longer.workspace);
        QVERIFY(here.replicated_parameters <= longer.replicated_parameters);
      }
}

void TestPlannedWays::plans_fit_in_the_simulator_data() {
  QTest::addColumn<QString>("planner");
  for (const char* name : {"amp", "amp-sa", "megatron", "capture", "joint", "whale"}) QTest::newRow(name) << name;
}

/// With the figures of the degree instead of the shardings some of these would not fit.
void TestPlannedWays::plans_fit_in_the_simulator() {
  QFETCH(QString, planner);
  int cut = 0;
  for (int seed = 0; seed < 60; ++seed) {
    const bool broken = seed % 3 == 0;
    const Case made = problem_with_ways(seed, broken);
    const Problem& problem = made.problem;
    const auto ranking =
        planner::run_planner(**planner::find_planner(planner.toStdString()), problem, {}, judged(problem));
    QVERIFY2(ranking.has_value(),
             ranking ? "" : qPrintable(QString("seed %1: ").arg(seed) + ranking.error().text().c_str()));
    for (const Plan& plan : ranking->plans) {
      const auto valid = plan::validate(plan, *problem.profile, *problem.cluster);
      QVERIFY2(valid.has_value(), valid ? "" : valid.error().text().c_str());
      const auto simulation = sim::simulate(problem, plan);
      QVERIFY(simulation.has_value());
      for (const SimulatedDevice& device : simulation->devices)
        QVERIFY2(device.peak <= problem.cluster->device_types[0].memory,
                 qPrintable(QString("seed %1, %2: %3 bytes").arg(seed).arg(plan.name.c_str()).arg(device.peak.count)));
      cut += is_cut(plan) ? 1 : 0;
    }
  }
  QVERIFY2(cut > 5, qPrintable(QString("%1 plans are cut").arg(cut)));
}

void TestPlannedWays::amp_finds_what_enumeration_finds() {
  int cut = 0;
  for (int seed = 0; seed < 60; ++seed) {
    const Case made = problem_with_ways(seed, seed % 3 == 0);
    const auto all = enumerate_amp(made.problem, {});
    planner::PlannerContext context;
    context.relax = false;
    const auto ranking = planner::run_planner(**planner::find_planner("amp"), made.problem, {}, context);
    QVERIFY(ranking.has_value());
    QCOMPARE(ranking->plans.empty(), all.empty());
    if (all.empty()) continue;
    const double found = ranking->plans[0].objective->time->count, best = all[0].objective->time->count;
    QVERIFY2(std::abs(found - best) <= 1e-9 * best, qPrintable(QString("seed %1").arg(seed)));
    cut += is_cut(ranking->plans[0]) ? 1 : 0;
  }
  QVERIFY(cut > 5);
}

/// Layer 1 only continues with columns, and layer 0 produces none.
void TestPlannedWays::what_no_way_leads_through_is_refused() {
  Random random(1);
  Problem problem = test::random_problem(random, {.layers = 3, .nodes = {4}});
  Profile profile = *problem.profile;
  for (std::size_t i = 0; i < 3; ++i) {
    Layer& layer = profile.layers[i];
    TensorParallelPoint point{2, layer.forward / 10, layer.backward / 10, {}, {}};
    point.ways.push_back(way(random, layer, {}, 2, i == 1 ? column_sharded : replicated, replicated));
    layer.tensor_parallel.push_back(point);
  }
  problem.profile = std::make_shared<const Profile>(profile);
  problem.workload.global_batch = 4;
  QVERIFY(plan::is_shardable(profile.layers[0], 2) && !plan::is_shardable(profile.layers[1], 2));
  Plan plan;
  plan.profile = profile.name, plan.cluster = problem.cluster->name;
  plan.micro_batch = 1, plan.micro_batches = plan.global_batch = 4;
  for (const auto& [first, last, device] : {std::tuple(0, 1, 0), std::tuple(1, 3, 2)}) {
    Stage stage;
    stage.first = first, stage.last = last, stage.tensor_parallel = first == 0 ? 2 : 1;
    for (int d = 0; d < 2; ++d) stage.devices.push_back(DeviceId(device + d));
    plan.stages.push_back(stage);
  }
  plan.stages[1].devices.pop_back();
  QVERIFY(plan::validate(plan, profile, *problem.cluster).has_value());
  QVERIFY(plan::tensor_parallel_degrees(plan, profile, 0) == (std::vector{1, 2}));
  QVERIFY(plan::tensor_parallel_degrees(plan, profile, 1) == std::vector{1});
  const auto edited = plan::with_edit(plan, profile, *problem.cluster, plan::SetTensorParallel{1, 2});
  QVERIFY(!edited);
  QVERIFY(
      QString::fromStdString(edited.error().text()).contains("layer 'l1' of stage 1 cannot be sharded over 2 devices"));
  plan.stages[1].devices.push_back(DeviceId(3)), plan.stages[1].tensor_parallel = 2;
  const auto refused = plan::validate(plan, profile, *problem.cluster);
  QVERIFY(!refused);
  QCOMPARE(QString::fromStdString(refused.error().place), QString("/stages/1/tensor_parallel"));
  QVERIFY(QString::fromStdString(refused.error().message).contains("layer 'l1' can be cut where it stands"));
  for (const char* name : {"amp", "megatron", "capture", "joint", "whale"}) {
    const auto ranking = planner::run_planner(**planner::find_planner(name), problem, {}, judged(problem));
    QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
    for (const Plan& answer : ranking->plans)
      for (const Stage& stage : answer.stages)
        QVERIFY2(stage.tensor_parallel == 1 || stage.last <= 1 || stage.first >= 2, name);
  }
}

PIPEDECK_TEST(TestPlannedWays)

}  // namespace pipedeck::tst_planned_ways

#include "tst_planned_ways.moc"
