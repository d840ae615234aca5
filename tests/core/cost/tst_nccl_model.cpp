// SPDX-License-Identifier: Apache-2.0
// NCCL's tuning model against values computed by hand from its tables, and against measurements of nccl-tests.
#include <QtTest/QTest>

#include <cmath>

#include "core/cost/nccl_model.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_nccl_model {

cost::NcclGroup group_of(cost::GpuGeneration generation, int ranks, int nodes, double gigabytes) {
  cost::NcclGroup group;
  group.generation = generation;
  group.ranks = ranks;
  group.nodes = nodes;
  group.bandwidth = gigabytes_per_second(gigabytes);
  return group;
}

struct Expected {
  double latency_us, gigabytes;
};

void expect(const cost::NcclGroup& group, cost::NcclCollective collective, cost::NcclAlgorithm algorithm,
            cost::NcclProtocol protocol, Bytes bytes, Expected expected) {
  const auto cost = cost::nccl_cost(group, collective, algorithm, protocol, bytes);
  QVERIFY(cost.has_value());
  const double latency = in_microseconds(cost->latency), bandwidth = in_gigabytes_per_second(cost->bandwidth);
  QVERIFY2(std::abs(latency - expected.latency_us) < 1e-9 && std::abs(bandwidth - expected.gigabytes) < 1e-9,
           qPrintable(QString("%1 us, %2 GB/s").arg(latency, 0, 'g', 12).arg(bandwidth, 0, 'g', 12)));
}

constexpr Bytes mebibyte{1 << 20};

/// nccl-tests, doc/PERFORMANCE.md: bus bandwidth of an all-reduce.
double bus_bandwidth(const cost::NcclGroup& group, Bytes bytes) {
  const double seconds = cost::nccl_choice(group, cost::NcclCollective::all_reduce, bytes).time(bytes).count;
  return static_cast<double>(bytes.count) / seconds * 2 * (group.ranks - 1) / group.ranks / 1e9;
}

const auto reduce_all = cost::NcclCollective::all_reduce;
const auto ring = cost::NcclAlgorithm::ring, tree = cost::NcclAlgorithm::tree, nvls = cost::NcclAlgorithm::nvls,
           pat = cost::NcclAlgorithm::pat;
const auto ll = cost::NcclProtocol::ll, ll128 = cost::NcclProtocol::ll128, simple = cost::NcclProtocol::simple;

class TestNcclModel : public QObject {
  Q_OBJECT

 private slots:
  void generationsByName() {
    QCOMPARE(cost::generation_of("V100-16GB"), cost::GpuGeneration::volta);
    QCOMPARE(cost::generation_of("A100-80GB"), cost::GpuGeneration::ampere);
    QCOMPARE(cost::generation_of("NVIDIA H200 SXM"), cost::GpuGeneration::hopper);
    QCOMPARE(cost::generation_of("GB200"), cost::GpuGeneration::blackwell);
    QCOMPARE(cost::generation_of("X"), cost::GpuGeneration::ampere);
  }

  void oneNodeOfA100() {
    const cost::NcclGroup group = group_of(cost::GpuGeneration::ampere, 8, 1, 300);  // counted as 12 links of 20 GB/s
    const Bytes gibibyte(std::int64_t{1} << 30);
    expect(group, reduce_all, ring, simple, gibibyte, {8.4 + 14 * 3.4, 240.0 * 8 / 14});
    expect(group, reduce_all, ring, ll, gibibyte, {6.6 + 14 * 0.6, 87.7 * 8 / 14});
    expect(group, reduce_all, ring, ll128, gibibyte, {14 + 14 * 1.9, 0.92 * 240 * 8 / 14});
    expect(group, reduce_all, tree, simple, gibibyte, {8.4 + 2 * 7 * 4.0, 0.5 * 0.92 * 240});
    expect(group, reduce_all, tree, ll, Bytes(64 << 12), {6.8 + 14 * 0.6, 0.5 * 0.92 * 240 / 3.8 * 0.4});
    expect(group, cost::NcclCollective::all_gather, ring, simple, gibibyte, {8.4 + 7 * 3.4, 240.0 * 8 / 7});
    expect(group, cost::NcclCollective::broadcast, ring, simple, gibibyte, {8.4 + 3.4, 240.0});
    QVERIFY(!cost::nccl_cost(group, reduce_all, nvls, simple, gibibyte));
    QVERIFY(!cost::nccl_cost(group, cost::NcclCollective::all_gather, tree, simple, gibibyte));
  }

  /// With several nodes LL's limit is the CPU's row, not the generation's (tuning.cc, index1).
  void fourNodesOfH100() {
    cost::NcclGroup group = group_of(cost::GpuGeneration::hopper, 32, 4, 50);
    const double between = 2 * 3, inside = 62 - between;
    expect(group, reduce_all, ring, ll, mebibyte, {6.6 + inside * 1.0 + between * 2.7, 20.4 * 32 / 62});
    expect(group, reduce_all, ring, simple, mebibyte, {1.4 * (8.4 + inside * 3.4 + between * 14.0), 50.0 * 32 / 62});
    expect(group, reduce_all, tree, simple, Bytes(64 << 22),
           {8.4 + 2 * (7 * 4.0 + 2 * 14.0), 0.5 * 0.85 * 0.92 * 50 * 0.9});
    group.amd_cpu = true;
    expect(group, reduce_all, ring, ll, mebibyte, {6.6 + inside * 2.0 + between * 2.7, 19.0 * 32 / 62});
    group.is_uniform = false;
    QVERIFY(!cost::nccl_cost(group, reduce_all, ring, ll128, mebibyte));
  }

  void patIsForOneRankANode() {
    const cost::NcclGroup group = group_of(cost::GpuGeneration::ampere, 16, 16, 12.5);
    expect(group, cost::NcclCollective::all_gather, pat, simple, mebibyte,
           {8 + 4 * (14 / 3.5) + 16 * 2.8, 0.75 * 12.5});
    QVERIFY(!cost::nccl_cost(group_of(cost::GpuGeneration::ampere, 16, 2, 12.5), cost::NcclCollective::all_gather, pat,
                             simple, mebibyte));
    QVERIFY(!cost::nccl_cost(group, reduce_all, pat, simple, mebibyte));
    // A ring of one rank a node has the tree's network latency.
    expect(group, cost::NcclCollective::all_gather, ring, ll, mebibyte, {6.6 + 15 * 5.0, 6.25 * 16 / 15});
  }

  void latencyOfTheClusterCounts() {
    cost::NcclGroup group = group_of(cost::GpuGeneration::volta, 4, 2, 10);
    group.inside = microseconds(5);
    group.between = microseconds(30);
    expect(group, reduce_all, ring, simple, Bytes(64), {8.4 + 4 * 5 + 2 * 30, 10.0 * 4 / 6});
  }

  /// Results of nccl-tests for 8 GPUs in one node, large messages: 8 x H100 470-480 GB/s with NVLink SHARP, 8 x A100
  /// 225-240, 8 x V100 about 120-135; two nodes of 8 x H100 with 8 x 400 Gbit/s within 330-400.
  void busBandwidthIsPlausible() {
    const Bytes large(std::int64_t{8} << 30);
    const auto within = [&](const cost::NcclGroup& group, double low, double high) {
      const double found = bus_bandwidth(group, large);
      QVERIFY2(found >= low && found <= high, qPrintable(QString::number(found)));
    };
    within(group_of(cost::GpuGeneration::hopper, 8, 1, 450), 430, 500);
    within(group_of(cost::GpuGeneration::ampere, 8, 1, 300), 220, 245);
    within(group_of(cost::GpuGeneration::volta, 8, 1, 150), 110, 140);
    within(group_of(cost::GpuGeneration::hopper, 16, 2, 400), 330, 400);
    QCOMPARE(cost::nccl_choice(group_of(cost::GpuGeneration::hopper, 8, 1, 450), reduce_all, large).algorithm, nvls);
  }

  /// Small messages use the low-latency protocol, large ones bandwidth; large trees beat large rings for small
  /// messages.
  void choiceFollowsTheSize() {
    const cost::NcclGroup group = group_of(cost::GpuGeneration::ampere, 64, 8, 25);
    const cost::NcclCost small = cost::nccl_choice(group, reduce_all, Bytes(1024));
    QCOMPARE(small.algorithm, tree);
    QCOMPARE(small.protocol, ll);
    const cost::NcclCost large = cost::nccl_choice(group, reduce_all, Bytes(std::int64_t{4} << 30));
    QCOMPARE(large.protocol, simple);
    QCOMPARE(large.algorithm, ring);
  }

  void moreBandwidthIsNeverSlower() {
    test::Random random(3);
    for (int i = 0; i < 2000; ++i) {
      const int nodes = random.integer(1, 6);
      cost::NcclGroup group = group_of(static_cast<cost::GpuGeneration>(random.integer(0, 3)),
                                       nodes * random.integer(2, 8), nodes, random.uniform(1, 900));
      const Bytes bytes(random.integer(1, 1 << 30));
      const double time = cost::nccl_choice(group, reduce_all, bytes).time(bytes).count;
      QVERIFY(time > 0);
      cost::NcclGroup faster = group, later = group;
      // A wider ring of more channels may meet the plateau later, never sooner; its own figure is by the size.
      faster.bandwidth = BytesPerSecond(group.bandwidth.count * 1.5);
      QVERIFY(cost::nccl_choice(faster, reduce_all, bytes).time(bytes) <= Seconds(time * (1 + 1e-12)));
      later.between = later.inside = microseconds(100);
      QVERIFY(cost::nccl_choice(later, reduce_all, bytes).time(bytes) >= Seconds(time));
    }
  }

  void groupOfACluster() {
    Cluster cluster = test::flat_cluster(4, gigabytes_per_second(300), microseconds(2));
    cluster.device_types[0].name = cluster.nodes[0].devices[0].type = "A100-40GB";
    const cost::Network network = cost::Network::of(cluster).value();
    const std::vector<DeviceId> devices{DeviceId(0), DeviceId(1), DeviceId(2)};
    const cost::NcclGroup group = cost::nccl_group(network, devices, cost::rings_of(network, devices));
    QCOMPARE(group.ranks, 3);
    QCOMPARE(group.nodes, 1);
    QCOMPARE(group.generation, cost::GpuGeneration::ampere);
    QVERIFY(group.is_uniform && group.nvlink);
    QCOMPARE(group.bandwidth, gigabytes_per_second(300));
    QCOMPARE(group.inside, microseconds(2));
  }
};

PIPEDECK_TEST(TestNcclModel)

}  // namespace pipedeck::tst_nccl_model

#include "tst_nccl_model.moc"
