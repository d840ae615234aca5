// SPDX-License-Identifier: Apache-2.0
// Replicas by hand: different devices, tensor parallelism, slices that share a pair of nodes.
#include <QtTest/QTest>

#include <algorithm>

#include "core/sim/simulate.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_replicas {

Plan one_stage(int micro_batch, int micro_batches) {
  Plan plan;
  plan.micro_batch = micro_batch;
  plan.micro_batches = micro_batches;
  plan.global_batch = micro_batch * micro_batches;
  plan.optimizer = Optimizer::none;
  plan.stages.resize(1);
  plan.stages[0].last = 1;
  plan.stages[0].devices = {DeviceId(0), DeviceId(1)};
  return plan;
}

Simulation run(const Profile& profile, const Cluster& cluster, const Plan& plan) {
  const auto simulator =
      sim::Simulator::of(std::make_shared<const Profile>(profile), std::make_shared<const Cluster>(cluster), {});
  return simulator->run(plan).value();
}

class TestReplicas : public QObject {
  Q_OBJECT
 private slots:
  /// Two samples on the fast device take as long as one on the slow one.
  void unlikeDevicesWithShares() {
    Cluster cluster = test::flat_cluster(1);
    cluster.device_types.push_back(cluster.device_types[0]);
    cluster.device_types[1].name = "Y";
    cluster.device_types[1].relative_speed = 0.5;
    cluster.nodes[0].devices.push_back({"Y", 1});
    const Profile profile = test::uniform_profile(1, milliseconds(1), milliseconds(2));
    Plan plan = one_stage(3, 2);
    plan.stages[0].samples_per_replica = std::vector<int>{2, 1};
    const Simulation simulation = run(profile, cluster, plan);
    QCOMPARE(simulation.iteration.count, std::int64_t{12'000'000});
    QCOMPARE(simulation.devices[0].busy.count, simulation.devices[1].busy.count);
    plan.stages[0].samples_per_replica = std::vector<int>{1, 2};
    QCOMPARE(run(profile, cluster, plan).iteration.count, std::int64_t{24'000'000});
  }

  /// Passes as listed for the degree, and their all-reduces: 2 (n - 1) b / (n beta) = 1 ms each.
  void tensorParallel() {
    Profile profile = test::uniform_profile(1, milliseconds(1), milliseconds(2));
    profile.layers[0].tensor_parallel = {{2, milliseconds(0.6), milliseconds(1.2), Bytes(1'000'000), Bytes(1'000'000)}};
    profile.layers[0].parameters = Bytes(800);
    Plan plan = one_stage(1, 1);
    plan.stages[0].tensor_parallel = 2;
    const Simulation simulation = run(profile, test::flat_cluster(2, gigabytes_per_second(1)), plan);
    QCOMPARE(simulation.iteration.count, std::int64_t{3'800'000});
    QCOMPARE(simulation.devices.size(), std::size_t{2});
    for (const SimulatedDevice& device : simulation.devices) {
      QCOMPARE(device.busy.count, std::int64_t{3'800'000});
      QCOMPARE(device.peak_breakdown[MemoryItem::weights].count, std::int64_t{400});
    }
  }

  /// Two thirds of the columns on the fast device take as long as one on that of half its speed; weights are divided
  /// likewise.
  void shardsOnUnlikeDevices() {
    Profile profile = test::uniform_profile(1, milliseconds(1), milliseconds(2));
    profile.layers[0].tensor_parallel = {{2, milliseconds(0.6), milliseconds(1.2), Bytes(1'000'000), Bytes(1'000'000)}};
    profile.layers[0].parameters = Bytes(800);
    profile.layers[0].saved = Bytes(1000);
    Cluster cluster = test::flat_cluster(1, gigabytes_per_second(1));
    cluster.device_types.push_back(cluster.device_types[0]);
    cluster.device_types[1].name = "Y";
    cluster.device_types[1].relative_speed = 0.5;
    cluster.nodes[0].devices.push_back({"Y", 1});
    Plan plan = one_stage(1, 1);
    plan.stages[0].tensor_parallel = 2;
    QCOMPARE(run(profile, cluster, plan).iteration.count, std::int64_t{5'600'000});
    plan.stages[0].shard_fractions = {{0.5, 0.5}};
    QCOMPARE(run(profile, cluster, plan).iteration.count, std::int64_t{5'600'000});
    plan.stages[0].shard_fractions = {{2.0 / 3, 1.0 / 3}};
    const Simulation simulation = run(profile, cluster, plan);
    QCOMPARE(simulation.iteration.count, std::int64_t{4'400'000});
    for (const auto& [device, weights] : {std::pair(0, 534), std::pair(1, 267)}) {
      const SimulatedDevice& verdict = simulation.devices[static_cast<std::size_t>(device)];
      QCOMPARE(verdict.peak_breakdown[MemoryItem::weights].count, std::int64_t{weights});
      QCOMPARE(verdict.peak_breakdown[MemoryItem::activations].count, std::int64_t{1000});
      QCOMPARE(verdict.peak.count, 2 * std::int64_t{weights} + 1000);
    }
  }

  /// Ranks all-reduce their own part, 6 MB and 2 MB, concurrently: 6 ms.
  void shardsInGradientAllReduces() {
    Profile profile = test::uniform_profile(1, milliseconds(1), milliseconds(2));
    profile.layers[0].tensor_parallel = {{2, milliseconds(0.5), milliseconds(1), Bytes(), Bytes()}};
    profile.layers[0].parameters = Bytes(8'000'000);
    Plan plan = one_stage(2, 1);
    plan.stages[0].devices = {DeviceId(0), DeviceId(1), DeviceId(2), DeviceId(3)};
    plan.stages[0].tensor_parallel = 2;
    plan.stages[0].shard_fractions = {{0.75, 0.25}};
    const Simulation simulation = run(profile, test::flat_cluster(4, gigabytes_per_second(1)), plan);
    QCOMPARE(simulation.iteration.count, std::int64_t{8'250'000});
  }

  /// 2:2 over two nodes: one 2 MB transfer each way, not two of 1 MB; inside a node one per pair of devices.
  void slicesOfAPairOfNodesAreOneTransfer() {
    Cluster cluster = test::flat_cluster(2, gigabytes_per_second(1));
    cluster.nodes.push_back(cluster.nodes[0]);
    cluster.nodes[1].name = "n1";
    cluster.links = {{"n0", "n1", {gigabytes_per_second(1), {}}}};
    Profile profile = test::uniform_profile(2, milliseconds(1), milliseconds(2));
    for (Layer& layer : profile.layers) layer.output = Bytes(1'000'000);
    Plan plan = one_stage(2, 1);
    plan.stages.push_back({});
    plan.stages[1].first = 1;
    plan.stages[1].last = 2;
    plan.stages[1].devices = {DeviceId(2), DeviceId(3)};
    const auto links = [](const Simulation& simulation) {
      return std::count_if(simulation.timeline.lanes.begin(), simulation.timeline.lanes.end(),
                           [](const TimelineLane& lane) { return lane.role == LaneRole::link; });
    };
    const Simulation across = run(profile, cluster, plan);
    QCOMPARE(across.iteration.count, std::int64_t{10'000'000});
    QCOMPARE(links(across), 2);
    const Simulation inside = run(profile, test::flat_cluster(4, gigabytes_per_second(1)), plan);
    QCOMPARE(inside.iteration.count, std::int64_t{8'000'000});
    QCOMPARE(links(inside), 4);
  }
};

PIPEDECK_TEST(TestReplicas)

}  // namespace pipedeck::tst_replicas

#include "tst_replicas.moc"
