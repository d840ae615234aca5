// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include <algorithm>
#include <random>

#include "app/models/memory/curves.hpp"
#include "tests/app/models/synthetic_simulation.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_memory_curves {

class TestMemoryCurves : public QObject {
  Q_OBJECT

 private slots:
  void devices_with_the_same_curve_share_one() {
    const auto curves = models::memory::make_memory_curves(app::synthetic_simulation({.stages = 3, .replicas = 4}));
    QCOMPARE(curves->curves.size(), std::size_t{3});
    QCOMPARE(curves->curves[1].devices.size(), std::size_t{4});
    QCOMPARE(curves->curves[1].stage, 1);
    QCOMPARE(curves->capacities.size(), std::size_t{1});
    QVERIFY(!models::memory::make_memory_curves(nullptr));
  }

  void the_axis_ends_at_a_small_peak() {
    const auto curves = [](std::int64_t peak, std::int64_t upper, std::int64_t capacity) {
      auto simulation = std::make_shared<Simulation>();
      SimulatedDevice device;
      device.curve = {{Nanoseconds(0), Bytes(peak)}};
      device.peak = Bytes(peak), device.peak_upper_bound = Bytes(upper), device.capacity = Bytes(capacity);
      simulation->devices = {device};
      return models::memory::make_memory_curves(simulation);
    };
    QVERIFY(curves(10, 19, 100)->cut());
    QCOMPARE(curves(10, 19, 100)->axis_top.count, std::int64_t{19});
    QVERIFY(!curves(10, 20, 100)->cut());
    QCOMPARE(curves(10, 20, 100)->axis_top.count, std::int64_t{100});
    QVERIFY(!curves(0, 0, 100)->cut());
    QVERIFY(!curves(150, 160, 100)->cut());
  }

  void ranges_equal_a_look_at_every_point() {
    auto simulation = std::make_shared<Simulation>();
    SimulatedDevice simulated;
    std::mt19937 random(4);
    std::int64_t time = 0;
    for (int i = 0; i < 3000; ++i) {
      simulated.curve.push_back({Nanoseconds(time), Bytes(static_cast<std::int64_t>(random() % 1'000'000))});
      time += 1 + static_cast<std::int64_t>(random() % 50);
    }
    simulation->devices.push_back(simulated);
    const auto curves = models::memory::make_memory_curves(simulation);
    const models::memory::Curve& curve = curves->curves.front();
    for (int i = 0; i < 500; ++i) {
      const auto begin = static_cast<double>(random() % static_cast<std::uint32_t>(time));
      const double end = begin + static_cast<double>(random() % static_cast<std::uint32_t>(time));
      models::memory::Range expected{std::numeric_limits<std::int64_t>::max(), 0};
      for (std::size_t p = 0; p < simulated.curve.size(); ++p) {
        const auto from = static_cast<double>(simulated.curve[p].time.count);
        const double to =
            p + 1 < simulated.curve.size() ? static_cast<double>(simulated.curve[p + 1].time.count) : 1e18;
        if (to <= begin || from > end) continue;
        expected.least = std::min(expected.least, simulated.curve[p].bytes.count);
        expected.most = std::max(expected.most, simulated.curve[p].bytes.count);
      }
      QCOMPARE(curve.range(begin, end), expected);
    }
    for (const double span : {0.4, 7.3, 91.0}) {
      const std::vector<models::memory::Range> ranges = curve.ranges(11, span, 300);
      for (std::size_t i = 0; i < ranges.size(); ++i) {
        const auto place = static_cast<double>(i);
        QCOMPARE(ranges[i], curve.range(11 + place * span, 11 + (place + 1) * span));
      }
    }
  }
};

PIPEDECK_TEST(TestMemoryCurves)

}  // namespace pipedeck::tst_memory_curves

#include "tst_memory_curves.moc"
