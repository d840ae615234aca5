// SPDX-License-Identifier: Apache-2.0
#include <QtTest/QTest>

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

#include "core/cost/all_reduce.hpp"
#include "core/cost/network.hpp"
#include "core/cost/ring_times.hpp"
#include "tests/core/cost/all_pairs_paths.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_network {

/// Returns the best simple path by depth-first search and the contract's three rules.
test::KnownPath best_by_enumeration(const Cluster& cluster, const std::string& from, const std::string& to) {
  std::vector<test::KnownPath> all;
  std::vector<std::string> visited{from};
  std::vector<int> links;
  std::function<void(const std::string&)> search = [&](const std::string& at) {
    if (at == to) {
      test::KnownPath path{BytesPerSecond(1e300), {}, links};
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
  return *std::min_element(all.begin(), all.end(), [](const test::KnownPath& a, const test::KnownPath& b) {
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

/// Returns nodes and switches with random links, with few distinct bandwidths so that many paths tie.
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

/// Returns two nodes of 2 and 3 devices over a switch.
Cluster two_nodes() {
  Cluster cluster = test::flat_cluster(1);
  cluster.nodes = {node_named("a", 2, Link{gigabytes_per_second(10), microseconds(1)}),
                   node_named("b", 3, Link{gigabytes_per_second(8), microseconds(2)})};
  cluster.switches = {{"s"}};
  cluster.links = {{"a", "s", {gigabytes_per_second(1), microseconds(5)}},
                   {"s", "b", {gigabytes_per_second(2), microseconds(7)}}};
  return cluster;
}

enum class Fabric { star, tree, two_switches, mesh };

/// Returns many nodes: under one switch, under leaf switches and a spine, each on two switches, or on a mesh of
/// switches with parallel and redundant links.
Cluster large_cluster(int nodes, Fabric fabric, test::Random& random) {
  Cluster cluster = test::flat_cluster(1);
  cluster.nodes.clear();
  const auto link = [&] {
    return Link{gigabytes_per_second(random.integer(1, 3)), microseconds(random.integer(0, 5))};
  };
  const int leaves = fabric == Fabric::star ? 1 : fabric == Fabric::two_switches ? 2 : std::max(2, nodes / 16);
  for (int s = 0; s <= leaves; ++s) cluster.switches.push_back({"s" + std::to_string(s)});
  const auto leaf = [](int s) { return "s" + std::to_string(s); };
  for (int s = 0; s < leaves; ++s) cluster.links.push_back({leaf(leaves), leaf(s), link()});
  for (int n = 0; n < nodes; ++n) {
    cluster.nodes.push_back(node_named("n" + std::to_string(n), random.integer(1, 2), link()));
    const std::string& name = cluster.nodes.back().name;
    cluster.links.push_back({name, leaf(n % leaves), link()});
    if (fabric == Fabric::two_switches) cluster.links.push_back({leaf((n + 1) % leaves), name, link()});
    if (fabric == Fabric::mesh && n % 5 == 0) cluster.links.push_back({name, leaf(n % leaves), link()});
    if (fabric == Fabric::mesh && n % 7 == 1)
      cluster.links.push_back({leaf(random.integer(0, leaves)), leaf(random.integer(0, leaves)), link()});
  }
  std::erase_if(cluster.links, [](const NetworkLink& one) { return one.from == one.to; });
  return cluster;
}

DeviceId first_of(const cost::Network& network, std::size_t node) {
  int d = 0;
  while (network.node_of(DeviceId(std::int32_t{d})).index() != node) ++d;
  return DeviceId(std::int32_t{d});
}

struct Extremes {
  double narrowest = 1e300, longest = 0;
  bool operator==(const Extremes&) const = default;
};

/// Figures of the paths in one node, or between two.
Extremes extremes(const cost::Network& network, const std::vector<DeviceId>& devices, bool inside) {
  Extremes found;
  for (const DeviceId a : devices)
    for (const DeviceId b : devices) {
      if (a == b || (network.node_of(a) == network.node_of(b)) != inside) continue;
      found.narrowest = std::min(found.narrowest, network.path(a, b).bandwidth.count);
      found.longest = std::max(found.longest, network.path(a, b).latency.count);
    }
  return found;
}

std::vector<DeviceId> all_devices(const cost::Network& network) {
  std::vector<DeviceId> all;
  for (int d = 0; d < network.device_count(); ++d) all.push_back(DeviceId(std::int32_t{d}));
  return all;
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

class TestNetwork : public QObject {
  Q_OBJECT
 private slots:
  void pathsEqualEnumeration() {
    test::Random random(7);
    for (int trial = 0; trial < 200; ++trial) {
      const Cluster cluster = random_cluster(random);
      const Result<cost::Network> network = cost::Network::of(cluster);
      QVERIFY(network);
      for (int a = 0; a < network->device_count(); ++a)
        for (int b = 0; b < network->device_count(); ++b) {
          const DeviceId from(std::int32_t{a}), to(std::int32_t{b});
          const NodeId from_node = network->node_of(from), to_node = network->node_of(to);
          if (from_node == to_node) continue;
          const test::KnownPath want =
              best_by_enumeration(cluster, cluster.nodes[from_node.index()].name, cluster.nodes[to_node.index()].name);
          QCOMPARE(network->links(from, to), want.links);
          QCOMPARE(network->path(from, to).bandwidth.count, want.bandwidth.count);
          QVERIFY(std::abs(network->path(from, to).latency.count - want.latency.count) < 1e-15);
        }
    }
  }

  void pathsEqualAllPairsSearch() {
    test::Random random(11);
    for (const int nodes : {1, 2, 9, 40, 100})
      for (const Fabric fabric : {Fabric::star, Fabric::tree, Fabric::two_switches, Fabric::mesh}) {
        const Cluster cluster = large_cluster(nodes, fabric, random);
        const std::vector<test::KnownPath> want = test::all_pairs_paths(cluster);
        const cost::Network network = cost::Network::of(cluster).value();
        std::vector<DeviceId> first;
        for (std::size_t n = 0; n < cluster.nodes.size(); ++n) first.push_back(first_of(network, n));
        for (std::size_t a = 0; a < first.size(); ++a)
          for (std::size_t b = 0; b < first.size(); ++b) {
            if (a == b) continue;
            const test::KnownPath& known = want[a * first.size() + b];
            QCOMPARE(network.links(first[a], first[b]), known.links);
            QCOMPARE(network.path(first[a], first[b]), (cost::Path{known.bandwidth, known.latency}));
          }
      }
  }

  void representativesStandForAll() {
    test::Random random(12);
    for (const int nodes : {1, 2, 9, 40, 100})
      for (const Fabric fabric : {Fabric::star, Fabric::tree, Fabric::two_switches, Fabric::mesh}) {
        const cost::Network network = cost::Network::of(large_cluster(nodes, fabric, random)).value();
        for (const bool inside : {false, true})
          QCOMPARE(extremes(network, network.representative_devices(), inside),
                   extremes(network, all_devices(network), inside));
      }
    Cluster equal = test::flat_cluster(1);
    equal.nodes.clear();
    equal.switches = {{"s"}};
    for (int n = 0; n < 100; ++n) {
      equal.nodes.push_back(node_named("n" + std::to_string(n), 8, Link{gigabytes_per_second(100), {}}));
      equal.links.push_back({"s", equal.nodes.back().name, Link{gigabytes_per_second(1), {}}});
    }
    QCOMPARE(cost::Network::of(equal).value().representative_devices().size(), 4u);
  }

  /// A lazily searched core, used by two threads at once.
  void threadsGetTheSamePaths() {
    test::Random random(13);
    const Cluster cluster = large_cluster(100, Fabric::two_switches, random);
    const cost::Network network = cost::Network::of(cluster).value();
    const auto sum = [&network] {
      double sum = 0;
      for (int a = 0; a < network.device_count(); ++a)
        for (int b = network.device_count() - 1; b > a; --b)
          sum += network.path(DeviceId(std::int32_t{a}), DeviceId(std::int32_t{b})).bandwidth.count;
      return sum;
    };
    double one = 0, two = 0;
    {
      const std::jthread first([&] { one = sum(); });
      const std::jthread second([&] { two = sum(); });
    }
    QCOMPARE(one, two);
    QCOMPARE(one, sum());
  }

  /// Sixteen thousand nodes; the limit is generous, for a busy machine.
  void manyNodesAreMadeReadyQuickly() {
    test::Random random(14);
    for (const Fabric fabric : {Fabric::star, Fabric::tree}) {
      const Cluster cluster = large_cluster(16'384, fabric, random);
      const auto begin = std::chrono::steady_clock::now();
      const cost::Network network = cost::Network::of(cluster).value();
      cost::all_reduce(network, all_devices(network), Bytes(1000));
      QVERIFY(std::chrono::steady_clock::now() - begin < std::chrono::seconds(2));
    }
  }

  /// From one end each link leads to the other; and back, the links in reverse.
  void directionsLeadFromEndToEnd() {
    for (int seed = 0; seed < 40; ++seed) {
      test::Random random(static_cast<std::uint64_t>(seed));
      const Cluster cluster = large_cluster(random.integer(2, 12), Fabric::tree, random);
      const cost::Network network = cost::Network::of(cluster).value();
      const int devices = network.device_count();
      for (int pair = 0; pair < 20; ++pair) {
        const DeviceId from(random.integer(0, devices - 1)), to(random.integer(0, devices - 1));
        if (network.node_of(from) == network.node_of(to)) continue;
        std::string at = cluster.nodes[network.node_of(from).index()].name;
        for (const cost::DirectedLink& passed : network.directed_links(from, to)) {
          const NetworkLink& link = cluster.links[static_cast<std::size_t>(passed.link)];
          QCOMPARE(passed.backwards ? link.to : link.from, at);
          at = passed.backwards ? link.from : link.to;
        }
        QCOMPARE(at, cluster.nodes[network.node_of(to).index()].name);
      }
    }
  }

  void insideANodeItsOwnLink() {
    const cost::Network network = cost::Network::of(two_nodes()).value();
    QVERIFY(network.links(DeviceId(0), DeviceId(1)).empty());
    near(network.transfer(DeviceId(2), DeviceId(4), Bytes(8000)), 2e-6 + 1e-6);
    near(network.transfer(DeviceId(0), DeviceId(4), Bytes(1000)), 12e-6 + 1e-6);  // 1 GB/s is the narrower
  }

  void unconnectedAndUnlinkedAreRefused() {
    Cluster cluster = two_nodes();
    cluster.links.pop_back();
    QCOMPARE(cost::Network::of(cluster).error().place, std::string("/links"));
    cluster = two_nodes();
    cluster.nodes[1].link.reset();
    QCOMPARE(cost::Network::of(cluster).error().place, std::string("/nodes/1"));
    cluster.nodes[1].devices[0].count = 1;
    QVERIFY(cost::Network::of(cluster));
  }

  void matrixStandsInsteadOfLinks() {
    Cluster cluster = two_nodes();
    cluster.links.clear();
    cluster.bandwidth_matrix.emplace(5, std::vector<BytesPerSecond>(5, gigabytes_per_second(3)));
    (*cluster.bandwidth_matrix)[0][4] = (*cluster.bandwidth_matrix)[4][0] = gigabytes_per_second(2);
    const cost::Network network = cost::Network::of(cluster).value();
    near(network.transfer(DeviceId(4), DeviceId(0), Bytes(4000)), 2e-6);
    near(network.transfer(DeviceId(0), DeviceId(1), Bytes(3000)), 1e-6);
    cluster.bandwidth_matrix->pop_back();
    QCOMPARE(cost::Network::of(cluster).error().place, std::string("/bandwidth_matrix_gb_per_s"));
  }

  void allReduceByHand() {
    const cost::Network network = cost::Network::of(two_nodes()).value();
    const auto all = devices({0, 1, 2, 3, 4});
    const double b = 1e6;
    // The ring 0-1-2-3-4-0 passes the 1 GB/s, 12 us path twice.
    near(cost::ring_all_reduce(network, all, Bytes(1000000)), 2 * 4 * (12e-6 + b / (5 * 1e9)));
    near(cost::hierarchical_all_reduce(network, all, Bytes(1000000)),
         2 * 2 * (2e-6 + b / (3 * 8e9)) + 2 * 1 * (12e-6 + b / (2 * 1e9)));
    near(cost::all_reduce(network, all, Bytes(1000000)),
         2 * 2 * (2e-6 + b / (3 * 8e9)) + 2 * 1 * (12e-6 + b / (2 * 1e9)));
    near(cost::all_reduce(network, devices({1, 0}), Bytes(1000000)), 2 * (1e-6 + b / (2 * 10e9)));
    near(cost::tree_all_reduce(network, all, Bytes(1000000)), 2 * 3 * 12e-6 + 2 * b / 1e9);
    QCOMPARE(cost::all_reduce(network, devices({3}), Bytes(1000000)).count, 0.0);
    QCOMPARE(cost::tree_all_reduce(network, devices({3}), Bytes(1000000)).count, 0.0);
    QCOMPARE(cost::all_reduce(network, all, Bytes()).count, 0.0);
    QCOMPARE(cost::all_reduce(network, devices({4, 2, 0}), Bytes(77)).count,
             cost::all_reduce(network, devices({0, 2, 4}), Bytes(77)).count);
  }

  /// A group that leaves its domain reaches the network's share everywhere, as published runs do (parallelism.md,
  /// "Efficiency"). Measured links keep their figures.
  void efficienciesSlowTransfersAndRings() {
    Cluster cluster = two_nodes();
    cluster.device_types.front().memory_bandwidth = gigabytes_per_second(100);
    SimulationOptions conventions;
    conventions.efficiency["X"] = {0.9, 0.5, 0.8, microseconds(10), microseconds(20)};
    const cost::Network sheet = cost::Network::of(cluster).value(),
                        network = cost::Network::of(cluster, conventions).value();
    const auto near = [](Seconds a, Seconds b) { return std::abs(a.count - b.count) < 1e-12; };
    const auto slower = [](Seconds time, double share, Seconds call) { return Seconds(time.count / share) + call; };
    const Bytes bytes(1000000);
    const DeviceId a(0), b(1), c(2);
    QVERIFY(near(network.transfer(a, b, bytes), slower(sheet.transfer(a, b, bytes), 0.5, microseconds(10))));
    QVERIFY(near(network.transfer(a, c, bytes), slower(sheet.transfer(a, c, bytes), 0.8, microseconds(20))));
    for (const Collectives by :
         {Collectives::best_ring, Collectives::ring, Collectives::hierarchical, Collectives::tree}) {
      const auto time = [&](const cost::Network& on, const std::vector<DeviceId>& group) {
        return cost::AllReduce(on, group, by).time(bytes);
      };
      QVERIFY(near(time(network, {a, b}), slower(time(sheet, {a, b}), 0.5, microseconds(10))));
      const auto all = devices({0, 1, 2, 3, 4});
      QVERIFY(near(time(network, all), slower(time(sheet, all), 0.8, microseconds(20))));
      const auto parts = cost::AllReduce(network, all, by).parts(bytes);
      QVERIFY(parts.front().delay >= microseconds(20) || parts.back().delay >= microseconds(20));
      QCOMPARE(cost::AllReduce(network, devices({2}), by).time(bytes), Seconds());
    }
    QVERIFY(near(cost::ring_all_reduce(network, devices({0, 1}), bytes),
                 slower(cost::ring_all_reduce(sheet, devices({0, 1}), bytes), 0.5, microseconds(10))));
    QCOMPARE(cost::AllReduce(network, devices({0, 1}), Collectives::nccl).time(bytes),
             cost::AllReduce(sheet, devices({0, 1}), Collectives::nccl).time(bytes));
    QVERIFY(network.widest_ring_path(a, b).bandwidth >= network.path(a, b).bandwidth);
    QVERIFY(std::abs(network.type(a).memory_bandwidth->count - 90e9) < 1);

    for (Node& node : cluster.nodes) node.link->measured = true;
    const cost::Network measured = cost::Network::of(cluster, conventions).value();
    QCOMPARE(measured.transfer(a, b, bytes), sheet.transfer(a, b, bytes));
    QVERIFY(near(measured.transfer(a, c, bytes), network.transfer(a, c, bytes)));
  }

  /// The parts of an all-reduce by any algorithm add up to its time; without latency they move the algorithm's bytes.
  void partsOfAllReduces() {
    const cost::Network network = cost::Network::of(two_nodes()).value();
    const auto all = devices({0, 1, 2, 3, 4});
    const Bytes bytes(1000000);
    const auto by = [&](Collectives collectives) { return cost::AllReduce(network, all, collectives); };
    QCOMPARE(by(Collectives::ring).time(bytes), cost::ring_all_reduce(network, all, bytes));
    QCOMPARE(by(Collectives::hierarchical).time(bytes), cost::hierarchical_all_reduce(network, all, bytes));
    QCOMPARE(by(Collectives::best_ring).time(bytes), cost::all_reduce(network, all, bytes));
    QCOMPARE(by(Collectives::tree).time(bytes), cost::tree_all_reduce(network, all, bytes));
    QVERIFY(by(Collectives::nccl).time(bytes) > cost::ring_all_reduce(network, all, Bytes(0)));
    const auto ring = by(Collectives::ring).parts(bytes), tree = by(Collectives::tree).parts(bytes);
    QVERIFY(std::abs(ring.front().volume() - 2 * 4.0 / 5 * 1e6) < 1e-3);
    QVERIFY(std::abs(tree.front().volume() - 2e6) < 1e-3);
    const auto phases = by(Collectives::hierarchical).parts(bytes);
    QCOMPARE(phases.size(), std::size_t{2});
    QVERIFY(phases[0].over == cost::RingLinks::intra_node && phases[1].over == cost::RingLinks::inter_node);
    QVERIFY(cost::AllReduce(network, devices({2}), Collectives::nccl).parts(bytes).empty());
    QVERIFY(by(Collectives::tree).parts(Bytes()).empty());
  }
};

PIPEDECK_TEST(TestNetwork)

}  // namespace pipedeck::tst_network

#include "tst_network.moc"
