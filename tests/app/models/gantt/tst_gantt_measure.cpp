// SPDX-License-Identifier: GPL-3.0-or-later
// The sums of a span, what its ends snap to, and the frame in the overview.
#include <cmath>
#include <numeric>
#include <random>

#include <QTest>

#include "app/models/gantt/measure.hpp"
#include "app/models/gantt/minimap_geometry.hpp"
#include "app/models/gantt/preview.hpp"
#include "tests/app/models/synthetic_simulation.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_gantt_measure {

class TestGanttMeasure : public QObject {
  Q_OBJECT

 private slots:
  void sums_are_those_of_a_walk() {
    const auto timeline = app::random_timeline(30'000, 3, 11);
    std::mt19937_64 random(1);
    const auto end = timeline->makespan().count;
    for (const TimelineLane& lane : timeline->lanes) {
      const models::gantt::LaneSums sums = models::gantt::sum_lane(*timeline, lane);
      for (int round = 0; round < 200; ++round) {
        auto from = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
        auto to = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
        if (round == 0) from = 0, to = 2 * end;
        if (to < from) std::swap(from, to);
        models::gantt::KindTimes expected{};
        for (std::size_t i = lane.begin; i < lane.end; ++i) {
          const std::int64_t begin = std::max(from, timeline->start[i]);
          const std::int64_t over = std::min(to, timeline->start[i] + timeline->duration[i]);
          if (over > begin) expected[static_cast<std::size_t>(timeline->kind[i])] += over - begin;
        }
        QCOMPARE(models::gantt::busy_between(*timeline, lane, sums, from, to), expected);
      }
      QCOMPARE(models::gantt::busy_between(*timeline, lane, sums, 500, 500), models::gantt::KindTimes{});
    }
  }

  void parts_add_up_to_the_span() {
    for (const bool overlap : {false, true}) {
      const auto content = models::gantt::make_gantt_content(
          app::synthetic_simulation({.stages = 3, .replicas = 4, .overlap = overlap}));
      const auto end = static_cast<double>(content->end);
      for (const auto& [from, to] : {std::pair(0.0, end), std::pair(end / 3, end / 2), std::pair(end, end * 0.9)}) {
        const models::gantt::SpanSums sums = models::gantt::sum_span(*content, from, to);
        QCOMPARE(sums.all.devices.size(), std::size_t{12});
        QCOMPARE(sums.end.count - sums.begin.count,
                 std::llround(std::max(from, to)) - std::llround(std::min(from, to)));
        QCOMPARE(sums.all.working() + sums.all.idle, sums.all.total());
        QVERIFY(sums.all.idle >= 0);
        QCOMPARE(sums.places.size(), std::size_t{3});
        models::gantt::KindTimes busy{}, count{};
        std::int64_t idle = 0, overlapped = 0;
        for (const models::gantt::PlaceSums& place : sums.places) {
          QCOMPARE(place.devices.size(), std::size_t{4});
          QCOMPARE(place.working() + place.idle, place.total());
          for (std::size_t kind = 0; kind < busy.size(); ++kind)
            busy[kind] += place.busy[kind], count[kind] += place.count[kind];
          idle += place.idle;
          overlapped += place.overlapped;
        }
        QCOMPARE(busy, sums.all.busy);
        QCOMPARE(count, sums.all.count);
        QCOMPARE(idle, sums.all.idle);
        QCOMPARE(overlapped, sums.all.overlapped);
      }
    }
  }

  /// Sums and counts are those of a walk over every device's operations.
  void spans_are_those_of_a_walk() {
    const auto simulation =
        app::synthetic_simulation({.stages = 3, .replicas = 2, .micro_batches = 9, .overlap = true});
    const auto content = models::gantt::make_gantt_content(simulation);
    const Timeline& timeline = simulation->timeline;
    std::mt19937_64 random(4);
    for (int round = 0; round < 60; ++round) {
      auto from = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(content->end));
      auto to = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(content->end));
      if (to < from) std::swap(from, to);
      if (from == to) continue;
      models::gantt::KindTimes busy{}, count{};
      for (const TimelineLane& lane : timeline.lanes) {
        if (lane.role == LaneRole::link) continue;
        for (std::size_t i = lane.begin; i < lane.end; ++i) {
          const std::int64_t inside =
              std::min(to, timeline.start[i] + timeline.duration[i]) - std::max(from, timeline.start[i]);
          if (inside <= 0) continue;
          ++count[static_cast<std::size_t>(timeline.kind[i])];
          busy[static_cast<std::size_t>(timeline.kind[i])] += inside;
        }
      }
      const models::gantt::SpanSums sums =
          models::gantt::sum_span(*content, static_cast<double>(from), static_cast<double>(to));
      QCOMPARE(sums.all.count, count);
      busy[static_cast<std::size_t>(OpKind::all_reduce)] -= sums.all.overlapped;
      QCOMPARE(sums.all.busy, busy);
    }
  }

  void a_whole_iteration_has_the_simulation_s_busy_time() {
    const auto simulation = app::synthetic_simulation({.stages = 2, .replicas = 2, .overlap = true});
    const auto content = models::gantt::make_gantt_content(simulation);
    const models::gantt::SpanSums sums = models::gantt::sum_span(*content, 0, static_cast<double>(content->end));
    std::int64_t computing = 0;
    for (const TimelineLane& lane : simulation->timeline.lanes)
      if (lane.role == LaneRole::compute)
        for (std::size_t i = lane.begin; i < lane.end; ++i) computing += simulation->timeline.duration[i];
    QCOMPARE(sums.all.working() - sums.all.busy[static_cast<std::size_t>(OpKind::all_reduce)], computing);
    QVERIFY(sums.all.overlapped > 0);
    QVERIFY(sums.places[0].busy[static_cast<std::size_t>(OpKind::forward)] > 0);
  }

  void cursors_snap_to_edges_at_every_zoom() {
    const auto content = models::gantt::make_gantt_content(app::synthetic_simulation({}));
    const models::gantt::Geometry geometry = models::gantt::lay_out(*content, {}, {});
    models::gantt::TimeAxis axis{0, static_cast<double>(content->end), static_cast<double>(content->end)};
    const TimelineLane& lane = content->timeline->lanes[*content->groups[1].compute];
    const auto edge = static_cast<double>(content->timeline->start[lane.begin + 1]);
    const double y = geometry.rows[1].top + 5;
    for (int zoom = 0; zoom < 20; ++zoom) {
      const double x = axis.to_pixel(edge, 900);
      QCOMPARE(models::gantt::snap_time(*content, geometry, axis, 900, {x + 4, y}, 6), std::optional(edge));
      QCOMPARE(models::gantt::snap_time(*content, geometry, axis, 900, {x - 4, y}, 6), std::optional(edge));
      axis = axis.zoomed(1.7, edge);
    }
    QVERIFY(!models::gantt::snap_time(*content, geometry, axis, 900, {axis.to_pixel(edge, 900) + 40, y}, 6));
  }

  void the_frame_in_the_overview_follows_the_axis() {
    const models::gantt::TimeAxis axis{200, 400, 1000};
    const models::gantt::MinimapFrame frame = models::gantt::minimap_frame(axis, 500);
    QCOMPARE(frame.left, 100.0);
    QCOMPARE(frame.right, 200.0);
    QCOMPARE(models::gantt::minimap_grip(frame, 100), models::gantt::MinimapGrip::left);
    QCOMPARE(models::gantt::minimap_grip(frame, 202), models::gantt::MinimapGrip::right);
    QCOMPARE(models::gantt::minimap_grip(frame, 150), models::gantt::MinimapGrip::inside);
    QCOMPARE(models::gantt::minimap_grip(frame, 300), models::gantt::MinimapGrip::none);
    QCOMPARE(models::gantt::minimap_dragged(axis, models::gantt::MinimapGrip::inside, 50, 500),
             (models::gantt::TimeAxis{300, 500, 1000}));
    QCOMPARE(models::gantt::minimap_dragged(axis, models::gantt::MinimapGrip::inside, 5000, 500),
             (models::gantt::TimeAxis{800, 1000, 1000}));
    QCOMPARE(models::gantt::minimap_dragged(axis, models::gantt::MinimapGrip::left, -50, 500),
             (models::gantt::TimeAxis{100, 400, 1000}));
    QCOMPARE(models::gantt::minimap_dragged(axis, models::gantt::MinimapGrip::left, 500, 500),
             (models::gantt::TimeAxis{390, 400, 1000}));
    QCOMPARE(models::gantt::minimap_dragged(axis, models::gantt::MinimapGrip::right, 5000, 500),
             (models::gantt::TimeAxis{200, 1000, 1000}));
    QCOMPARE(models::gantt::minimap_centred(axis, 250, 500), (models::gantt::TimeAxis{400, 600, 1000}));
    const models::gantt::MinimapFrame sliver = models::gantt::minimap_frame({999, 1000, 1000}, 500);
    QCOMPARE(sliver.right - sliver.left, 6.0);
    QVERIFY(sliver.right <= 500);
  }

  void a_preview_looks_like_the_whole() {
    const auto timeline = app::random_timeline(200'000, 4, 9);
    const auto preview = models::gantt::make_gantt_preview(*timeline);
    const auto whole = models::gantt::make_gantt_content(timeline);
    QVERIFY(preview->preview && !whole->preview);
    QCOMPARE(preview->end, whole->end);
    QCOMPARE(preview->groups.size(), whole->groups.size());
    for (std::size_t lane = 0; lane < 4; ++lane) {
      const auto share = [&](const models::gantt::Content& content) {
        models::gantt::KindTimes busy = models::gantt::busy_between(*content.timeline, content.timeline->lanes[lane],
                                                                    content.sums[lane], 0, content.end);
        return static_cast<double>(std::accumulate(busy.begin(), busy.end(), std::int64_t{0})) /
               static_cast<double>(content.end);
      };
      QVERIFY(std::abs(share(*preview) - share(*whole)) < 0.05);
    }
  }
};

PIPEDECK_TEST(TestGanttMeasure)

}  // namespace pipedeck::tst_gantt_measure

#include "tst_gantt_measure.moc"
