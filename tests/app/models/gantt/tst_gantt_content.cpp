// SPDX-License-Identifier: GPL-3.0-or-later
// Passes of a chart with the share of tensor-parallel all-reduces inside them.
#include "app/models/gantt/content.hpp"

#include <QTest>

#include "tests/support/test_program.hpp"

namespace pipedeck::tst_gantt_content {

class TestGanttContent : public QObject {
  Q_OBJECT

 private:
  /// Two devices of two stages; the second stage's passes contain all-reduces.
  static std::shared_ptr<const Simulation> simulation(bool reduces) {
    auto made = std::make_shared<Simulation>();
    for (int d = 0; d < 2; ++d) {
      const TimelineRow rows[] = {
          {Nanoseconds(10 * d), Nanoseconds(10), {OpKind::forward, StageId(std::int32_t{d}), 0}},
          {Nanoseconds(40 + 20 * d), Nanoseconds(20), {OpKind::backward, StageId(std::int32_t{d}), 0}}};
      made->timeline.append_lane({LaneRole::compute, DeviceId(d), DeviceId(d), 0, 0}, rows);
      SimulatedDevice& device = made->devices.emplace_back();
      device.device = DeviceId(d);
      if (d == 0 || !reduces) continue;
      TensorParallelTimes& times = device.tensor_parallel.emplace_back();
      times.stage = StageId(std::int32_t{1});
      times.times[static_cast<std::size_t>(OpKind::forward)] = Nanoseconds(4);
      times.times[static_cast<std::size_t>(OpKind::backward)] = Nanoseconds(25);
    }
    return made;
  }

 private slots:
  void sharesAreOfTheDevicesOwnPasses() {
    const auto content = models::gantt::make_gantt_content(simulation(true));
    const auto share = [&](std::size_t lane, std::size_t nth) {
      return content->reduced_share(lane, content->timeline->lanes[lane].begin + nth);
    };
    QCOMPARE(share(0, 0), 0.);
    QCOMPARE(share(1, 0), 0.4);
    QCOMPARE(share(1, 1), 1.);  // never more than the pass, however it was slowed
    QCOMPARE(content->reduced_share(99, 0), 0.);
  }

  void plansWithoutThemHaveNone() {
    const auto content = models::gantt::make_gantt_content(simulation(false));
    QVERIFY(content->tensor_parallel.empty());
    QCOMPARE(content->reduced_share(1, content->timeline->lanes[1].begin), 0.);
  }
};

PIPEDECK_TEST(TestGanttContent)

}  // namespace pipedeck::tst_gantt_content

#include "tst_gantt_content.moc"
