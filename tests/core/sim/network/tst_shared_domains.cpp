// SPDX-License-Identifier: Apache-2.0
// Domains of several nodes in simulations: devices have ports of their own inside one, rings leave it by all cards.
#include <QtTest/QTest>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "core/sim/simulate.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_shared_domains {

/// Domains of two nodes of two devices: ports of 100 GB/s, cards of 10 GB/s, 20 GB/s from a node to the switch.
Cluster domains(int count) {
  Cluster cluster = test::flat_cluster(2, gigabytes_per_second(100));
  Node node = cluster.nodes.front();
  node.nic = gigabytes_per_second(10);
  cluster.nodes.clear();
  cluster.switches = {{"switch"}};
  for (int n = 0; n < 2 * count; ++n) {
    node.name = "n" + std::to_string(n);
    node.domain = "d" + std::to_string(n / 2);
    cluster.nodes.push_back(node);
    cluster.links.push_back({node.name, "switch", {gigabytes_per_second(20), {}}});
  }
  return cluster;
}

Profile layers_of(int count, std::int64_t output, std::int64_t parameters) {
  Profile profile = test::uniform_profile(count, milliseconds(1), milliseconds(2));
  for (Layer& layer : profile.layers) layer.output = Bytes(output), layer.parameters = Bytes(parameters);
  return profile;
}

/// A stage for each list of devices, of one layer each.
Plan plan_of(const std::vector<std::vector<int>>& stages, int micro_batch) {
  Plan plan;
  plan.optimizer = Optimizer::none;
  plan.micro_batch = plan.global_batch = micro_batch;
  plan.micro_batches = 1;
  for (const std::vector<int>& devices : stages) {
    Stage stage;
    stage.first = static_cast<int>(plan.stages.size());
    stage.last = stage.first + 1;
    for (const int device : devices) stage.devices.push_back(DeviceId(std::int32_t{device}));
    plan.stages.push_back(stage);
  }
  return plan;
}

Simulation run(const Profile& profile, const Cluster& cluster, const Plan& plan, NetworkModel network,
               Collectives collectives = Collectives::best_ring) {
  Problem problem;
  problem.profile = std::make_shared<const Profile>(profile);
  problem.cluster = std::make_shared<const Cluster>(cluster);
  problem.workload.conventions.network = network;
  problem.workload.conventions.overlap = Overlap::none;
  problem.workload.conventions.collectives = collectives;
  return sim::simulate(problem, plan).value();
}

/// Returns the durations of transfers from the first stage.
std::vector<std::int64_t> first_transfers(const Simulation& simulation) {
  std::vector<std::int64_t> durations;
  const Timeline& timeline = simulation.timeline;
  for (const TimelineLane& lane : timeline.lanes)
    for (std::size_t i = lane.begin; lane.role == LaneRole::link && i < lane.end; ++i)
      if (timeline.stage[i] == 0) durations.push_back(timeline.duration[i]);
  return durations;
}

class TestSharedDomains : public QObject {
  Q_OBJECT
 private slots:
  /// 10 MB from node to node take 0.1 ms inside a domain however many pairs there are, and a card's millisecond
  /// between.
  void devices_of_a_domain_have_ports_of_their_own() {
    const Profile profile = layers_of(2, 10'000'000, 0);
    const Plan inside = plan_of({{0, 1}, {2, 3}}, 2), between = plan_of({{0, 1}, {4, 5}}, 2);
    for (const NetworkModel network : {NetworkModel::ideal, NetworkModel::shared}) {
      QCOMPARE(first_transfers(run(profile, domains(2), inside, network)), (std::vector<std::int64_t>(2, 100'000)));
      QCOMPARE(first_transfers(run(profile, domains(2), between, network)), (std::vector<std::int64_t>(2, 1'000'000)));
    }
  }

  /// A ring over a domain: 2 · 3/4 of 80 MB over 100 GB/s. Over two: the hierarchical one has 4 cards between, and two
  /// links of 20 GB/s: 2 · 1/2 of 80 MB over 40 GB/s.
  void rings_go_over_ports_and_leave_by_all_cards() {
    const Profile profile = layers_of(1, 0, 80'000'000);
    std::vector<int> all(8);
    std::iota(all.begin(), all.end(), 0);
    for (const NetworkModel network : {NetworkModel::ideal, NetworkModel::shared}) {
      QCOMPARE(run(profile, domains(1), plan_of({{0, 1, 2, 3}}, 4), network).iteration.count, std::int64_t{4'200'000});
      QCOMPARE(run(profile, domains(2), plan_of({all}, 8), network, Collectives::hierarchical).iteration.count,
               std::int64_t{3'000'000 + 1'200'000 + 2'000'000});
    }
  }

  /// One all-reduce at a time has its links alone, whichever devices it is over.
  void all_reduces_alone_are_as_ideal() {
    test::Random random(5);
    for (int trial = 0; trial < 40; ++trial) {
      const Cluster cluster = domains(random.integer(1, 3));
      std::vector<int> devices;
      for (int d = 0; d < 2 * static_cast<int>(cluster.nodes.size()); ++d)
        if (random.integer(0, 2) > 0) devices.push_back(d);
      if (devices.size() < 2) continue;
      const Profile profile = layers_of(1, 0, random.integer(1, 90'000'000));
      const Plan plan = plan_of({devices}, static_cast<int>(devices.size()));
      for (const Collectives by : {Collectives::best_ring, Collectives::ring, Collectives::hierarchical}) {
        const Simulation ideal = run(profile, cluster, plan, NetworkModel::ideal, by);
        const Simulation shared = run(profile, cluster, plan, NetworkModel::shared, by);
        QVERIFY2(shared.iteration.count >= ideal.iteration.count, qPrintable(QString::number(trial)));
        if (by == Collectives::ring) QCOMPARE(shared.iteration.count, ideal.iteration.count);
      }
    }
  }
};

PIPEDECK_TEST(TestSharedDomains)

}  // namespace pipedeck::tst_shared_domains

#include "tst_shared_domains.moc"
