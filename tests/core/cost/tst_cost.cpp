// SPDX-License-Identifier: Apache-2.0
#include <QtTest/QTest>

#include <algorithm>
#include <set>

#include "core/cost/compute.hpp"
#include "core/cost/memory.hpp"
#include "core/plan/cuts.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_cost {

void near(double actual, double expected) {
  QVERIFY2(std::abs(actual - expected) <= 1e-12 * std::max(1e-9, expected),
           qPrintable(QStringLiteral("%1 against %2").arg(actual).arg(expected)));
}

Profile one_layer() {
  Profile profile;
  profile.device = "X";
  profile.micro_batch = 4;
  Layer layer;
  layer.forward = milliseconds(8);
  layer.backward = milliseconds(16);
  layer.backward_weight = milliseconds(4);
  profile.layers = {layer};
  return profile;
}

double forward_ms(const Profile& profile, int samples) {
  const Cluster cluster = test::flat_cluster(1);
  return in_milliseconds(
      cost::layer_times(profile, profile.layers[0], samples, cluster, cluster.device_types[0]).forward);
}

/// Returns the bytes that cross boundary p by definition: each output once if any later layer uses it.
Bytes crossing(const Profile& profile, const std::vector<LayerId>& order, std::size_t p) {
  const std::set<LayerId> front(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(p));
  std::set<std::pair<LayerId, int>> used;
  for (const Edge& edge : edges_of(profile)) {
    if (!front.contains(edge.from) || front.contains(edge.to)) continue;
    if (profile.layers[edge.from.index()].kind == data_kind) continue;
    const int outputs = std::max<int>(1, static_cast<int>(profile.layers[edge.from.index()].outputs.size()));
    for (int k = 0; k < outputs; ++k)
      if (!edge.output || *edge.output == k || outputs == 1) used.insert({edge.from, k});
  }
  Bytes sum;
  for (const auto& [layer, k] : used) {
    const Layer& from = profile.layers[layer.index()];
    sum += from.outputs.empty() ? from.output : from.outputs[static_cast<std::size_t>(k)];
  }
  return sum;
}

double bytes_a_parameter(Optimizer optimizer, Precision precision, int zero, int replicas) {
  const std::int64_t width = precision == Precision::fp32 ? 4 : 2;
  const std::int64_t count = 1000;
  const MemoryBreakdown parts = cost::state_memory(Bytes(count * width), replicas, optimizer, precision, zero);
  return static_cast<double>(parts.total().count) / static_cast<double>(count);
}

class TestCost : public QObject {
  Q_OBJECT
 private slots:
  void proportionalWithOnePoint() {
    near(forward_ms(one_layer(), 1), 2);
    near(forward_ms(one_layer(), 6), 12);
  }

  void linearBetweenAndBeyondPoints() {
    Profile profile = one_layer();
    profile.layers[0].at = {{2, milliseconds(5), milliseconds(10)},
                            {4, milliseconds(8), milliseconds(16)},
                            {8, milliseconds(12), milliseconds(30)}};
    for (const auto& [samples, expected] :
         std::vector<std::pair<int, double>>{{1, 3.5}, {2, 5}, {3, 6.5}, {4, 8}, {5, 9}, {8, 12}, {10, 14}})
      near(forward_ms(profile, samples), expected);
    profile.layers[0].at = {{3, milliseconds(1), milliseconds(1)}, {4, milliseconds(8), milliseconds(16)}};
    near(forward_ms(profile, 1), 0);  // never below 0
  }

  void otherDevicesAndDegreesAreRatios() {
    Profile profile = one_layer();
    Layer& layer = profile.layers[0];
    layer.on["T4"] = {milliseconds(24), milliseconds(32)};
    layer.tensor_parallel = {{2, milliseconds(6), milliseconds(12), Bytes(), Bytes()}};
    Cluster cluster = test::flat_cluster(1);
    DeviceType t4 = cluster.device_types[0], slow = t4;
    t4.name = "T4";
    slow.name = "slow";
    slow.relative_speed = 0.5;
    cluster.device_types[0].relative_speed = 2;
    const cost::LayerTimes on = cost::layer_times(profile, layer, 8, cluster, t4, 2);
    near(on.forward.count, 0.016 * 3 * 0.75);
    near(on.backward.count, 0.032 * 2 * 0.75);
    near(on.backward_weight.count, on.backward.count / 4);
    near(cost::layer_times(profile, layer, 4, cluster, slow).forward.count, 0.008 * 4);  // speed 2 against 0.5
    profile.device = "unlisted";
    near(cost::layer_times(profile, layer, 4, cluster, slow).forward.count, 0.008 * 2);  // speed 1 against 0.5
    QVERIFY_THROWS_EXCEPTION(InvariantViolation, cost::layer_times(profile, layer, 4, cluster, slow, 3));
  }

  void bytesAreRoundedUpOnce() {
    QCOMPARE(cost::scale_bytes(Bytes(10), 1, 4).count, 3);
    QCOMPARE(cost::scale_bytes(Bytes(10), 2, 4).count, 5);
    QCOMPARE(cost::scale_bytes(Bytes(10), 3, 4).count, 8);
    QCOMPARE(cost::scale_bytes(Bytes(std::int64_t{1} << 60), 3, 4).count, std::int64_t{3} << 58);
  }

  void cutsCountEveryOutputUsedBehind() {
    test::Random random(3);
    for (int trial = 0; trial < 200; ++trial) {
      Profile profile = test::uniform_profile(7, milliseconds(1), milliseconds(2));
      for (Layer& layer : profile.layers) {
        layer.output = Bytes(random.integer(1, 100));
        if (random.integer(0, 4) == 0) layer.kind = data_kind;
        if (random.integer(0, 2) == 0) {
          layer.outputs = {Bytes(random.integer(1, 50)), Bytes(random.integer(1, 50))};
          layer.output = layer.outputs[0] + layer.outputs[1];
        }
      }
      if (random.integer(0, 4) > 0)
        for (int to = 1; to < 7; ++to)
          for (int from = 0; from < to; ++from)
            if (from == to - 1 || random.integer(0, 3) == 0) {
              Edge edge{LayerId(std::int32_t{from}), LayerId(std::int32_t{to}), {}};
              if (profile.layers[edge.from.index()].outputs.size() == 2 && random.integer(0, 1))
                edge.output = random.integer(0, 1);
              profile.edges.push_back(edge);
            }
      const std::vector<LayerId> order = topological_order(profile);
      const std::vector<Bytes> cuts = plan::boundary_bytes(profile, order);
      QCOMPARE(cuts.size(), std::size_t{8});
      for (std::size_t p = 0; p < cuts.size(); ++p) QCOMPARE(cuts[p].count, crossing(profile, order, p).count);
    }
  }

  void bytesAParameterOfEveryConvention() {
    near(bytes_a_parameter(Optimizer::adam, Precision::fp32, 0, 4), 16);
    near(bytes_a_parameter(Optimizer::momentum, Precision::fp32, 0, 4), 12);
    near(bytes_a_parameter(Optimizer::rmsprop, Precision::fp32, 0, 4), 12);
    near(bytes_a_parameter(Optimizer::sgd, Precision::fp32, 0, 4), 8);
    near(bytes_a_parameter(Optimizer::adam, Precision::mixed_16, 0, 4), 16);
    near(bytes_a_parameter(Optimizer::adam, Precision::mixed_18, 0, 4), 18);
    near(bytes_a_parameter(Optimizer::adam, Precision::mixed_20, 0, 4), 20);
    near(bytes_a_parameter(Optimizer::adam, Precision::fp32, 1, 4), 8 + 8. / 4);
    near(bytes_a_parameter(Optimizer::adam, Precision::fp32, 2, 4), 4 + 12. / 4);
    near(bytes_a_parameter(Optimizer::adam, Precision::fp32, 3, 4), 16. / 4);
    near(bytes_a_parameter(Optimizer::adam, Precision::mixed_16, 1, 4), 4 + 12. / 4);
    near(bytes_a_parameter(Optimizer::adam, Precision::mixed_16, 2, 4), 2 + 14. / 4);
    near(bytes_a_parameter(Optimizer::adam, Precision::mixed_16, 3, 4), 16. / 4);
  }

  void stashedWeightsAreTheVersionsBeyondTheFirst() {
    const MemoryBreakdown parts = cost::state_memory(Bytes(100), 1, Optimizer::sgd, Precision::fp32, 0, 4);
    QCOMPARE(parts[MemoryItem::stashed_weights].count, 300);
    QCOMPARE(parts.total().count, 500);
  }

  void optimizerTimeIsTheBytesItMoves() {
    DeviceType type = test::flat_cluster(1).device_types[0];
    QCOMPARE(cost::optimizer_time(Bytes(4000), Optimizer::adam, Precision::fp32, type).count, 0.0);
    type.memory_bandwidth = gigabytes_per_second(1);
    near(cost::optimizer_time(Bytes(4000), Optimizer::adam, Precision::fp32, type).count, 28e-6);
    near(cost::optimizer_time(Bytes(4000), Optimizer::sgd, Precision::fp32, type).count, 12e-6);
    near(cost::optimizer_time(Bytes(4000), Optimizer::rmsprop, Precision::fp32, type).count, 20e-6);
    near(cost::optimizer_time(Bytes(4000), Optimizer::momentum, Precision::mixed_18, type).count, 40e-6);
    QCOMPARE(cost::optimizer_time(Bytes(4000), Optimizer::none, Precision::fp32, type).count, 0.0);
  }

  void microBatchesThatFit() {
    Profile profile = test::uniform_profile(2, milliseconds(1), milliseconds(2));
    profile.micro_batch = 2;
    profile.layers[0].parameters = Bytes(10);
    profile.layers[0].saved = Bytes(40);
    profile.layers[1].saved = Bytes(100);
    Cluster cluster = test::flat_cluster(3);
    cluster.device_types[0].memory = Bytes(16 * 10 / 4 + 105);
    Plan plan;
    plan.micro_batch = 2;
    plan.stages.resize(2);
    plan.stages[0].first = 0, plan.stages[0].last = 1;
    plan.stages[0].devices = {DeviceId(0), DeviceId(1)};
    plan.stages[1].first = 1, plan.stages[1].last = 2;
    plan.stages[1].devices = {DeviceId(2)};
    const cost::Network network = cost::Network::of(cluster).value();
    // One sample each of 20 bytes, and 40 of weights, gradients and moments; then 100 bytes in 145.
    QCOMPARE(cost::max_in_flight_micro_batches(plan, profile, network, {}), (std::vector<int>{5, 1}));
    SimulationOptions conventions;
    conventions.reserve = Bytes(50);
    QCOMPARE(cost::max_in_flight_micro_batches(plan, profile, network, conventions), (std::vector<int>{2, 1}));
  }

  void pipedreamVersions() {
    Plan plan;
    plan.stages.resize(3);
    for (std::size_t s = 0; s < 3; ++s) plan.stages[s].devices.resize(std::vector<std::size_t>{3, 2, 1}[s]);
    QCOMPARE(cost::pipedream_versions(plan, StageId(0)), 2);
    QCOMPARE(cost::pipedream_versions(plan, StageId(1)), 2);
    QCOMPARE(cost::pipedream_versions(plan, StageId(2)), 1);
  }
};

PIPEDECK_TEST(TestCost)

}  // namespace pipedeck::tst_cost

#include "tst_cost.moc"
