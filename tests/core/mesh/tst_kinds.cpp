// SPDX-License-Identifier: Apache-2.0
// Kinds of devices: types, shapes of nodes, and bandwidths that differ by more than a tenth.
#include <QTest>

#include <string>

#include "core/mesh/kinds.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_kinds {

/// Nodes of two devices each, joined by a switch.
Cluster cluster_of(int nodes) {
  Cluster cluster;
  cluster.device_types.resize(2);
  cluster.device_types[0].name = "a", cluster.device_types[1].name = "b";
  cluster.switches = {{"switch"}};
  for (int n = 0; n < nodes; ++n) {
    Node& node = cluster.nodes.emplace_back();
    node.name = "n" + std::to_string(n), node.devices = {{"a", 2}};
    node.link = Link{gigabytes_per_second(100), microseconds(1)};
    node.nic = gigabytes_per_second(10);
    cluster.links.push_back({node.name, "switch", Link{gigabytes_per_second(20), microseconds(2)}});
  }
  return cluster;
}

class TestKinds : public QObject {
  Q_OBJECT
 private slots:
  void equal_nodes_are_one_kind() { QCOMPARE(mesh::kinds_of(cluster_of(3)), std::vector<int>(6, 0)); }

  void each_trait_makes_a_kind_data() {
    QTest::addColumn<int>("trait");
    QTest::addColumn<bool>("differs");
    for (const auto& [name, trait, differs] : {std::tuple("type", 0, true),
                                               {"devices of the node", 1, true},
                                               {"domain", 2, true},
                                               {"bus", 3, true},
                                               {"link", 4, true},
                                               {"card", 5, true},
                                               {"link to the switch", 6, true},
                                               {"no card", 7, true},
                                               {"link, 9 %", 8, false},
                                               {"card, 9 %", 9, false},
                                               {"name", 10, false}})
      QTest::newRow(name) << trait << differs;
  }
  void each_trait_makes_a_kind() {
    QFETCH(int, trait);
    QFETCH(bool, differs);
    Cluster cluster = cluster_of(3);
    Node& node = cluster.nodes[1];
    if (trait == 0) node.devices = {{"b", 2}};
    if (trait == 1) node.devices = {{"a", 1}};
    if (trait == 2) node.domain = cluster.nodes[2].domain = "rack";
    if (trait == 3) node.bus = true;
    if (trait == 4) node.link->bandwidth = gigabytes_per_second(89);
    if (trait == 5) node.nic = gigabytes_per_second(12);
    if (trait == 6) cluster.links[1].link.bandwidth = gigabytes_per_second(17);
    if (trait == 7) node.nic.reset();
    if (trait == 8) node.link->bandwidth = gigabytes_per_second(91);
    if (trait == 9) node.nic = gigabytes_per_second(10.9);
    if (trait == 10) node.name = cluster.links[1].from = "other";
    std::vector<int> expected{0, 0, 1, 1, 0, 0};
    if (trait == 1) expected = {0, 0, 1, 0, 0};
    if (trait == 2) expected = {0, 0, 1, 1, 1, 1};
    if (!differs) expected.assign(6, 0);
    QCOMPARE(mesh::kinds_of(cluster), expected);
  }

  /// If there are many kinds, types alone count.
  void many_kinds_are_types() {
    Cluster cluster = cluster_of(6);
    for (std::size_t n = 0; n < 6; ++n) cluster.nodes[n].nic = gigabytes_per_second(10 + 10.0 * double(n % 4));
    QCOMPARE(mesh::kinds_of(cluster), (std::vector<int>{0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1}));
    for (std::size_t n = 0; n < 6; ++n) cluster.nodes[n].nic = gigabytes_per_second(10 + 10.0 * double(n));
    QCOMPARE(mesh::kinds_of(cluster), std::vector<int>(12, 0));
    cluster.nodes[4].devices = {{"b", 2}};
    QCOMPARE(mesh::kinds_of(cluster), (std::vector<int>{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0}));
  }
};

PIPEDECK_TEST(TestKinds)

}  // namespace pipedeck::tst_kinds

#include "tst_kinds.moc"
