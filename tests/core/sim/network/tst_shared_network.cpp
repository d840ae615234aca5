// SPDX-License-Identifier: Apache-2.0
// The `shared` network: equal to `ideal` if nothing shares, and exact values if something does.
#include <QtTest/QTest>

#include <algorithm>
#include <array>
#include <numeric>

#include "core/cost/all_reduce.hpp"
#include "core/plan/cuts.hpp"
#include "core/plan/validate.hpp"
#include "core/schedule/build.hpp"
#include "core/sim/costs/stage_figures.hpp"
#include "core/sim/engine/engine.hpp"
#include "core/sim/simulate.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_shared_network {

constexpr std::array all_collectives{Collectives::best_ring, Collectives::ring, Collectives::hierarchical,
                                     Collectives::tree, Collectives::nccl};
constexpr std::array all_overlaps{Overlap::none, Overlap::layer, Overlap::bucket};

Stage stage_of(int first, int last, std::vector<int> devices) {
  Stage stage;
  stage.first = first;
  stage.last = last;
  for (const int device : devices) stage.devices.push_back(DeviceId(std::int32_t{device}));
  return stage;
}

Plan plan_of(std::vector<Stage> stages, int micro_batch, int micro_batches) {
  Plan plan;
  plan.optimizer = Optimizer::none;
  plan.stages = std::move(stages);
  plan.micro_batch = micro_batch;
  plan.micro_batches = micro_batches;
  plan.global_batch = micro_batch * micro_batches;
  return plan;
}

/// Nodes of one device, each linked to the next.
Cluster chain_of_nodes(test::Random& random, int nodes) {
  Cluster cluster = test::flat_cluster(1);
  cluster.nodes.clear();
  for (int n = 0; n < nodes; ++n) {
    Node node;
    node.name = "n" + std::to_string(n);
    node.devices = {{"X", 1}};
    cluster.nodes.push_back(node);
    const Link link{gigabytes_per_second(random.uniform(0.3, 3)), microseconds(random.uniform(0, 40))};
    if (n > 0) cluster.links.push_back({"n" + std::to_string(n - 1), node.name, link});
  }
  return cluster;
}

/// Two nodes with a link between them.
Cluster two_nodes(int devices_each, double inside, double between) {
  Cluster cluster = test::flat_cluster(devices_each, gigabytes_per_second(inside));
  cluster.nodes.push_back(cluster.nodes.front());
  cluster.nodes.back().name = "n1";
  cluster.links.push_back({"n0", "n1", {gigabytes_per_second(between), {}}});
  return cluster;
}

/// Equal layers of 1 ms and 2 ms.
Profile layers_of(int count, std::int64_t output, std::int64_t parameters) {
  Profile profile = test::uniform_profile(count, milliseconds(1), milliseconds(2));
  for (Layer& layer : profile.layers) layer.output = Bytes(output), layer.parameters = Bytes(parameters);
  return profile;
}

Simulation run(const Profile& profile, const Cluster& cluster, const Plan& plan, SimulationOptions conventions) {
  Problem problem;
  problem.profile = std::make_shared<const Profile>(profile);
  problem.cluster = std::make_shared<const Cluster>(cluster);
  problem.workload.conventions = conventions;
  return sim::simulate(problem, plan).value();
}

Simulation run(const Profile& profile, const Cluster& cluster, const Plan& plan, NetworkModel network,
               Overlap overlap = Overlap::layer, Collectives collectives = Collectives::best_ring) {
  SimulationOptions conventions;
  conventions.network = network;
  conventions.overlap = overlap;
  conventions.bucket = Bytes(30'000'000);
  conventions.collectives = collectives;
  return run(profile, cluster, plan, conventions);
}

/// Checks that both networks give equal timelines, row by row; lanes of links go by nodes in one and by devices in the
/// other.
void expect_equal(const Profile& profile, const Cluster& cluster, const Plan& plan, Overlap overlap = Overlap::layer,
                  Collectives collectives = Collectives::best_ring) {
  const Simulation ideal = run(profile, cluster, plan, NetworkModel::ideal, overlap, collectives);
  const Simulation shared = run(profile, cluster, plan, NetworkModel::shared, overlap, collectives);
  QCOMPARE(shared.iteration.count, ideal.iteration.count);
  QCOMPARE(shared.timeline.start, ideal.timeline.start);
  QCOMPARE(shared.timeline.duration, ideal.timeline.duration);
  QVERIFY(shared.devices == ideal.devices);
}

/// Returns the durations of transfers from a stage, in order of start.
std::vector<std::int64_t> transfers_from(const Simulation& simulation, int stage) {
  std::vector<std::pair<std::int64_t, std::int64_t>> found;
  const Timeline& timeline = simulation.timeline;
  for (const TimelineLane& lane : timeline.lanes)
    for (std::size_t i = lane.begin; i < lane.end; ++i)
      if (lane.role == LaneRole::link && timeline.stage[i] == stage)
        found.emplace_back(timeline.start[i], timeline.duration[i]);
  std::sort(found.begin(), found.end());
  std::vector<std::int64_t> durations;
  for (const auto& [start, duration] : found) durations.push_back(duration);
  return durations;
}

/// Stages on consecutive devices, some replicated; some nodes have a bus.
struct Drawn {
  Problem problem;
  Plan plan;
};

Drawn draw(test::Random& random) {
  test::RandomProblem shape;
  shape.layers = random.integer(2, 6);
  shape.nodes = std::vector<std::vector<int>>{
      {4}, {2, 2}, {3, 2}, {1, 3}, {4, 4}, {2, 2, 2}}[static_cast<std::size_t>(random.integer(0, 5))];
  Drawn drawn{test::random_problem(random, shape), {}};
  Cluster cluster = *drawn.problem.cluster;
  for (Node& node : cluster.nodes) node.bus = random.integer(0, 3) == 0;
  drawn.problem.cluster = std::make_shared<const Cluster>(cluster);
  SimulationOptions& conventions = drawn.problem.workload.conventions;
  conventions.network = NetworkModel::shared;
  conventions.overlap = all_overlaps[static_cast<std::size_t>(random.integer(0, 2))];
  conventions.bucket = Bytes(random.integer(1, 200) * 1'000'000);
  conventions.collectives = all_collectives[static_cast<std::size_t>(random.integer(0, 4))];

  const int devices = std::accumulate(shape.nodes.begin(), shape.nodes.end(), 0);
  const int count = random.integer(1, std::min(shape.layers, devices));
  std::vector<Stage> stages;
  int layer = 0, device = 0;
  for (int s = 0; s < count; ++s) {
    const int left = count - s - 1;
    const int last = left == 0 ? shape.layers : random.integer(layer + 1, shape.layers - left);
    const int end = left == 0 ? devices : random.integer(device + 1, devices - left);
    Stage stage = stage_of(layer, last, {});
    for (; device < end; ++device) stage.devices.push_back(DeviceId(std::int32_t{device}));
    stages.push_back(stage);
    layer = last;
  }
  drawn.plan = plan_of(std::move(stages), random.integer(devices, 2 * devices), random.integer(1, 6));
  if (random.integer(0, 3) == 0) {
    drawn.plan.schedule = ScheduleKind::pipedream;
    drawn.plan.micro_batch = 1;
    drawn.plan.global_batch = drawn.plan.micro_batches;
  }
  drawn.problem.workload.global_batch = drawn.plan.global_batch;
  return drawn;
}

class TestSharedNetwork : public QObject {
  Q_OBJECT

 private slots:
  void chainsOfNodesAreAsIdeal() {
    for (int seed = 0; seed < 60; ++seed) {
      test::Random random(static_cast<std::uint64_t>(seed));
      const int nodes = random.integer(2, 6);
      Profile profile = layers_of(nodes, 0, 0);
      for (Layer& layer : profile.layers) {
        layer.forward = milliseconds(random.uniform(0.5, 3));
        layer.backward = milliseconds(random.uniform(1, 6));
        layer.output = Bytes(random.integer(0, 3'000'000));
      }
      std::vector<Stage> stages;
      for (int s = 0; s < nodes; ++s) stages.push_back(stage_of(s, s + 1, {s}));
      Plan plan = plan_of(stages, 1, random.integer(1, 12));
      plan.schedule = std::array{ScheduleKind::gpipe, ScheduleKind::one_f_one_b,
                                 ScheduleKind::pipedream}[static_cast<std::size_t>(random.integer(0, 2))];
      plan.warmup = random.integer(0, 1) ? Warmup::A : Warmup::B;
      expect_equal(profile, chain_of_nodes(random, nodes), plan);
    }
  }

  /// One stage replicated over all devices: its all-reduces follow one another and have the links alone.
  void allReducesOfOneStageAreAsIdeal() {
    for (int seed = 0; seed < 12; ++seed)
      for (const Overlap overlap : all_overlaps)
        for (const Collectives collectives : all_collectives) {
          test::Random random(static_cast<std::uint64_t>(seed));
          test::RandomProblem shape;
          shape.layers = random.integer(1, 6);
          shape.nodes = std::vector<std::vector<int>>{
              {4}, {2}, {2, 2}, {1, 1, 1}, {3, 2}, {4, 4, 4}}[static_cast<std::size_t>(seed % 6)];
          const Problem problem = test::random_problem(random, shape);
          std::vector<int> devices(
              static_cast<std::size_t>(std::accumulate(shape.nodes.begin(), shape.nodes.end(), 0)));
          std::iota(devices.begin(), devices.end(), 0);
          Plan plan = plan_of({stage_of(0, shape.layers, devices)}, static_cast<int>(devices.size()), 3);
          expect_equal(*problem.profile, *problem.cluster, plan, overlap, collectives);
          plan.schedule = ScheduleKind::pipedream;
          expect_equal(*problem.profile, *problem.cluster, plan, overlap, collectives);
        }
  }

  /// Both replicas send 20 MB at once over the one link of 10 GB/s: 2 ms each instead of 4 ms one after another.
  void twoPairsOverOneLinkTakeDouble() {
    const Profile profile = layers_of(2, 20'000'000, 0);
    const Plan plan = plan_of({stage_of(0, 1, {0, 1}), stage_of(1, 2, {2, 3})}, 2, 1);
    const Cluster cluster = two_nodes(2, 100, 10);
    const Simulation shared = run(profile, cluster, plan, NetworkModel::shared);
    QCOMPARE(transfers_from(shared, 0), (std::vector<std::int64_t>{4'000'000, 4'000'000}));
    QCOMPARE(shared.iteration.count, std::int64_t{1 + 4 + 3 + 4 + 2} * 1'000'000);
    Plan one = plan_of({stage_of(0, 1, {0}), stage_of(1, 2, {2})}, 1, 1);
    QCOMPARE(transfers_from(run(profile, cluster, one, NetworkModel::shared), 0),
             (std::vector<std::int64_t>{2'000'000}));
  }

  /// Full duplex: activations of one micro-batch and gradients of another pass each other.
  void directionsDoNotShare() {
    const Profile profile = layers_of(2, 20'000'000, 0);
    const Plan plan = plan_of({stage_of(0, 1, {0}), stage_of(1, 2, {1})}, 1, 4);
    const Simulation shared = run(profile, two_nodes(1, 100, 10), plan, NetworkModel::shared);
    for (const int stage : {0, 1})
      for (const std::int64_t duration : transfers_from(shared, stage)) QCOMPARE(duration, std::int64_t{2'000'000});
  }

  /// Flows to two other devices share a port; all flows of a node share its bus.
  void portsAndBuses() {
    Profile profile = layers_of(3, 10'000'000, 0);
    const Plan plan = plan_of({stage_of(0, 1, {0}), stage_of(1, 3, {1, 2})}, 2, 1);
    Cluster cluster = test::flat_cluster(3, gigabytes_per_second(10));
    const Simulation ports = run(profile, cluster, plan, NetworkModel::shared);
    QCOMPARE(transfers_from(ports, 0), (std::vector<std::int64_t>{2'000'000, 2'000'000}));
    QCOMPARE(transfers_from(run(profile, cluster, plan, NetworkModel::ideal), 0),
             (std::vector<std::int64_t>{1'000'000, 1'000'000}));

    // Two pairs of devices: own ports, or one bus.
    const Plan pairs = plan_of({stage_of(0, 1, {0, 1}), stage_of(1, 3, {2, 3})}, 2, 1);
    cluster = test::flat_cluster(4, gigabytes_per_second(10));
    QCOMPARE(transfers_from(run(profile, cluster, pairs, NetworkModel::shared), 0),
             (std::vector<std::int64_t>{1'000'000, 1'000'000}));
    cluster.nodes[0].bus = true;
    QCOMPARE(transfers_from(run(profile, cluster, pairs, NetworkModel::shared), 0),
             (std::vector<std::int64_t>{2'000'000, 2'000'000}));
  }

  /// Cards of 10 GB/s, nodes that reach each other at 40 GB/s: 10 MB take a millisecond, as many pairs as there are.
  void every_device_has_its_own_card() {
    const Profile profile = layers_of(2, 10'000'000, 0);
    const Plan plan = plan_of({stage_of(0, 1, {0, 1}), stage_of(1, 2, {4, 5})}, 2, 1);
    Cluster cluster = two_nodes(4, 100, 40);
    for (const NetworkModel network : {NetworkModel::ideal, NetworkModel::shared}) {
      for (Node& node : cluster.nodes) node.nic = gigabytes_per_second(10);
      QCOMPARE(transfers_from(run(profile, cluster, plan, network), 0),
               (std::vector<std::int64_t>{1'000'000, 1'000'000}));
    }
    // Four pairs would need 60 GB/s of the link.
    for (Node& node : cluster.nodes) node.nic = gigabytes_per_second(15);
    const Plan four = plan_of({stage_of(0, 1, {0, 1, 2, 3}), stage_of(1, 2, {4, 5, 6, 7})}, 4, 1);
    QCOMPARE(transfers_from(run(profile, cluster, four, NetworkModel::shared), 0),
             (std::vector<std::int64_t>(4, 1'000'000)));
    QCOMPARE(transfers_from(run(profile, cluster, four, NetworkModel::ideal), 0),
             (std::vector<std::int64_t>(4, 666'667)));
  }

  /// A ring of one member per node has one card of 10 GB/s: 2 * 1/2 of 40 MB take 4 ms. With four members per node it
  /// has four: inside 2 * 3/4 of 40 MB over 100 GB/s, between 2 * 1/2 of 40 MB over 40 GB/s.
  void rings_leave_by_the_cards_of_their_members() {
    const Profile profile = layers_of(1, 0, 40'000'000);
    Cluster cluster = two_nodes(4, 100, 400);
    for (Node& node : cluster.nodes) node.nic = gigabytes_per_second(10);
    const Plan one = plan_of({stage_of(0, 1, {0, 4})}, 2, 1),
               all = plan_of({stage_of(0, 1, {0, 1, 2, 3, 4, 5, 6, 7})}, 8, 1);
    for (const NetworkModel network : {NetworkModel::ideal, NetworkModel::shared}) {
      QCOMPARE(run(profile, cluster, one, network).iteration.count, std::int64_t{3 + 4} * 1'000'000);
      QCOMPARE(run(profile, cluster, all, network).iteration.count, std::int64_t{3'000'000 + 600'000 + 1'000'000});
    }
    // Two rings of different devices share no card.
    const Plan two = plan_of({stage_of(0, 1, {0, 4}), stage_of(1, 2, {1, 5})}, 2, 1);
    const Simulation shared = run(layers_of(2, 0, 40'000'000), cluster, two, NetworkModel::shared);
    const Simulation ideal = run(layers_of(2, 0, 40'000'000), cluster, two, NetworkModel::ideal);
    QCOMPARE(shared.timeline.duration, ideal.timeline.duration);
  }

  /// The four hops of a ring share a bus: 2 * 3/4 of 80 MB four times over 10 GB/s.
  void aRingOnABusSharesItWithItself() {
    const Profile profile = layers_of(1, 0, 80'000'000);
    const Plan plan = plan_of({stage_of(0, 1, {0, 1, 2, 3})}, 4, 1);
    Cluster cluster = test::flat_cluster(4, gigabytes_per_second(10));
    QCOMPARE(run(profile, cluster, plan, NetworkModel::shared).iteration.count, std::int64_t{3 + 12} * 1'000'000);
    cluster.nodes[0].bus = true;
    QCOMPARE(run(profile, cluster, plan, NetworkModel::shared).iteration.count, std::int64_t{3 + 48} * 1'000'000);
  }

  /// Both stages have a replica in each node. After the second stage, its all-reduce of 40 MB starts on the link, each
  /// way at 10 GB/s: 4 ms alone. The gradients of 10 MB go back inside their nodes, and do not share the link. The
  /// first stage's all-reduce of 40 MB starts 2 ms later, and both share the link: 2 ms alone, 4 ms together, then 2 ms
  /// alone.
  void allReducesOfTwoStagesShare() {
    const Profile profile = layers_of(2, 0, 40'000'000);
    const Plan plan = plan_of({stage_of(0, 1, {0, 2}), stage_of(1, 2, {1, 3})}, 2, 1);
    const Cluster cluster = two_nodes(2, 100, 10);
    const Simulation shared = run(profile, cluster, plan, NetworkModel::shared);
    std::vector<std::pair<std::int64_t, std::int64_t>> rows;
    const Timeline& timeline = shared.timeline;
    for (const TimelineLane& lane : timeline.lanes)
      for (std::size_t i = lane.begin; lane.role == LaneRole::collective && i < lane.end; ++i)
        rows.emplace_back(timeline.start[i], timeline.start[i] + timeline.duration[i]);
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    using Rows = std::vector<std::pair<std::int64_t, std::int64_t>>;
    QCOMPARE(rows, (Rows{{4'000'000, 10'000'000}, {6'000'000, 12'000'000}}));
  }

  /// An all-reduce of the second stage, over both nodes, slows the gradients that still cross that link.
  void allReducesShareWithTransfers() {
    // Stage 1 on devices 1 (node 0) and 2 (node 1); stage 0 on device 0 (node 0): half of the gradients cross.
    const Profile profile = layers_of(2, 20'000'000, 40'000'000);
    const Plan plan = plan_of({stage_of(0, 1, {0}), stage_of(1, 2, {1, 2})}, 2, 1);
    const Cluster cluster = two_nodes(2, 100, 10);
    const Simulation ideal = run(profile, cluster, plan, NetworkModel::ideal);
    const Simulation shared = run(profile, cluster, plan, NetworkModel::shared);
    // Alone: 20 MB inside the node in 0.2 ms, 20 MB over the link in 2 ms, and the all-reduce 4 ms from that moment.
    QCOMPARE(transfers_from(ideal, 1), (std::vector<std::int64_t>{200'000, 2'000'000}));
    QCOMPARE(transfers_from(shared, 1), (std::vector<std::int64_t>{200'000, 4'000'000}));
    QCOMPARE(shared.iteration.count - ideal.iteration.count, std::int64_t{2'000'000});
  }

  void bucketsGatherLayers() {
    const Profile profile = layers_of(4, 0, 20'000'000);
    const Plan plan = plan_of({stage_of(0, 4, {0, 1})}, 2, 1);
    const Cluster cluster = test::flat_cluster(2, gigabytes_per_second(10));
    for (const NetworkModel network : {NetworkModel::ideal, NetworkModel::shared}) {
      const Simulation buckets = run(profile, cluster, plan, network, Overlap::bucket);  // of 30 MB: two layers
      const Timeline& timeline = buckets.timeline;
      std::vector<std::int64_t> starts, durations;
      for (const TimelineLane& lane : timeline.lanes)
        for (std::size_t i = lane.begin; lane.role == LaneRole::collective && lane.device.value == 0 && i < lane.end;
             ++i) {
          starts.push_back(timeline.start[i]);
          durations.push_back(timeline.duration[i]);
        }
      QCOMPARE(starts, (std::vector<std::int64_t>{8'000'000, 12'000'000}));
      QCOMPARE(durations, (std::vector<std::int64_t>{4'000'000, 4'000'000}));
    }
    // Gradients that do not fill a bucket go with the last gradient; one bucket for all equals no overlap.
    SimulationOptions conventions;
    conventions.overlap = Overlap::bucket;
    conventions.bucket = Bytes(1'000'000'000);
    QCOMPARE(run(profile, cluster, plan, conventions).iteration,
             run(profile, cluster, plan, NetworkModel::ideal, Overlap::none).iteration);
    conventions.bucket = Bytes(1);
    QCOMPARE(run(profile, cluster, plan, conventions).iteration,
             run(profile, cluster, plan, NetworkModel::ideal, Overlap::layer).iteration);
  }

  void collectivesChangeTheTime() {
    const Profile profile = layers_of(1, 0, 80'000'000);
    const Plan plan = plan_of({stage_of(0, 1, {0, 1, 2, 3})}, 4, 1);
    const Cluster cluster = two_nodes(2, 100, 10);
    const auto all_reduce = [&](Collectives collectives) {
      return run(profile, cluster, plan, NetworkModel::ideal, Overlap::none, collectives).iteration.count - 3'000'000;
    };
    QCOMPARE(all_reduce(Collectives::ring), std::int64_t{12'000'000});                   // 2 * 3/4 * 80 MB over 10 GB/s
    QCOMPARE(all_reduce(Collectives::hierarchical), std::int64_t{800'000 + 8'000'000});  // 80 MB inside, 80 MB between
    QCOMPARE(all_reduce(Collectives::best_ring), std::int64_t{8'800'000});
    QCOMPARE(all_reduce(Collectives::tree), std::int64_t{16'000'000});
    QVERIFY(all_reduce(Collectives::nccl) > 12'000'000);  // a ring that does not reach the link's bandwidth
  }

  /// Lanes do not overlap; no transfer is faster than alone; no link exceeds its capacity; results are deterministic.
  void randomProblems() {
    for (int seed = 0; seed < 200; ++seed) {
      test::Random random(static_cast<std::uint64_t>(seed));
      const Drawn drawn = draw(random);
      if (!plan::validate(drawn.plan, *drawn.problem.profile, *drawn.problem.cluster)) continue;
      const Simulation once = sim::simulate(drawn.problem, drawn.plan).value();
      QVERIFY(once == sim::simulate(drawn.problem, drawn.plan).value());
      const Timeline& timeline = once.timeline;
      const cost::Network network =
          cost::Network::of(*drawn.problem.cluster, drawn.problem.workload.conventions).value();
      for (const TimelineLane& lane : timeline.lanes)
        for (std::size_t i = lane.begin; i < lane.end; ++i) {
          QVERIFY(i == lane.begin || timeline.start[i] >= timeline.start[i - 1] + timeline.duration[i - 1]);
          if (lane.role != LaneRole::link) continue;
          const cost::Path path = network.path(lane.device, lane.to);
          QVERIFY(timeline.duration[i] >= round_to_nanoseconds(path.latency).count);
        }
      // Iteration times alone agree with the whole simulation.
      const auto simulator =
          sim::Simulator::of(drawn.problem.profile, drawn.problem.cluster, drawn.problem.workload.conventions);
      QCOMPARE(round_to_nanoseconds(simulator->iteration_time(drawn.plan).value()), once.iteration);
    }
  }

  /// Flows of a plan never carry more over a link than capacity times time.
  void conservation() {
    for (int seed = 500; seed < 700; ++seed) {
      test::Random random(static_cast<std::uint64_t>(seed));
      const Drawn drawn = draw(random);
      if (!plan::validate(drawn.plan, *drawn.problem.profile, *drawn.problem.cluster)) continue;
      std::vector<LayerId> order;
      for (std::size_t i = 0; i < drawn.problem.profile->layers.size(); ++i) order.push_back(LayerId(i));
      const sim::costs::SimulatorInputs inputs{
          drawn.problem.profile,
          drawn.problem.cluster,
          drawn.problem.workload.conventions,
          cost::Network::of(*drawn.problem.cluster, drawn.problem.workload.conventions).value(),
          order,
          plan::boundary_bytes(*drawn.problem.profile, order)};
      const sim::costs::PlanCosts costs = sim::costs::plan_costs(inputs, drawn.plan);
      const sim::costs::Channels channels = sim::costs::channels_of(inputs, drawn.plan, costs);
      const auto schedule = schedule::build_schedule(drawn.plan, sim::costs::stage_figures(inputs, costs, channels));
      const sim::network::SharedFlows flows = sim::network::shared_flows(inputs, drawn.plan, costs, channels);
      const sim::engine::Trace trace =
          sim::engine::run_engine({drawn.plan, *schedule, costs, channels, inputs.conventions.overlap, true, &flows});
      QVERIFY(trace.complete);

      std::vector<double> carried(flows.capacities.size(), 0), uses = carried;
      std::int64_t first = INT64_MAX, last = 0;
      const auto add = [&](const sim::network::FlowShape& shape, std::int64_t start, std::int64_t duration) {
        first = std::min(first, start);
        last = std::max(last, start + duration);
        double before = 0;
        for (const sim::network::FlowPhase& phase : shape) {
          for (const sim::network::LinkUse& use : phase.uses) {
            carried[static_cast<std::size_t>(use.link)] += use.times * phase.rate * (phase.until - before) * 1e-9;
            uses[static_cast<std::size_t>(use.link)] += use.times;
          }
          before = phase.until;
        }
        QVERIFY(duration >= static_cast<std::int64_t>(before) - 2);
      };
      for (const auto& rows : trace.transfers)
        for (const sim::engine::TransferRow& row : rows)
          add(flows.transfers[static_cast<std::size_t>(row.channel)], row.start, row.duration);
      for (std::size_t s = 0; s < trace.reductions.size(); ++s)
        for (std::size_t k = 0; k < trace.reductions[s].size(); ++k)
          for (const sim::network::FlowShape& rank : flows.ranks[s][drawn.plan.synchronous() ? k : 0])
            add(rank, trace.reductions[s][k].start, trace.reductions[s][k].duration);
      for (std::size_t l = 0; l < carried.size(); ++l)
        QVERIFY(carried[l] <= flows.capacities[l] * (static_cast<double>(last - first) + uses[l]) * 1e-9 + 1);
    }
  }
};

PIPEDECK_TEST(TestSharedNetwork)

}  // namespace pipedeck::tst_shared_network

#include "tst_shared_network.moc"
