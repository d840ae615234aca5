// SPDX-License-Identifier: Apache-2.0
// Causes of idle time: busy time and idle time by cause add up, and each cause is the event at which the device
// continued. Arrivals are read from the timeline and the schedule's own lists; no code is shared with core/sim.
#include <QtTest/QTest>

#include <map>
#include <set>

#include "tests/core/sim/every_schedule.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_idle {

using test::Drawn;
using test::Networks;

bool takes_gradient(OpKind kind) { return kind == OpKind::backward || kind == OpKind::backward_input; }

/// A table of end times: (sending stage, micro-batch, time) of transfers, and of passes on each device.
class Ends {
 public:
  explicit Ends(const Timeline& timeline) {
    for (const TimelineLane& lane : timeline.lanes)
      for (std::size_t i = lane.begin; i < lane.end; ++i) {
        const TimelineRow row = timeline.row(i);
        const Key key{row.operation.stage.value, row.operation.micro_batch, row.end().count};
        if (lane.role == LaneRole::link) transfers_.insert(key);
        if (lane.role == LaneRole::compute && row.operation.kind == OpKind::forward) forwards_[lane.device].insert(key);
        if (lane.role == LaneRole::compute && takes_gradient(row.operation.kind)) backwards_[lane.device].insert(key);
      }
  }

  bool brought(DeviceId device, const Operation& operation, std::int64_t at) {
    const bool gradient = takes_gradient(operation.kind);
    const Key key{operation.stage.value + (gradient ? 1 : -1), operation.micro_batch, at};
    return transfers_.contains(key) || (gradient ? backwards_ : forwards_)[device].contains(key);
  }

 private:
  using Key = std::tuple<int, int, std::int64_t>;
  std::set<Key> transfers_;
  std::map<DeviceId, std::set<Key>> forwards_, backwards_;
};

struct Waits {
  std::int64_t activation = 0, gradient = 0;  // ns
  int of_second = 0;                          // overlapped operations that waited for the second one's
};

Waits waits_of(const DeviceLane& list, const Timeline& timeline, const TimelineLane& lane, Ends& ends) {
  Waits waits;
  for (int i = 1; i < operation_count(list.order); ++i) {
    const std::size_t row = lane.begin + static_cast<std::size_t>(i);
    const std::int64_t start = timeline.start[row], gap = start - timeline.row(row - 1).end().count;
    if (gap == 0) continue;
    Operation waiting = operation_at(list.order, i);
    if (waiting.overlapped_with_next && !ends.brought(lane.device, waiting, start)) {
      waiting = operation_at(list.order, i + 1);
      ++waits.of_second;
      if (!ends.brought(lane.device, waiting, start)) qFatal("neither of two joined operations was waited for");
    }
    const bool activation = waiting.kind == OpKind::forward || waiting.kind == OpKind::recompute;
    (activation ? waits.activation : waits.gradient) += gap;
  }
  return waits;
}

class TestIdle : public QObject {
  Q_OBJECT
 private slots:
  void busyAndIdleAddUp() {
    test::for_random_plans(1, test::random_problems(320), Networks::either, [](test::Random&, const Drawn& drawn) {
      const Simulation simulation = drawn.simulator.run(drawn.plan).value();
      IdleBreakdown all;
      for (std::size_t d = 0; d < simulation.devices.size(); ++d) {
        const SimulatedDevice& device = simulation.devices[d];
        const TimelineLane& lane = simulation.timeline.lanes[d];
        QVERIFY(device.device == lane.device && lane.role == LaneRole::compute);
        QVERIFY(device.busy + device.idle.total() == simulation.iteration);
        for (const Nanoseconds part : {device.idle.warmup, device.idle.drain, device.idle.waiting_activation,
                                       device.idle.waiting_gradient, device.idle.waiting_all_reduce})
          QVERIFY(part.count >= 0 || !drawn.plan.synchronous());
        all += device.idle;
        if (!drawn.plan.synchronous()) continue;
        std::int64_t busy = 0;
        for (std::size_t i = lane.begin; i < lane.end; ++i) busy += simulation.timeline.duration[i];
        QCOMPARE(device.busy.count, busy);
      }
      QVERIFY(all == simulation.idle);
    });
  }

  void causesAreWhatCame() {
    int of_second = 0;
    test::for_random_plans(2, test::random_problems(320), Networks::either, [&](test::Random&, const Drawn& drawn) {
      if (!drawn.plan.synchronous()) return;
      const Simulation simulation = drawn.simulator.run(drawn.plan).value();
      Ends ends(simulation.timeline);
      for (const DeviceLane& list : drawn.schedule.lanes)
        for (std::size_t d = 0; d < simulation.devices.size(); ++d) {
          if (simulation.devices[d].device != list.device) continue;
          const Waits waits = waits_of(list, simulation.timeline, simulation.timeline.lanes[d], ends);
          QCOMPARE(simulation.devices[d].idle.waiting_activation.count, waits.activation);
          QCOMPARE(simulation.devices[d].idle.waiting_gradient.count, waits.gradient);
          of_second += waits.of_second;
        }
    });
    QVERIFY2(of_second > 0, "joined operations that waited for what the second one needs are to be among them");
  }
};

PIPEDECK_TEST(TestIdle)

}  // namespace pipedeck::tst_idle

#include "tst_idle.moc"
