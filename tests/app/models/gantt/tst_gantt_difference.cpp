// SPDX-License-Identifier: GPL-3.0-or-later
// The difference between two plans' timelines, device by device.
#include <QTest>

#include "app/models/gantt/difference.hpp"
#include "tests/app/models/synthetic_simulation.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_gantt_difference {

using Rows = std::vector<TimelineRow>;

TimelineRow row(std::int64_t start, std::int64_t duration, OpKind kind, int micro_batch, int stage = 0) {
  return {Nanoseconds(start), Nanoseconds(duration), {kind, StageId(stage), micro_batch}};
}

std::shared_ptr<const models::gantt::Content> content_of(const std::vector<Rows>& devices) {
  auto timeline = std::make_shared<Timeline>();
  for (std::size_t i = 0; i < devices.size(); ++i)
    timeline->append_lane({LaneRole::compute, DeviceId(i), DeviceId(i)}, devices[i]);
  return models::gantt::make_gantt_content(std::shared_ptr<const Timeline>(timeline));
}

Rows spans_of(const models::gantt::Content& content, int device) {
  Rows rows;
  const TimelineLane& lane = content.timeline->lanes[static_cast<std::size_t>(device)];
  for (std::size_t i = lane.begin; i < lane.end; ++i) rows.push_back(content.timeline->row(i));
  return rows;
}

models::gantt::Difference what(const TimelineRow& span) {
  return static_cast<models::gantt::Difference>(span.operation.kind);
}

class TestGanttDifference : public QObject {
  Q_OBJECT

 private slots:
  void a_plan_differs_from_itself_in_nothing() {
    const auto content = models::gantt::make_gantt_content(app::synthetic_simulation({.stages = 3, .replicas = 2}));
    const auto difference = models::gantt::make_difference(content, content);
    QCOMPARE(difference->gained + difference->lost + difference->other, std::int64_t{0});
    QCOMPARE(difference->busy->timeline->size(), std::size_t{0});
    QCOMPARE(difference->lag->timeline->size(), std::size_t{0});
    QVERIFY(difference->matched > 0);
  }

  void spans_tell_who_is_busy() {
    using enum OpKind;
    const auto from = content_of({{row(0, 100, forward, 0), row(100, 50, backward, 0)}});
    const auto to = content_of({{row(20, 100, forward, 0), row(130, 50, backward, 0)}});
    const auto difference = models::gantt::make_difference(from, to);
    const Rows spans = spans_of(*difference->busy, 0);
    QCOMPARE(spans.size(), std::size_t{4});
    QCOMPARE(what(spans[0]), models::gantt::Difference::gained);  // 0-20: the first alone
    QCOMPARE(spans[0].end().count, std::int64_t{20});
    QCOMPARE(what(spans[1]), models::gantt::Difference::other);  // 100-120: forward against backward
    QCOMPARE(spans[1].start.count, std::int64_t{100});
    QCOMPARE(what(spans[2]), models::gantt::Difference::gained);  // 120-130
    QCOMPARE(what(spans[3]), models::gantt::Difference::lost);    // 150-180
    QCOMPARE(difference->gained, std::int64_t{30});
    QCOMPARE(difference->lost, std::int64_t{30});
    QCOMPARE(difference->other, std::int64_t{20});
  }

  void lag_is_that_of_the_same_operation_wherever_it_runs() {
    using enum OpKind;
    const auto from = content_of({{row(0, 1000, forward, 0), row(1000, 1000, forward, 1)}, {}});
    const auto to = content_of({{row(5, 1000, forward, 0)}, {row(400, 1000, forward, 1), row(1400, 10, forward, 2)}});
    const auto difference = models::gantt::make_difference(from, to);
    const Rows first = spans_of(*difference->lag, 0), second = spans_of(*difference->lag, 1);
    QCOMPARE(first.size(), std::size_t{1});
    QCOMPARE(what(first[0]), models::gantt::Difference::later);  // by a 400th
    QCOMPARE(second.size(), std::size_t{1});
    QCOMPARE(what(second[0]), models::gantt::Difference::gained);
    QCOMPARE(difference->matched, std::size_t{2});
    QCOMPARE(difference->unmatched, std::size_t{1});
    QCOMPARE(difference->start_in_first({forward, StageId(0), 1}), std::optional<std::int64_t>(1000));
    QVERIFY(!difference->start_in_first({forward, StageId(7), 1}));
    QVERIFY(!difference->start_in_first({all_reduce, StageId(0), -1}));
  }

  void busy_time_balances() {
    const auto from = models::gantt::make_gantt_content(app::synthetic_simulation({.stages = 2, .replicas = 8}));
    const auto to =
        models::gantt::make_gantt_content(app::synthetic_simulation({.stages = 4, .replicas = 4, .micro_batches = 8}));
    const auto difference = models::gantt::make_difference(from, to);
    const auto busy = [](const models::gantt::Content& content) {
      std::int64_t time = 0;
      for (const TimelineLane& lane : content.timeline->lanes)
        if (lane.role == LaneRole::compute)
          for (std::size_t i = lane.begin; i < lane.end; ++i) time += content.timeline->duration[i];
      return time;
    };
    QCOMPARE(busy(*to) - busy(*from), difference->lost - difference->gained);
    QCOMPARE(difference->busy->timeline->lanes.size(), std::size_t{16});
  }

  void stops_and_needs_both() {
    const auto content = models::gantt::make_gantt_content(app::synthetic_simulation({}));
    QVERIFY(!models::gantt::make_difference(content, nullptr));
    std::stop_source stop;
    stop.request_stop();
    QVERIFY(!models::gantt::make_difference(content, content, stop.get_token()));
  }
};

PIPEDECK_TEST(TestGanttDifference)

}  // namespace pipedeck::tst_gantt_difference

#include "tst_gantt_difference.moc"
