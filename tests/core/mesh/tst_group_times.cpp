// SPDX-License-Identifier: Apache-2.0
// Times of groups' collectives from the formulas of parallelism.md, section 10, and the shares of links that are
// reached.
#include <QTest>

#include <cmath>

#include "core/mesh/group_times.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_group_times {

using plan::GroupFamily;

constexpr double port = 450e9, card = 50e9, near_latency = 2e-6, far_latency = 8e-6;

mesh::Rates rates() {
  mesh::Rates rates;
  rates.reached.link = 0.5, rates.reached.network = 0.8;
  rates.reached.link_call = Seconds(10e-6), rates.reached.network_call = Seconds(20e-6);
  return rates;
}

/// Nodes of 8 devices with a card each; `domain` nodes make an NVLink domain.
mesh::Question question(int nodes, int domain = 1) {
  Cluster cluster;
  Switch center;
  center.name = "switch";
  cluster.switches.push_back(center);
  DeviceType type;
  type.name = "H100-SXM", type.memory = Bytes(std::int64_t{80} << 30);
  cluster.device_types.push_back(type);
  for (int n = 0; n < nodes; ++n) {
    Node node;
    node.name = "node-" + std::to_string(n);
    node.devices = {{"H100-SXM", 8}};
    node.link = Link{BytesPerSecond(port), Seconds(near_latency)};
    node.nic = BytesPerSecond(card);
    if (domain > 1) node.domain = "rack-" + std::to_string(n / domain);
    cluster.nodes.push_back(node);
    cluster.links.push_back({node.name, "switch", Link{BytesPerSecond(8 * card), Seconds(far_latency / 2)}});
  }
  mesh::Question made;
  made.cluster = std::make_shared<const Cluster>(cluster);
  return made;
}

void compare(Seconds found, double expected) {
  QVERIFY2(std::abs(found.count - expected) <= 1e-9 * expected,
           qPrintable(QStringLiteral("%1 s against %2 s").arg(found.count, 0, 'g', 12).arg(expected, 0, 'g', 12)));
}

class TestGroupTimes : public QObject {
  Q_OBJECT
 private slots:
  void rings_inside_a_node_reach_the_share_of_its_link() {
    mesh::Question asked = question(1);
    asked.layer.shard.tensor = 8;
    const mesh::Rates reached = rates();
    const auto times = mesh::GroupTimes::of(asked, reached);
    QVERIFY(times);
    const double sent = 7e6;  // of 8 MB: (N-1)(alpha + B/(N beta))
    compare(times->time(GroupFamily::tensor, CollectiveKind::all_gather, sent),
            10e-6 + 7 * (near_latency + 1e6 / port) / 0.5);
    compare(times->time(GroupFamily::tensor, CollectiveKind::all_reduce, 2 * sent),
            10e-6 + 14 * (near_latency + 1e6 / port) / 0.5);
    QCOMPARE(times->time(GroupFamily::tensor, CollectiveKind::all_gather, 0).count, 0.0);
    QCOMPARE(times->time(GroupFamily::data, CollectiveKind::all_reduce, 1e6).count, 0.0);  // of one rank
  }

  /// A measured bandwidth has the share and the overhead of calls in itself; each level has its own mark.
  void measured_links_count_whole() {
    for (const bool inside : {false, true})
      for (const bool between : {false, true}) {
        mesh::Question asked = question(4);
        Cluster cluster = *asked.cluster;
        for (Node& node : cluster.nodes) node.link->measured = inside;
        for (NetworkLink& link : cluster.links) link.link.measured = between;
        asked.cluster = std::make_shared<const Cluster>(cluster);
        asked.layer.shard.tensor = 8;
        asked.data = 4;
        const mesh::Rates reached = rates();
        const auto times = mesh::GroupTimes::of(asked, reached);
        const double near_ring = 7 * (near_latency + 1e6 / port), far_ring = 3 * (far_latency + 1e9 / card);
        compare(times->time(GroupFamily::tensor, CollectiveKind::all_gather, 7e6),
                inside ? near_ring : 10e-6 + near_ring / 0.5);
        compare(times->time(GroupFamily::sharding, CollectiveKind::reduce_scatter, 3e9),
                between ? far_ring : 20e-6 + far_ring / 0.8);
      }
  }

  /// Each of the 8 rings of data ranks over 4 nodes has a card of its own.
  void rings_between_nodes_reach_the_share_of_the_network() {
    mesh::Question asked = question(4);
    asked.layer.shard.tensor = 8;
    asked.data = 4;
    const mesh::Rates reached = rates();
    const auto times = mesh::GroupTimes::of(asked, reached);
    compare(times->time(GroupFamily::sharding, CollectiveKind::reduce_scatter, 3e9),
            20e-6 + 3 * (far_latency + 1e9 / card) / 0.8);
  }

  /// 32 ranks on 4 nodes: 28 hops inside a node, 3 to the next one, for each owner in turn.
  void broadcasts_take_turns() {
    mesh::Question asked = question(4);
    asked.data = 32;
    const mesh::Rates reached = rates();
    const auto times = mesh::GroupTimes::of(asked, reached);
    QCOMPARE(times->size(GroupFamily::sharding), 32);
    const double gathered = times->time(GroupFamily::sharding, CollectiveKind::all_gather, 3e9).count;
    for (const int owners : {1, 32})
      compare(times->broadcasts(GroupFamily::sharding, 3e9, owners),
              gathered + owners * (20e-6 + (28 * near_latency + 3 * far_latency) / 0.8));
    QCOMPARE(times->broadcasts(GroupFamily::sharding, 0, 32).count, 0.0);
    QCOMPARE(times->broadcasts(GroupFamily::tensor, 1e6, 32).count, 0.0);  // of one rank
  }

  /// Two domains of two nodes: a rank's part of 32 MB goes to 32 ranks, half of them in its domain.
  void exchanges_leave_domains_not_nodes() {
    mesh::Question asked = question(4, 2);
    asked.layer.shard.expert = 32;
    asked.data = 32;
    const mesh::Rates reached = rates();
    const auto times = mesh::GroupTimes::of(asked, reached);
    compare(times->time(GroupFamily::expert, CollectiveKind::all_to_all, 31e6),
            20e-6 + (far_latency + std::max(15e6 / port, 16e6 / card)) / 0.8);
    // Tokens that are sent once to the other domain and copied inside.
    compare(times->time(GroupFamily::expert, CollectiveKind::all_to_all, 20e6, 4e6),
            20e-6 + (near_latency + far_latency + std::max(16e6 / port, 4e6 / card)) / 0.8);
    asked.data = 16, asked.layer.shard.expert = 16;
    const auto inside = mesh::GroupTimes::of(asked, reached);
    compare(inside->time(GroupFamily::expert, CollectiveKind::all_to_all, 15e6),
            10e-6 + (near_latency + 15e6 / port) / 0.5);
  }

  void messages_go_to_the_next_stage() {
    mesh::Question asked = question(2);
    asked.layer.shard.tensor = 4;
    asked.pipeline = 4;
    const mesh::Rates reached = rates();
    compare(mesh::GroupTimes::of(asked, reached)->to_next_stage(1e6), 10e-6 + (near_latency + 1e6 / port) / 0.5);
    asked.layer.shard.tensor = 8, asked.pipeline = 2;
    compare(mesh::GroupTimes::of(asked, reached)->to_next_stage(1e6), 20e-6 + (far_latency + 1e6 / card) / 0.8);
  }

  void a_cluster_that_is_too_small_is_refused() {
    mesh::Question asked = question(2);
    asked.layer.shard.tensor = 8;
    asked.data = 3;
    const mesh::Rates reached = rates();
    const auto times = mesh::GroupTimes::of(asked, reached);
    QVERIFY(!times);
    QVERIFY(times.error().message.find("found a cluster of 16 devices, expected the 24") != std::string::npos);
  }
};

PIPEDECK_TEST(TestGroupTimes)

}  // namespace pipedeck::tst_group_times

#include "tst_group_times.moc"
