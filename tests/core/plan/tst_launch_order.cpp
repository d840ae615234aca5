// SPDX-License-Identifier: Apache-2.0
// The launch order against every order of the nodes.
#include <QtTest/QTest>

#include <algorithm>
#include <numeric>

#include "core/plan/launch_order.hpp"
#include "core/plan/validate.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_launch_order {

/// Returns nodes of these numbers of devices under one switch.
Cluster nodes_of(const std::vector<int>& counts) {
  Cluster cluster;
  cluster.device_types = {{.name = "device",
                           .memory = Bytes(1),
                           .peak_tflops = {},
                           .memory_bandwidth = {},
                           .price_per_hour = {},
                           .extra = {}}};
  cluster.switches = {{"switch"}};
  for (const int count : counts) {
    Node node;
    node.name = "n" + std::to_string(cluster.nodes.size());
    node.devices = {{"device", count}};
    cluster.nodes.push_back(node);
  }
  return cluster;
}

/// Returns true if some order of the nodes, each with its used devices ascending, is the order of the processes.
bool launchable(const Plan& plan, const Cluster& cluster) {
  const std::vector<Device> all = devices_of(cluster);
  const std::vector<DeviceId> wanted = plan::devices_by_process(plan), used = devices_used(plan);
  std::vector<std::size_t> order(cluster.nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  do {
    std::vector<DeviceId> devices;
    for (const std::size_t node : order)
      for (const DeviceId device : used)
        if (all[device.index()].node.index() == node) devices.push_back(device);
    if (devices == wanted) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

/// Stages of random widths on random devices.
Plan random_pipeline(test::Random& random, int devices) {
  std::vector<DeviceId> left;
  for (int d = 0; d < devices; ++d) left.emplace_back(std::int32_t{d});
  if (random.integer(0, 2) == 0)
    for (std::size_t d = left.size(); d > 1; --d)
      std::swap(left[d - 1], left[static_cast<std::size_t>(random.integer(0, static_cast<int>(d) - 1))]);
  else if (random.integer(0, 1) == 0)
    std::swap(left[static_cast<std::size_t>(random.integer(0, devices - 1))],
              left[static_cast<std::size_t>(random.integer(0, devices - 1))]);
  else
    std::rotate(left.begin(), left.begin() + random.integer(0, devices - 1), left.end());
  left.resize(static_cast<std::size_t>(random.integer(1, devices)));
  Plan plan;
  while (!left.empty()) {
    Stage stage;
    stage.first = static_cast<int>(plan.stages.size()), stage.last = stage.first + 1;
    const auto width = random.integer(1, static_cast<int>(left.size()));
    stage.devices.assign(left.begin(), left.begin() + width);
    left.erase(left.begin(), left.begin() + width);
    plan.stages.push_back(stage);
  }
  return plan;
}

class TestLaunchOrder : public QObject {
  Q_OBJECT

 private slots:
  void against_all_orders_of_nodes() {
    test::Random random(1);
    int can = 0, cannot = 0;
    for (int i = 0; i < 3000; ++i) {
      std::vector<int> nodes(static_cast<std::size_t>(random.integer(1, 4)));
      for (int& devices : nodes) devices = random.integer(1, 3);
      const Cluster cluster = nodes_of(nodes);
      const Plan plan = random_pipeline(random, std::accumulate(nodes.begin(), nodes.end(), 0));
      const bool expected = launchable(plan, cluster);
      QCOMPARE(!plan::first_out_of_launch_order(plan, cluster).has_value(), expected);
      ++(expected ? can : cannot);
      const auto moved = plan::in_launch_order(plan, cluster);
      QCOMPARE(moved.has_value(), !expected);
      if (!moved) continue;
      QVERIFY(launchable(*moved, cluster));
      QCOMPARE(moved->stages.size(), plan.stages.size());
      for (std::size_t s = 0; s < plan.stages.size(); ++s)
        QCOMPARE(moved->stages[s].devices.size(), plan.stages[s].devices.size());
    }
    QVERIFY(can > 500 && cannot > 500);
  }

  /// Chunks of one pipeline rank stay on its devices.
  void chunks_stay_together() {
    Plan plan;
    for (const int device : {1, 0, 1, 0}) {
      Stage stage;
      stage.first = static_cast<int>(plan.stages.size()), stage.last = stage.first + 1;
      stage.devices = {DeviceId(std::int32_t{device})};
      plan.stages.push_back(stage);
    }
    plan.schedule = ScheduleKind::interleaved;
    const auto moved = plan::in_launch_order(plan, nodes_of({2}));
    QVERIFY(moved.has_value());
    for (std::size_t s = 0; s < 4; ++s)
      QCOMPARE(moved->stages[s].devices, std::vector<DeviceId>{DeviceId(static_cast<std::int32_t>(s % 2))});
  }

  /// Unlike devices do not change places.
  void unlike_devices_stay() {
    Cluster cluster = nodes_of({2});
    Plan plan;
    Stage stage;
    stage.last = 1, stage.devices = {DeviceId(std::int32_t{1}), DeviceId(std::int32_t{0})};
    plan.stages.push_back(stage);
    QVERIFY(plan::in_launch_order(plan, cluster).has_value());
    cluster.device_types.push_back(cluster.device_types.front());
    cluster.device_types.back().name = "other";
    QVERIFY(!plan::in_launch_order(plan, cluster).has_value());
  }
};

PIPEDECK_TEST(TestLaunchOrder)

}  // namespace pipedeck::tst_launch_order

#include "tst_launch_order.moc"
