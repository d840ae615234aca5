// SPDX-License-Identifier: Apache-2.0
// NVLink domains that span nodes: inside one, devices of different nodes have NVLink; between two, network cards.
#include <QtTest/QTest>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <string>

#include "core/cost/all_reduce.hpp"
#include "core/cost/network.hpp"
#include "core/cost/ring_times.hpp"
#include "core/plan/validate.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_domains {

constexpr double nvlink = 900e9, card = 50e9;
constexpr double inside_us = 5e-6, outside_us = 20e-6;  // 10 µs to the switch and from it
constexpr int devices_per_domain = 72;

/// Racks of 18 nodes of 4 devices, with a card of 400 Gbit/s for each device.
Cluster racks(int count, bool linked = true) {
  Cluster cluster = test::flat_cluster(4, BytesPerSecond(nvlink), Seconds(inside_us));
  Node node = cluster.nodes.front();
  node.nic = BytesPerSecond(card);
  cluster.nodes.clear();
  if (linked) cluster.switches = {{"switch"}};
  for (int n = 0; n < 18 * count; ++n) {
    node.name = "n" + std::to_string(n);
    node.domain = "rack " + std::to_string(n / 18);
    cluster.nodes.push_back(node);
    if (linked) cluster.links.push_back({node.name, "switch", Link{BytesPerSecond(4 * card), Seconds(outside_us / 2)}});
  }
  return cluster;
}

std::vector<DeviceId> range(int first, int end, int step = 1) {
  std::vector<DeviceId> devices;
  for (int d = first; d < end; d += step) devices.push_back(DeviceId(std::int32_t{d}));
  return devices;
}

void near(double actual, double expected) {
  QVERIFY2(std::abs(actual - expected) <= 1e-12 * expected,
           qPrintable(QStringLiteral("%1 against %2").arg(actual).arg(expected)));
}

/// Returns bandwidths and latencies of all paths between nodes, with the cards of one device and of all.
std::set<std::vector<double>> paths_between(const cost::Network& network, const std::vector<DeviceId>& devices) {
  std::set<std::vector<double>> found;
  for (const DeviceId a : devices)
    for (const DeviceId b : devices) {
      if (network.node_of(a) == network.node_of(b)) continue;
      const cost::Path path = network.path(a, b), widest = network.widest_ring_path(a, b);
      found.insert({path.bandwidth.count, path.latency.count, widest.bandwidth.count});
    }
  return found;
}

class TestDomains : public QObject {
  Q_OBJECT
 private slots:
  void nvlink_inside_a_domain_and_cards_between() {
    const cost::Network network = *cost::Network::of(racks(2));
    QCOMPARE(network.device_count(), 2 * devices_per_domain);
    for (const int other : {1, 4, 71}) {  // of the same node, the next, the last of the domain
      QCOMPARE(network.path(DeviceId(0), DeviceId(other)), (cost::Path{BytesPerSecond(nvlink), Seconds(inside_us)}));
      QVERIFY(network.links(DeviceId(0), DeviceId(other)).empty());
    }
    QCOMPARE(network.path(DeviceId(0), DeviceId(72)), (cost::Path{BytesPerSecond(card), Seconds(outside_us)}));
    QCOMPARE(network.links(DeviceId(0), DeviceId(72)).size(), std::size_t{2});
    QVERIFY(network.has_own_ports(NodeId(0), NodeId(17)) && network.has_own_ports(NodeId(0), NodeId(18)));
  }

  void an_all_reduce_in_a_domain_is_one_ring_over_nvlink() {
    const cost::Network network = *cost::Network::of(racks(2));
    const Bytes bytes(1'000'000'000);
    const double ring = 2 * 71 * (inside_us + 1e9 / (72 * nvlink));
    near(cost::all_reduce(network, range(0, 72), bytes).count, ring);
    near(cost::ring_all_reduce(network, range(72, 144), bytes).count, ring);
    near(cost::hierarchical_all_reduce(network, range(0, 72), bytes).count, ring);
    const auto parts = cost::AllReduce(network, range(0, 72), Collectives::hierarchical).parts(bytes);
    QCOMPARE(parts.size(), std::size_t{1});
    QCOMPARE(parts.front().over, cost::RingLinks::intra_node);
  }

  /// A ring leaves a domain by the cards of all members there, and by the links of their nodes.
  void rings_between_domains_have_a_card_per_member() {
    const cost::Network network = *cost::Network::of(racks(2));
    QCOMPARE(cost::ring_bottleneck(network, range(0, 144, 72)).beta, card);
    std::vector<DeviceId> two_nodes = range(0, 4), two_of_a_node = range(0, 2);
    for (const int d : {72, 73, 74, 75}) two_nodes.push_back(DeviceId(d));
    for (const int d : {72, 73}) two_of_a_node.push_back(DeviceId(d));
    QCOMPARE(cost::ring_bottleneck(network, two_nodes).beta, 4 * card);
    QCOMPARE(cost::ring_bottleneck(network, two_of_a_node).beta, 2 * card);
    QCOMPARE(cost::ring_bottleneck(network, range(0, 144, 4)).beta, 18 * card);  // one of each of 18 nodes
    const cost::GroupRings all = cost::rings_of(network, range(0, 144));
    QCOMPARE(all.flat.beta, nvlink);  // below the 72 cards
    QCOMPARE(all.between.beta, 72 * card);
    QCOMPARE(all.most, std::size_t{72});
    QCOMPARE(all.nodes, std::size_t{2});
    near(all.hierarchical_seconds(Bytes(1'000'000'000)).count,
         2 * 71 * (inside_us + 1e9 / (72 * nvlink)) + 2 * (outside_us + 1e9 / (2 * 72 * card)));
  }

  /// NCCL takes a domain for a node, so that its switches reduce.
  void nccl_takes_a_domain_for_a_node() {
    Cluster cluster = racks(1);
    cluster.device_types.front().name = "GB200";
    for (Node& node : cluster.nodes) node.devices.front().type = "GB200";
    const cost::Network network = *cost::Network::of(cluster);
    const auto group = cost::nccl_group(network, range(0, 72), cost::rings_of(network, range(0, 72)));
    QCOMPARE(group.nodes, 1);
    QVERIFY(group.nvlink && group.generation == cost::GpuGeneration::blackwell);
    const auto choice = cost::nccl_choice(group, cost::NcclCollective::all_reduce, Bytes(1'000'000'000));
    QCOMPARE(choice.algorithm, cost::NcclAlgorithm::nvls);
  }

  void generations_of_sold_variants() {
    for (const char* name : {"H800", "H20", "GH200-96GB"})
      QCOMPARE(cost::generation_of(name), cost::GpuGeneration::hopper);
    QCOMPARE(cost::generation_of("A800-80GB"), cost::GpuGeneration::ampere);
    for (const char* name : {"B300", "GB200", "GB300"})
      QCOMPARE(cost::generation_of(name), cost::GpuGeneration::blackwell);
  }

  /// Devices in turn of two domains are sorted, so that a ring crosses once each way.
  void rings_go_domain_by_domain() {
    Cluster cluster = racks(2);
    for (std::size_t n = 0; n < cluster.nodes.size(); ++n) cluster.nodes[n].domain = n % 2 == 0 ? "rack 0" : "rack 1";
    const cost::Network network = *cost::Network::of(cluster);
    const auto order = cost::in_ring_order(network, range(0, 16));
    QVERIFY(order ==
            (std::vector<DeviceId>{DeviceId(0), DeviceId(1), DeviceId(2), DeviceId(3), DeviceId(8), DeviceId(9),
                                   DeviceId(10), DeviceId(11), DeviceId(4), DeviceId(5), DeviceId(6), DeviceId(7),
                                   DeviceId(12), DeviceId(13), DeviceId(14), DeviceId(15)}));
  }

  void one_domain_needs_no_links() {
    const cost::Network network = *cost::Network::of(racks(1, false));
    QCOMPARE(network.path(DeviceId(0), DeviceId(71)).bandwidth.count, nvlink);
    QCOMPARE(cost::Network::of(racks(2, false)).error().place, std::string("/links"));
  }

  void domains_are_checked() {
    Cluster cluster = racks(1);
    QVERIFY(plan::validate(cluster));
    cluster.nodes[3].bus = true;
    QCOMPARE(plan::validate(cluster).error().place, std::string("/nodes/3/domain"));
    cluster.nodes[3].bus = false;
    cluster.nodes[3].link.reset();
    QCOMPARE(plan::validate(cluster).error().place, std::string("/nodes/3/domain"));
  }

  void added_nodes_fill_the_last_domain() {
    Cluster cluster = racks(1);
    QCOMPARE(next_domain(cluster), std::string("domain 1"));  // the first is never made larger
    Node node = cluster.nodes.back();
    node.domain = next_domain(cluster);
    for (int n = 0; n < 17; ++n) {
      cluster.nodes.push_back(node);
      QCOMPARE(next_domain(cluster), std::string("domain 1"));
    }
    cluster.nodes.push_back(node);
    QCOMPARE(next_domain(cluster), std::string("domain 2"));
    QVERIFY(next_domain(test::flat_cluster(2)).empty());
  }

  void representatives_stand_for_all() {
    test::Random random(21);
    for (int trial = 0; trial < 60; ++trial) {
      Cluster cluster = test::flat_cluster(1);
      const Node node = cluster.nodes.front();
      cluster.nodes.clear();
      cluster.switches = {{"a"}, {"b"}};
      cluster.links = {{"a", "b", {gigabytes_per_second(3), microseconds(1)}}};
      const int nodes = random.integer(2, 9);
      for (int n = 0; n < nodes; ++n) {
        cluster.nodes.push_back(node);
        Node& own = cluster.nodes.back();
        own.name = "n" + std::to_string(n);
        own.devices.front().count = random.integer(1, 3);
        own.link = Link{gigabytes_per_second(random.integer(8, 9)), {}};
        if (random.integer(0, 3) > 0) own.domain = "d" + std::to_string(random.integer(0, 2));
        if (random.integer(0, 1) == 0) own.nic = gigabytes_per_second(random.integer(1, 2));
        cluster.links.push_back({own.name, random.integer(0, 1) == 0 ? "a" : "b", {gigabytes_per_second(4), {}}});
      }
      const cost::Network network = *cost::Network::of(cluster);
      const auto all = paths_between(network, range(0, network.device_count()));
      const auto some = paths_between(network, network.representative_devices());
      // The narrowest and the longest are among the representatives' paths.
      for (std::size_t figure = 0; figure < 2; ++figure) {
        std::set<double> of_all, of_some;
        for (const auto& path : all) of_all.insert(path[figure]);
        for (const auto& path : some) of_some.insert(path[figure]);
        QVERIFY(of_all == of_some);
      }
    }
  }

  /// 16,416 devices; the limit is generous, for a busy machine.
  void many_domains_are_ready_quickly() {
    const Cluster cluster = racks(228);
    const auto begin = std::chrono::steady_clock::now();
    const cost::Network network = *cost::Network::of(cluster);
    cost::all_reduce(network, range(0, network.device_count()), Bytes(1000));
    QVERIFY(std::chrono::steady_clock::now() - begin < std::chrono::seconds(1));
    QCOMPARE(network.representative_devices().size(), std::size_t{8});
  }
};

PIPEDECK_TEST(TestDomains)

}  // namespace pipedeck::tst_domains

#include "tst_domains.moc"
