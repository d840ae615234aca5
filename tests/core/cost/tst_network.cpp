// SPDX-License-Identifier: Apache-2.0
#include <QtTest/QTest>

#include <algorithm>
#include <functional>

#include "core/cost/collective.hpp"
#include "core/cost/network.hpp"
#include "tests/support/random_problem.hpp"

using namespace pipedeck;

namespace {

/// Every simple path, by depth-first search; the best by the contract's three rules.
Path best_by_enumeration(const Cluster& cluster, const std::string& from, const std::string& to) {
  std::vector<Path> all;
  std::vector<std::string> visited{from};
  std::vector<int> links;
  std::function<void(const std::string&)> search = [&](const std::string& at) {
    if (at == to) {
      Path path{BytesPerSecond(1e300), {}, links};
      for (const int link : links) {
        const Link& hop = cluster.links[static_cast<std::size_t>(link)].link;
        path.bandwidth = std::min(path.bandwidth, hop.bandwidth);
        path.latency += hop.latency;
      }
      all.push_back(path);
      return;
    }
    for (std::size_t i = 0; i < cluster.links.size(); ++i) {
      const NetworkLink& link = cluster.links[i];
      if (link.from != at && link.to != at) continue;
      const std::string next = link.from == at ? link.to : link.from;
      if (std::count(visited.begin(), visited.end(), next)) continue;
      visited.push_back(next);
      links.push_back(static_cast<int>(i));
      search(next);
      links.pop_back();
      visited.pop_back();
    }
  };
  search(from);
  return *std::min_element(all.begin(), all.end(), [](const Path& a, const Path& b) {
    if (a.bandwidth != b.bandwidth) return a.bandwidth > b.bandwidth;
    if (a.links.size() != b.links.size()) return a.links.size() < b.links.size();
    return a.links < b.links;
  });
}

Node node_named(const std::string& name, int devices, std::optional<Link> link) {
  Node node;
  node.name = name;
  node.devices = {{"X", devices}};
  node.link = link;
  return node;
}

/// Nodes and switches joined at random, bandwidths from a few values so that ties are many.
Cluster random_cluster(test::Random& random) {
  Cluster cluster = test::flat_cluster(1);
  cluster.nodes.clear();
  std::vector<std::string> names;
  for (int n = 0; n < 4; ++n) {
    cluster.nodes.push_back(
        node_named("n" + std::to_string(n), random.integer(1, 3), Link{gigabytes_per_second(7), {}}));
    names.push_back(cluster.nodes.back().name);
  }
  for (int s = 0; s < 2; ++s) {
    cluster.switches.push_back({"s" + std::to_string(s)});
    names.push_back(cluster.switches.back().name);
  }
  const auto join = [&](std::size_t a, std::size_t b) {
    cluster.links.push_back(
        {names[a], names[b], {gigabytes_per_second(random.integer(1, 3)), microseconds(random.integer(0, 5))}});
  };
  for (std::size_t i = 1; i < names.size(); ++i)
    join(i, static_cast<std::size_t>(random.integer(0, static_cast<int>(i) - 1)));
  for (int extra = 0; extra < 4; ++extra) {
    const int a = random.integer(0, 5), b = random.integer(0, 5);
    if (a != b) join(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
  }
  std::reverse(cluster.links.begin(), cluster.links.end());
  return cluster;
}

/// Two nodes of 2 and 3 devices over a switch.
Cluster two_nodes() {
  Cluster cluster = test::flat_cluster(1);
  cluster.nodes = {node_named("a", 2, Link{gigabytes_per_second(10), microseconds(1)}),
                   node_named("b", 3, Link{gigabytes_per_second(8), microseconds(2)})};
  cluster.switches = {{"s"}};
  cluster.links = {{"a", "s", {gigabytes_per_second(1), microseconds(5)}},
                   {"s", "b", {gigabytes_per_second(2), microseconds(7)}}};
  return cluster;
}

std::vector<DeviceId> devices(std::initializer_list<int> ids) {
  std::vector<DeviceId> list;
  for (const int id : ids) list.push_back(DeviceId(std::int32_t{id}));
  return list;
}

void near(Seconds actual, double expected) {
  QVERIFY2(std::abs(actual.count - expected) <= 1e-12 * expected,
           qPrintable(QStringLiteral("%1 against %2").arg(actual.count).arg(expected)));
}

}  // namespace

class TestNetwork : public QObject {
  Q_OBJECT
 private slots:
  void pathsEqualEnumeration() {
    test::Random random(7);
    for (int trial = 0; trial < 200; ++trial) {
      const Cluster cluster = random_cluster(random);
      const Result<Network> network = Network::of(cluster);
      QVERIFY(network);
      for (int a = 0; a < network->device_count(); ++a)
        for (int b = 0; b < network->device_count(); ++b) {
          const DeviceId from(std::int32_t{a}), to(std::int32_t{b});
          const NodeId from_node = network->node_of(from), to_node = network->node_of(to);
          if (from_node == to_node) continue;
          const Path want =
              best_by_enumeration(cluster, cluster.nodes[from_node.index()].name, cluster.nodes[to_node.index()].name);
          QCOMPARE(network->path(from, to).links, want.links);
          QCOMPARE(network->path(from, to).bandwidth.count, want.bandwidth.count);
          QVERIFY(std::abs(network->path(from, to).latency.count - want.latency.count) < 1e-15);
        }
    }
  }

  void insideANodeItsOwnLink() {
    const Network network = Network::of(two_nodes()).value();
    const Path& path = network.path(DeviceId(0), DeviceId(1));
    QVERIFY(path.links.empty());
    near(network.transfer(DeviceId(2), DeviceId(4), Bytes(8000)), 2e-6 + 1e-6);
    near(network.transfer(DeviceId(0), DeviceId(4), Bytes(1000)), 12e-6 + 1e-6);  // 1 GB/s is the narrower
  }

  void unconnectedAndUnlinkedAreRefused() {
    Cluster cluster = two_nodes();
    cluster.links.pop_back();
    QCOMPARE(Network::of(cluster).error().place, std::string("/links"));
    cluster = two_nodes();
    cluster.nodes[1].link.reset();
    QCOMPARE(Network::of(cluster).error().place, std::string("/nodes/1"));
    cluster.nodes[1].devices[0].count = 1;
    QVERIFY(Network::of(cluster));
  }

  void matrixStandsInsteadOfLinks() {
    Cluster cluster = two_nodes();
    cluster.links.clear();
    cluster.bandwidth_matrix.emplace(5, std::vector<BytesPerSecond>(5, gigabytes_per_second(3)));
    (*cluster.bandwidth_matrix)[0][4] = (*cluster.bandwidth_matrix)[4][0] = gigabytes_per_second(2);
    const Network network = Network::of(cluster).value();
    near(network.transfer(DeviceId(4), DeviceId(0), Bytes(4000)), 2e-6);
    near(network.transfer(DeviceId(0), DeviceId(1), Bytes(3000)), 1e-6);
    cluster.bandwidth_matrix->pop_back();
    QCOMPARE(Network::of(cluster).error().place, std::string("/bandwidth_matrix_gb_per_s"));
  }

  void allReduceByHand() {
    const Network network = Network::of(two_nodes()).value();
    const auto all = devices({0, 1, 2, 3, 4});
    const double b = 1e6;
    // The ring 0-1-2-3-4-0 passes the 1 GB/s, 12 us path twice.
    near(ring_all_reduce(network, all, Bytes(1000000)), 2 * 4 * (12e-6 + b / (5 * 1e9)));
    near(hierarchical_all_reduce(network, all, Bytes(1000000)),
         2 * 2 * (2e-6 + b / (3 * 8e9)) + 2 * 1 * (12e-6 + b / (2 * 1e9)));
    near(all_reduce(network, all, Bytes(1000000)), 2 * 2 * (2e-6 + b / (3 * 8e9)) + 2 * 1 * (12e-6 + b / (2 * 1e9)));
    near(all_reduce(network, devices({1, 0}), Bytes(1000000)), 2 * (1e-6 + b / (2 * 10e9)));
    QCOMPARE(all_reduce(network, devices({3}), Bytes(1000000)).count, 0.0);
    QCOMPARE(all_reduce(network, all, Bytes()).count, 0.0);
    QCOMPARE(all_reduce(network, devices({4, 2, 0}), Bytes(77)).count,
             all_reduce(network, devices({0, 2, 4}), Bytes(77)).count);
  }
};

QTEST_APPLESS_MAIN(TestNetwork)
#include "tst_network.moc"
