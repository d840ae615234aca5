// SPDX-License-Identifier: Apache-2.0
// Memory of layers sharded over several devices: the profile's figure for the degree in the planners' sums, their
// independent evaluation and the simulator; the whole layer's figure if the profile has none.
#include <QTest>

#include <memory>

#include "core/cost/memory.hpp"
#include "core/plan/layer_bytes.hpp"
#include "core/planner/joint/layers.hpp"
#include "core/planner/planner.hpp"
#include "core/planner/search/memory_fit.hpp"
#include "core/sim/simulate.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_parts_memory {

constexpr int micro_batches = 3;

/// Returns two layers of 400 bytes of weights, 1000 saved bytes and 150 of workspace; on each of two devices, if
/// `told`, 600 and 100.
Problem make_problem(bool told) {
  Profile profile;
  profile.name = "two layers", profile.device = "X";
  for (const char* name : {"a", "b"}) {
    Layer layer;
    layer.name = name, layer.kind = "other";
    layer.forward = Seconds(1), layer.backward = Seconds(2);
    layer.output = Bytes(10), layer.saved = Bytes(1000), layer.parameters = Bytes(400), layer.workspace = Bytes(150);
    TensorParallelPoint point{2, Seconds(0.5), Seconds(1), Bytes(10), Bytes(10)};
    if (told) point.details.saved = Bytes(600), point.details.workspace = Bytes(100);
    layer.tensor_parallel.push_back(point);
    profile.layers.push_back(layer);
  }
  Cluster cluster;
  cluster.name = "two devices";
  cluster.device_types.push_back({"X", Bytes(1'000'000), 1.0, {}, {}, {}, {}});
  Node node;
  node.name = "n";
  node.devices.push_back({"X", 2});
  node.link = Link{};
  node.link->bandwidth = BytesPerSecond(1e9);
  cluster.nodes.push_back(node);
  Problem problem{std::make_shared<const Profile>(profile), std::make_shared<const Cluster>(cluster), {}};
  problem.workload.global_batch = micro_batches;
  problem.workload.micro_batch = 1;
  problem.workload.optimizer = Optimizer::none;
  return problem;
}

constexpr std::int64_t state = 2 * 400;  ///< weights and gradients of half of both layers

std::int64_t kept(bool told) { return told ? 2 * 600 : 2 * 1000; }
std::int64_t scratch(bool told) { return told ? 100 : 150; }

Plan plan_on_both(ScheduleKind schedule) {
  Plan plan;
  plan.schedule = schedule;
  plan.optimizer = Optimizer::none;
  plan.micro_batch = 1, plan.micro_batches = plan.global_batch = micro_batches;
  Stage stage;
  stage.last = 2;
  stage.devices = {DeviceId(std::int32_t{0}), DeviceId(std::int32_t{1})};
  stage.tensor_parallel = 2;
  plan.stages.push_back(stage);
  return plan;
}

class TestPartsMemory : public QObject {
  Q_OBJECT
 private slots:
  void planners_take_the_degrees_figure_data() { add_rows(); }
  void planners_take_the_degrees_figure();
  void the_simulator_takes_it_data() { add_rows(); }
  void the_simulator_takes_it();
  void capture_and_its_second_opinion_take_it_data() { add_rows(); }
  void capture_and_its_second_opinion_take_it();
  void with_uneven_parts_activations_are_whole();
  void weights_held_whole_are_on_every_device();
  void gradients_held_whole_are_all_reduced_by_every_rank();

 private:
  static void add_rows() {
    QTest::addColumn<bool>("told");
    QTest::newRow("figures of two devices") << true;
    QTest::newRow("figures of one alone") << false;
  }
};

void TestPartsMemory::planners_take_the_degrees_figure() {
  QFETCH(bool, told);
  const Problem problem = make_problem(told);
  planner::search::Chain chain = planner::search::Chain::of(problem).value();
  const planner::search::StageNeed need = planner::search::stage_need(chain, 0, 2, 1, 1, false, 1, 2);
  QCOMPARE(need.peak(micro_batches, micro_batches).count, state + micro_batches * kept(told) + scratch(told));
  planner::joint::Layers layers(chain, planner::search::Ideals::of_order(chain.profile(), chain.order()));
  const planner::search::StageBytes joint = layers.bytes(0, layers.whole(), 1, 2),
                                    whole = layers.bytes(0, layers.whole(), 1, 1);
  QCOMPARE(joint.saved.count, kept(told));
  QCOMPARE(joint.workspace.count, scratch(told));
  QCOMPARE(whole.saved.count, kept(false));
  QCOMPARE(whole.workspace.count, scratch(false));
}

void TestPartsMemory::the_simulator_takes_it() {
  QFETCH(bool, told);
  const Plan plan = plan_on_both(ScheduleKind::gpipe);
  const Simulation simulation = sim::simulate(make_problem(told), plan).value();
  QCOMPARE(simulation.devices.size(), std::size_t{2});
  for (const SimulatedDevice& device : simulation.devices) {
    QCOMPARE(device.peak.count, state + micro_batches * kept(told) + scratch(told));
    QCOMPARE(device.peak_breakdown[MemoryItem::activations].count, micro_batches * kept(told));
    QCOMPARE(device.peak_upper_bound, device.peak);
  }
}

void TestPartsMemory::capture_and_its_second_opinion_take_it() {
  QFETCH(bool, told);
  Problem problem = make_problem(told);
  problem.pins.stages = 1, problem.pins.tensor_parallel = 2;
  planner::PlannerContext context;
  context.relax = false;
  const auto ranking = planner::run_planner(**planner::find_planner("capture"), problem, {}, context);
  QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
  QCOMPARE(ranking->plans.size(), std::size_t{1});
  QCOMPARE(ranking->plans[0].stages[0].tensor_parallel, 2);
  QCOMPARE(ranking->plans[0].objective->bytes->count, state + kept(told) + scratch(told));
}

void TestPartsMemory::with_uneven_parts_activations_are_whole() {
  Plan plan = plan_on_both(ScheduleKind::gpipe);
  plan.stages[0].shard_fractions = {{0.75, 0.25}};
  const Simulation simulation = sim::simulate(make_problem(true), plan).value();
  QCOMPARE(simulation.devices[0].peak_breakdown[MemoryItem::activations].count, micro_batches * kept(false));
  QCOMPARE(simulation.devices[1].peak_breakdown[MemoryItem::activations].count, micro_batches * kept(false));
}

/// Returns layers of 400 bytes of weights, 100 of which are on every device.
Problem with_whole_weights() {
  Problem problem = make_problem(true);
  Profile profile = *problem.profile;
  for (Layer& layer : profile.layers) layer.replicated_parameters = Bytes(100);
  problem.profile = std::make_shared<const Profile>(profile);
  return problem;
}

void TestPartsMemory::weights_held_whole_are_on_every_device() {
  constexpr std::int64_t own = 2 * 100 + 2 * 300 / 2, rest = micro_batches * 2 * 600 + 100;
  Problem problem = with_whole_weights();
  planner::search::Chain chain = planner::search::Chain::of(problem).value();
  QCOMPARE(plan::share_of(chain.weights(0, 2), 2).count, own);
  QCOMPARE(plan::share_of(chain.weights(0, 2), 1).count, 2 * 400);
  const planner::search::StageNeed need = planner::search::stage_need(chain, 0, 2, 1, 1, false, 1, 2);
  QCOMPARE(need.peak(micro_batches, micro_batches).count, 2 * own + rest);
  planner::joint::Layers layers(chain, planner::search::Ideals::of_order(chain.profile(), chain.order()));
  QCOMPARE(layers.bytes(0, layers.whole(), 1, 2).weights, chain.weights(0, 2));

  Plan plan = plan_on_both(ScheduleKind::gpipe);
  const Simulation even = sim::simulate(problem, plan).value();
  for (const SimulatedDevice& device : even.devices) {
    QCOMPARE(device.peak_breakdown[MemoryItem::weights].count, own);
    QCOMPARE(device.peak.count, 2 * own + rest);
  }
  plan.stages[0].shard_fractions = {{0.75, 0.25}};
  const Simulation uneven = sim::simulate(problem, plan).value();
  QCOMPARE(uneven.devices[0].peak_breakdown[MemoryItem::weights].count, 2 * 100 + 600 * 3 / 4);
  QCOMPARE(uneven.devices[1].peak_breakdown[MemoryItem::weights].count, 2 * 100 + 600 / 4);

  problem.pins.stages = 1, problem.pins.tensor_parallel = 2;
  const sim::Simulator simulator =
      sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions).value();
  planner::PlannerContext context;
  context.relax = false;
  context.score = sim::score_of(simulator);
  for (const char* planner : {"capture", "amp", "joint", "whale", "megatron"}) {
    const auto ranking = planner::run_planner(**planner::find_planner(planner), problem, {}, context);
    QVERIFY2(ranking.has_value(), ranking ? planner : ranking.error().text().c_str());
    QVERIFY2(!ranking->plans.empty(), planner);
    const Plan& best = ranking->plans[0];
    QCOMPARE(best.stages[0].tensor_parallel, 2);
    QCOMPARE(sim::simulate(problem, best).value().devices[0].peak_breakdown[MemoryItem::weights].count, own);
    if (best.objective->bytes) QCOMPARE(best.objective->bytes->count, 2 * own + 2 * 600 + 100);
  }
}

/// Two replicas of two devices: a ring of two sends its bytes once.
void TestPartsMemory::gradients_held_whole_are_all_reduced_by_every_rank() {
  Problem problem = with_whole_weights();
  Cluster cluster = *problem.cluster;
  cluster.nodes[0].devices[0].count = 4;
  problem.cluster = std::make_shared<const Cluster>(cluster);
  problem.workload.conventions.collectives = Collectives::ring;
  problem.workload.conventions.overlap = Overlap::none;
  Plan plan = plan_on_both(ScheduleKind::gpipe);
  plan.micro_batch = 2, plan.global_batch = 2 * micro_batches;
  for (const int device : {2, 3}) plan.stages[0].devices.push_back(DeviceId(std::int32_t{device}));
  for (const NetworkModel network : {NetworkModel::ideal, NetworkModel::shared}) {
    problem.workload.conventions.network = network;
    const Simulation simulation = sim::simulate(problem, plan).value();
    std::int64_t reduced = 0;
    for (std::size_t i = 0; i < simulation.timeline.kind.size(); ++i)
      if (simulation.timeline.kind[i] == OpKind::all_reduce) reduced = simulation.timeline.duration[i];
    QCOMPARE(reduced, std::int64_t{2 * 100 + 2 * 300 / 2});  // ns, at one byte each
  }
}

PIPEDECK_TEST(TestPartsMemory)

}  // namespace pipedeck::tst_parts_memory

#include "tst_parts_memory.moc"
