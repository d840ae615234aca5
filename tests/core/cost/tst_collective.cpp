// SPDX-License-Identifier: Apache-2.0
// Times of collectives: all-reduces as their formulas have them to the bit, halves of them, and direct sends against
// the loads of every message counted one by one.
#include <QTest>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/checks.hpp"
#include "core/cost/all_reduce.hpp"
#include "core/cost/collective.hpp"
#include "core/plan/groups.hpp"
#include "tests/core/cost/all_pairs_paths.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_collective {

constexpr std::array every_algorithm{Collectives::best_ring, Collectives::ring, Collectives::hierarchical,
                                     Collectives::tree, Collectives::nccl};

/// Returns nodes of that many devices on one switch.
Cluster star(const std::vector<int>& devices, Link inside, Link outside, std::optional<BytesPerSecond> nic = {}) {
  Cluster cluster = test::flat_cluster(1);
  cluster.nodes.clear();
  cluster.switches = {{"s"}};
  for (std::size_t n = 0; n < devices.size(); ++n) {
    Node node;
    node.name = "n" + std::to_string(n);
    node.devices = {{"X", devices[n]}};
    node.link = inside;
    node.nic = nic;
    cluster.nodes.push_back(node);
    cluster.links.push_back({node.name, "s", outside});
  }
  return cluster;
}

Cluster random_cluster(test::Random& random) {
  const auto link = [&] {
    return Link{gigabytes_per_second(random.integer(1, 40)), microseconds(random.integer(0, 9))};
  };
  std::vector<int> devices(static_cast<std::size_t>(random.integer(1, 5)));
  for (int& count : devices) count = random.integer(1, 4);
  Cluster cluster = star(devices, link(), link());
  const std::array types{"X", "A100", "H100", "B200"};
  cluster.device_types[0].name = types[static_cast<std::size_t>(random.integer(0, 3))];
  cluster.switches.push_back({"t"});
  cluster.links.push_back({"s", "t", link()});
  for (std::size_t n = 0; n < cluster.nodes.size(); ++n) {
    Node& node = cluster.nodes[n];
    node.devices[0].type = cluster.device_types[0].name;
    node.link = link();
    node.bus = random.integer(0, 3) == 0;
    if (random.integer(0, 1) == 0) node.nic = gigabytes_per_second(random.integer(1, 20));
    cluster.links[n].link = link();
    if (random.integer(0, 2) == 0) cluster.links[n].to = "t";
  }
  return cluster;
}

std::vector<DeviceId> random_group(const cost::Network& network, test::Random& random) {
  std::vector<DeviceId> group;
  for (int d = 0; d < network.device_count(); ++d)
    if (random.integer(0, 3) > 0) group.push_back(DeviceId(std::int32_t{d}));
  for (std::size_t i = group.size(); i > 1; --i)
    std::swap(group[i - 1], group[static_cast<std::size_t>(random.integer(0, static_cast<int>(i) - 1))]);
  if (group.empty()) group.push_back(DeviceId(0));
  return group;
}

std::vector<DeviceId> all_devices(const cost::Network& network) {
  std::vector<DeviceId> all;
  for (int d = 0; d < network.device_count(); ++d) all.push_back(DeviceId(std::int32_t{d}));
  return all;
}

double ring_seconds(const cost::RingBottleneck& hop, std::size_t members, double bytes) {
  const auto n = static_cast<double>(members);
  return members < 2 ? 0 : 2 * (n - 1) * (hop.alpha + bytes / (n * hop.beta));
}

/// Returns an all-reduce's time from the formulas of simulator.md, "Communication".
double all_reduce_seconds(const cost::Network& network, std::span<const DeviceId> devices, Collectives by, Bytes size) {
  if (devices.size() < 2 || size.count == 0) return 0;
  const cost::GroupRings rings = cost::rings_of(network, devices);
  const auto bytes = static_cast<double>(size.count);
  const double flat = ring_seconds(rings.flat, devices.size(), bytes);
  const double both = ring_seconds(rings.inside, rings.most, bytes) + ring_seconds(rings.between, rings.nodes, bytes);
  const double levels = std::ceil(std::log2(static_cast<double>(devices.size())));
  switch (by) {
    case Collectives::best_ring:
      return std::min(flat, both);
    case Collectives::ring:
      return flat;
    case Collectives::hierarchical:
      return both;
    case Collectives::tree:
      return 2 * levels * rings.flat.alpha + 2 * bytes / rings.flat.beta;
    case Collectives::nccl:
      break;
  }
  const cost::NcclGroup group = cost::nccl_group(network, devices, rings);
  return cost::nccl_choice(group, cost::NcclCollective::all_reduce, size).time(size).count;
}

/// A message of a byte count from one device to another.
struct Message {
  DeviceId from, to;
  double bytes = 0;
};

/// Returns the largest latency and the seconds of the busiest port, bus, card and direction of a link, each message by
/// itself over paths of a search of its own. Messages of `beside` groups pass links and buses.
double seconds_of_messages(const Cluster& cluster, const std::vector<Message>& messages, double beside) {
  const std::vector<Device> devices = devices_of(cluster);
  const std::vector<test::KnownPath> paths = test::all_pairs_paths(cluster);
  std::map<std::string, double> busy;
  double latency = 0;
  for (const Message& message : messages) {
    const std::size_t a = devices[message.from.index()].node.index(), b = devices[message.to.index()].node.index();
    const Node &from = cluster.nodes[a], &to = cluster.nodes[b];
    if (a == b) {
      latency = std::max(latency, from.link->latency.count);
      const double seconds = message.bytes / from.link->bandwidth.count;
      if (from.bus) {
        busy["bus " + from.name] += beside * seconds;
      } else {
        busy["out " + std::to_string(message.from.value)] += seconds;
        busy["in " + std::to_string(message.to.value)] += seconds;
      }
      continue;
    }
    const test::KnownPath& path = paths[a * cluster.nodes.size() + b];
    latency = std::max(latency, path.latency.count);
    if (from.nic) busy["card out " + std::to_string(message.from.value)] += message.bytes / from.nic->count;
    if (to.nic) busy["card in " + std::to_string(message.to.value)] += message.bytes / to.nic->count;
    std::string at = from.name;
    for (const int position : path.links) {
      const NetworkLink& link = cluster.links[static_cast<std::size_t>(position)];
      busy["link " + std::to_string(position) + " from " + at] += beside * message.bytes / link.link.bandwidth.count;
      at = link.from == at ? link.to : link.from;
    }
  }
  double most = 0;
  for (const auto& [name, seconds] : busy) most = std::max(most, seconds);
  return latency + most;
}

bool is_near(double actual, double expected) { return std::abs(actual - expected) <= 1e-12 * std::abs(expected); }

class TestCollective : public QObject {
  Q_OBJECT
 private slots:
  void allReducesAreTheFormulasToTheBit() {
    test::Random random(1);
    for (int trial = 0; trial < 300; ++trial) {
      const cost::Network network = cost::Network::of(random_cluster(random)).value();
      const std::vector<DeviceId> group = random_group(network, random);
      const Bytes bytes(random.integer(0, 9) == 0 ? 0 : std::int64_t{1} << random.integer(0, 34));
      for (const Collectives by : every_algorithm) {
        const Seconds expected(all_reduce_seconds(network, group, by, bytes));
        QCOMPARE(cost::AllReduce(network, group, by).time(bytes), expected);
        QCOMPARE(cost::Collective(network, group, CollectiveKind::all_reduce, by).time(bytes), expected);
      }
    }
  }

  /// Gathers and scatters take half of each part of an all-reduce. A tree does not gather, and NCCL has its own table.
  void gathersAreHalfOfAllReduces() {
    test::Random random(2);
    for (int trial = 0; trial < 100; ++trial) {
      const cost::Network network = cost::Network::of(random_cluster(random)).value();
      const std::vector<DeviceId> group = random_group(network, random);
      const Bytes bytes(std::int64_t{1} << random.integer(0, 34));
      for (const CollectiveKind kind : {CollectiveKind::all_gather, CollectiveKind::reduce_scatter})
        for (const Collectives by : every_algorithm) {
          const cost::Collective half(network, group, kind, by);
          if (by == Collectives::nccl) {
            if (group.size() < 2) continue;
            const cost::NcclGroup known = cost::nccl_group(network, group, cost::rings_of(network, group));
            const auto same = kind == CollectiveKind::all_gather ? cost::NcclCollective::all_gather
                                                                 : cost::NcclCollective::reduce_scatter;
            QCOMPARE(half.time(bytes), cost::nccl_choice(known, same, bytes).time(bytes));
            continue;
          }
          const auto parts = half.parts(bytes);
          const auto whole = cost::AllReduce(network, group, by == Collectives::tree ? Collectives::ring : by);
          const auto wholes = whole.parts(bytes);
          QCOMPARE(parts.size(), wholes.size());
          for (std::size_t p = 0; p < parts.size(); ++p) {
            QCOMPARE(parts[p].over, wholes[p].over);
            QCOMPARE(parts[p].rate, wholes[p].rate);
            QCOMPARE(parts[p].time, wholes[p].time / 2);
            QCOMPARE(parts[p].delay, wholes[p].delay / 2);
          }
        }
    }
  }

  /// Without latency, each member's port carries the bytes that a rank sends.
  void volumesAreTheBytesSent() {
    const cost::Network network =
        cost::Network::of(star({8}, {gigabytes_per_second(64), {}}, {gigabytes_per_second(1), {}})).value();
    for (const CollectiveKind kind :
         {CollectiveKind::all_gather, CollectiveKind::reduce_scatter, CollectiveKind::all_reduce,
          CollectiveKind::all_to_all, CollectiveKind::ring_exchange}) {
      const cost::Collective one(network, all_devices(network), kind, Collectives::ring);
      QVERIFY(is_near(one.time(Bytes(64'000'000)).count, bytes_sent(kind, 8, 1e-3)));
      QVERIFY(is_near(cost::whole_bytes(kind, 8, bytes_sent(kind, 8, 77)), 77));
    }
  }

  void directSendsAreTheirMessages() {
    test::Random random(3);
    for (int trial = 0; trial < 300; ++trial) {
      const Cluster cluster = random_cluster(random);
      const cost::Network network = cost::Network::of(cluster).value();
      const std::vector<DeviceId> group = random_group(network, random);
      if (group.size() < 2) continue;
      const int beside = random.integer(1, 3);
      const auto n = static_cast<double>(group.size());
      const double bytes = 1 << random.integer(10, 28);
      std::vector<Message> pairs, ring;
      for (std::size_t i = 0; i < group.size(); ++i) {
        ring.push_back({group[i], group[(i + 1) % group.size()], bytes});
        for (const DeviceId to : group)
          if (to != group[i]) pairs.push_back({group[i], to, bytes / n});
      }
      for (const Collectives by : every_algorithm) {
        const Bytes size = round_to_bytes(bytes);
        const auto time = [&](CollectiveKind kind) {
          return cost::Collective(network, group, kind, by, beside).time(size).count;
        };
        QVERIFY(is_near(time(CollectiveKind::all_to_all), seconds_of_messages(cluster, pairs, beside)));
        QVERIFY(is_near(time(CollectiveKind::ring_exchange), (n - 1) * seconds_of_messages(cluster, ring, beside)));
      }
    }
  }

  /// A matrix has a bandwidth for each pair: members send to one after the other, inside and out of their node at once.
  void directSendsWithAMatrix() {
    Cluster cluster = star({2, 1}, {gigabytes_per_second(1), {}}, {gigabytes_per_second(1), {}});
    const auto row = [](double a, double b, double c) {
      return std::vector{gigabytes_per_second(a), gigabytes_per_second(b), gigabytes_per_second(c)};
    };
    cluster.bandwidth_matrix = {row(0, 4, 1), row(4, 0, 2), row(1, 2, 0)};
    const cost::Network network = cost::Network::of(cluster).value();
    const auto time = [&](CollectiveKind kind) {
      return cost::Collective(network, all_devices(network), kind, Collectives::ring).time(Bytes(3'000'000)).count;
    };
    QVERIFY(is_near(time(CollectiveKind::all_to_all), 1e-3 + 0.5e-3));  // the third's 1 MB at 1 and 1 MB at 2 GB/s
    QVERIFY(is_near(time(CollectiveKind::ring_exchange), 2 * 3e-3));    // the third's block back to the first
  }

  void nothingTakesNoTime() {
    const cost::Network network = cost::Network::of(star({2}, {gigabytes_per_second(1), microseconds(5)}, {})).value();
    for (const CollectiveKind kind :
         {CollectiveKind::all_gather, CollectiveKind::reduce_scatter, CollectiveKind::all_reduce,
          CollectiveKind::all_to_all, CollectiveKind::ring_exchange})
      for (const Collectives by : every_algorithm) {
        const std::vector<DeviceId> all = all_devices(network);
        QCOMPARE(cost::Collective(network, all, kind, by).time(Bytes()).count, 0.0);
        QCOMPARE(cost::Collective(network, std::span(all).first(1), kind, by).time(Bytes(9)).count, 0.0);
      }
  }

  /// Qwen3 235B over 32 ranks of 4 nodes, 2,048 tokens per rank (parallelism.md, section 4): with 50 GB/s of card a
  /// device, 100,663,296 bytes leave the node as `alltoall`, 45,292,800 once a node.
  void dispatchersLeaveTheNode() {
    const Link inside{gigabytes_per_second(450), microseconds(2)}, outside{gigabytes_per_second(400), microseconds(3)};
    const cost::Network network =
        cost::Network::of(star({8, 8, 8, 8}, inside, outside, gigabytes_per_second(50))).value();
    const std::vector<DeviceId> all = all_devices(network);
    const cost::DirectSends sends = cost::all_to_all_sends(network, all);
    const cost::Collective direct(network, all, CollectiveKind::all_to_all, Collectives::best_ring);
    QCOMPARE(direct.sends(), sends);
    QVERIFY(is_near(direct.time(Bytes(134'217'728)).count, 6e-6 + 100'663'296 / 50e9));
    QVERIFY(is_near(sends.hierarchical_time(31e6, 45'292'800).count, 2e-6 + 6e-6 + 45'292'800 / 50e9));
    QVERIFY(is_near(sends.hierarchical_time(900e6, 45'292'800).count, 2e-6 + 6e-6 + 900e6 / 450e9));
    QVERIFY(is_near(sends.hierarchical_time(29'360'128, 100'663'296).count, 8e-6 + 100'663'296 / 50e9));
    QCOMPARE(sends.hierarchical_time(0, 0).count, 0.0);
    QVERIFY_THROWS_EXCEPTION(InvariantViolation, (void)sends.hierarchical_time(1, 0));
  }

  /// Expert parallelism over 256 of 16,384 devices; the limit is generous, for a busy machine.
  void manyGroupsAreQuick() {
    const Link inside{gigabytes_per_second(450), microseconds(2)}, outside{gigabytes_per_second(400), microseconds(3)};
    const cost::Network network =
        cost::Network::of(star(std::vector<int>(2048, 8), inside, outside, gigabytes_per_second(50))).value();
    Shard shard;
    shard.expert = 256;
    const auto stage = plan::StageGroups::of(all_devices(network), shard).value();
    const auto begin = std::chrono::steady_clock::now();
    const auto all = cost::collectives_of(network, stage, plan::GroupFamily::expert, CollectiveKind::all_to_all,
                                          Collectives::best_ring);
    QVERIFY(std::chrono::steady_clock::now() - begin < std::chrono::seconds(2));
    QCOMPARE(all.size(), std::size_t{1});
    QVERIFY(is_near(cost::slowest_of(all, Bytes(256'000'000)).count, 6e-6 + 248e6 / 50e9));
  }

  /// The rings of 4 tensor ranks' data groups leave their node together: over the node's link, or each by its card.
  void groupsOnANodeShareItsLinks() {
    const Link inside{gigabytes_per_second(100), {}}, outside{gigabytes_per_second(40), {}};
    Shard shard;
    shard.tensor = 4;
    for (const bool cards : {false, true}) {
      const auto nic = cards ? std::optional(gigabytes_per_second(10)) : std::nullopt;
      const cost::Network network = cost::Network::of(star({4, 4}, inside, outside, nic)).value();
      const auto stage = plan::StageGroups::of(all_devices(network), shard).value();
      for (const CollectiveKind kind :
           {CollectiveKind::all_gather, CollectiveKind::reduce_scatter, CollectiveKind::all_reduce,
            CollectiveKind::all_to_all, CollectiveKind::ring_exchange}) {
        const auto time = [&](plan::GroupFamily family) {
          const auto all = cost::collectives_of(network, stage, family, kind, Collectives::best_ring);
          if (all.size() != 1) return -1.0;  // the groups are alike
          return cost::slowest_of(all, Bytes(8'000'000)).count;
        };
        QVERIFY(is_near(time(plan::GroupFamily::data), bytes_sent(kind, 2, 8e6) / 10e9));
        QVERIFY(is_near(time(plan::GroupFamily::tensor), bytes_sent(kind, 4, 8e6) / 100e9));
      }
    }
  }

  /// A group of 4 in each node leaves by 4 cards in rings; a ring exchange sends from one device to one other.
  void membersOfANodeAddTheirCards() {
    const Link inside{gigabytes_per_second(300), {}}, outside{gigabytes_per_second(400), {}};
    const cost::Network network = cost::Network::of(star({4, 4}, inside, outside, gigabytes_per_second(25))).value();
    const auto time = [&](CollectiveKind kind, Collectives by) {
      return cost::Collective(network, all_devices(network), kind, by).time(Bytes(8'000'000)).count;
    };
    QVERIFY(is_near(time(CollectiveKind::all_gather, Collectives::ring), 7e6 / 100e9));
    QVERIFY(is_near(time(CollectiveKind::all_gather, Collectives::hierarchical), 6e6 / 300e9 + 4e6 / 100e9));
    QVERIFY(is_near(time(CollectiveKind::all_to_all, Collectives::ring), 4e6 / 25e9));
    QVERIFY(is_near(time(CollectiveKind::ring_exchange, Collectives::ring), 7 * 8e6 / 25e9));
  }

  /// Slow groups count: node by node, a family's time is that of its slowest group.
  void theSlowestGroupCounts() {
    Cluster cluster = star({2, 2}, {gigabytes_per_second(100), {}}, {gigabytes_per_second(10), {}});
    cluster.nodes[1].link->bandwidth = gigabytes_per_second(20);
    const cost::Network network = cost::Network::of(cluster).value();
    Shard shard;
    shard.tensor = 2;
    const auto stage = plan::StageGroups::of(all_devices(network), shard).value();
    const auto all = cost::collectives_of(network, stage, plan::GroupFamily::tensor, CollectiveKind::all_gather,
                                          Collectives::best_ring);
    QCOMPARE(all.size(), std::size_t{2});
    QVERIFY(is_near(cost::slowest_of(all, Bytes(2'000'000)).count, 1e6 / 20e9));
  }

  /// More groups on the same nodes never make one quicker, nor slower by more than their number.
  void moreGroupsNeverHelp() {
    test::Random random(4);
    for (int trial = 0; trial < 200; ++trial) {
      const cost::Network network = cost::Network::of(random_cluster(random)).value();
      const std::vector<DeviceId> group = random_group(network, random);
      const Bytes bytes(1 << random.integer(10, 28));
      for (const CollectiveKind kind : {CollectiveKind::all_gather, CollectiveKind::all_reduce,
                                        CollectiveKind::all_to_all, CollectiveKind::ring_exchange})
        for (const Collectives by : {Collectives::best_ring, Collectives::ring, Collectives::hierarchical}) {
          const double alone = cost::Collective(network, group, kind, by).time(bytes).count;
          const double among = cost::Collective(network, group, kind, by, 3).time(bytes).count;
          QVERIFY(among >= alone && among <= 3 * alone * (1 + 1e-12));
        }
    }
  }
};

PIPEDECK_TEST(TestCollective)

}  // namespace pipedeck::tst_collective

#include "tst_collective.moc"
