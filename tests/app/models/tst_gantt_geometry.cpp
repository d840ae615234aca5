// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "app/models/gantt_geometry.hpp"
#include "app/models/gantt_wait.hpp"
#include "tests/app/models/synthetic_simulation.hpp"
#include "tests/support/test_program.hpp"

using namespace pipedeck;
using namespace pipedeck::app;

namespace {

GanttMetrics without_links() {
  GanttMetrics metrics = metrics_for(2);
  metrics.link = 0;
  return metrics;
}

}  // namespace

class TestGanttGeometry : public QObject {
  Q_OBJECT

 private slots:
  void replicas_fold_into_one_lane_until_opened() {
    const auto content = make_gantt_content(synthetic_simulation({.stages = 2, .replicas = 8}));
    QCOMPARE(content->groups.size(), std::size_t{2});
    QCOMPARE(content->groups[0].devices.size(), std::size_t{8});
    QCOMPARE(content->groups[1].stage, 1);
    const GanttGeometry folded = lay_out(*content, {}, without_links());
    QCOMPARE(folded.rows.size(), std::size_t{2});
    QCOMPARE(row_name(*content, folded.rows[0]), "G0–G7");
    QCOMPARE(row_name(*content, folded.rows[1]), "G8–G15");
    const GanttGeometry opened = lay_out(*content, {DeviceId(8)}, without_links());
    QCOMPARE(opened.rows.size(), std::size_t{9});
    QCOMPARE(row_name(*content, opened.rows[8]), "G15");
    QCOMPARE(content->group_of(DeviceId(11)), std::optional<std::size_t>(1));
    QVERIFY(!content->group_of(DeviceId(16)));
  }

  void chunks_of_a_device_are_named_and_never_folded_as_replicas() {
    // Ten ranks of a bidirectional pipeline: ranks r and 9 - r hold stages r and 9 - r, and both ends begin with 0.
    Timeline timeline;
    for (int rank = 0; rank < 10; ++rank) {
      const int down = rank < 5 ? rank : 9 - rank;
      const std::vector<TimelineRow> rows{
          {Nanoseconds(10 * rank), Nanoseconds(5), {OpKind::forward, StageId(down), rank}},
          {Nanoseconds(10 * rank + 5), Nanoseconds(5), {OpKind::forward, StageId(9 - down), rank}}};
      timeline.append_lane({LaneRole::compute, DeviceId(rank), DeviceId(rank)}, rows);
    }
    const auto content = make_gantt_content(std::make_shared<const Timeline>(timeline));
    QCOMPARE(content->most_chunks(), 2);
    QCOMPARE(content->groups[9].stages, (std::vector<int>{0, 9}));
    QCOMPARE(content->groups[9].chunk_of(9), 1);
    const GanttGeometry geometry = lay_out(*content, {}, without_links());
    QCOMPARE(geometry.rows.size(), std::size_t{10});
    QCOMPARE(row_name(*content, geometry.rows[3]), "G3 · stages 3, 6");
  }

  void many_chunks_are_counted() {
    GanttGroup group;
    group.stages = {0, 4, 8, 12, 16, 20};
    QCOMPARE(chunks_text(group), "stages 0, 4, 8, 12, +2");
    group.stages = {0, 4, 8, 12, 16};
    QCOMPARE(chunks_text(group), "stages 0, 4, 8, 12, 16");
    group.stages = {3};
    QVERIFY(chunks_text(group).isEmpty());
  }

  void a_stage_of_many_differing_replicas_shows_its_first_until_opened() {
    Timeline timeline;
    for (int device = 0; device < 10; ++device) {
      const StageId stage(device < 6 ? 0 : 1);
      const std::vector<TimelineRow> rows{
          {Nanoseconds(100 * stage.value), Nanoseconds(10), {OpKind::forward, stage, device}}};
      timeline.append_lane({LaneRole::compute, DeviceId(device), DeviceId(device)}, rows);
    }
    const auto content = make_gantt_content(std::make_shared<const Timeline>(timeline));
    QCOMPARE(content->groups.size(), std::size_t{10});
    QCOMPARE(content->followers(0), std::size_t{5});
    const GanttGeometry folded = lay_out(*content, {}, without_links());
    QCOMPARE(folded.rows.size(), std::size_t{2});
    QCOMPARE(row_name(*content, folded.rows[0]), "G0 + 5");
    QCOMPARE(row_name(*content, folded.rows[1]), "G6 + 3");
    QVERIFY(folds(*content, folded.rows[1]));
    QCOMPARE(fold_key(*content, folded.rows[1]), DeviceId(6));
    const GanttGeometry opened = lay_out(*content, {DeviceId(6)}, without_links());
    QCOMPARE(opened.rows.size(), lane_count(*content, {DeviceId(6)}));
    QCOMPARE(opened.rows.size(), std::size_t{1 + 4});
    QCOMPARE(row_name(*content, opened.rows[4]), "G9");
    QCOMPARE(fold_key(*content, opened.rows[4]), DeviceId(6));
    QCOMPARE(timeline.micro_batch[timeline.lanes[*main_lane(*content, opened.rows[4])].begin], 9);
  }

  void few_lanes_and_stages_of_one_device_stay_unfolded() {
    Timeline timeline;
    for (int device = 0; device < 12; ++device) {
      const std::vector<TimelineRow> rows{
          {Nanoseconds(device), Nanoseconds(10), {OpKind::forward, StageId(device), 0}}};
      timeline.append_lane({LaneRole::compute, DeviceId(device), DeviceId(device)}, rows);
    }
    const auto content = make_gantt_content(std::make_shared<const Timeline>(timeline));
    const GanttGeometry geometry = lay_out(*content, {}, without_links());
    QCOMPARE(geometry.rows.size(), std::size_t{12});
    QCOMPARE(row_name(*content, geometry.rows[11]), "G11");
    QVERIFY(!folds(*content, geometry.rows[11]));
  }

  void a_replica_that_differs_in_one_operation_stays_apart() {
    Timeline timeline;
    std::vector<TimelineRow> rows{{Nanoseconds(0), Nanoseconds(10), {OpKind::forward, StageId(0), 0}},
                                  {Nanoseconds(10), Nanoseconds(20), {OpKind::backward, StageId(0), 0}}};
    for (int device = 0; device < 3; ++device) {
      if (device == 1) ++rows[1].duration.count;
      if (device == 2) --rows[1].duration.count;
      timeline.append_lane({LaneRole::compute, DeviceId(device), DeviceId(device)}, rows);
    }
    const auto content = make_gantt_content(std::make_shared<const Timeline>(timeline));
    QCOMPARE(content->groups.size(), std::size_t{2});
    QCOMPARE(content->groups[0].devices, (std::vector{DeviceId(0), DeviceId(2)}));
    QCOMPARE(content->groups[1].devices, (std::vector{DeviceId(1)}));
  }

  void rows_do_not_overlap_and_are_found_by_height() {
    const auto content = make_gantt_content(synthetic_simulation({.stages = 5, .replicas = 3}));
    GanttMetrics metrics = metrics_for(15);
    metrics.pale = 9;
    const GanttGeometry geometry = lay_out(*content, {DeviceId(3)}, metrics);
    QCOMPARE(geometry.rows.size(), std::size_t{4 + 3 + 8});
    for (std::size_t i = 0; i < geometry.rows.size(); ++i) {
      const GanttRow& row = geometry.rows[i];
      QVERIFY(row.height > 0);
      if (i > 0) QVERIFY(row.top >= geometry.rows[i - 1].pale_top + geometry.rows[i - 1].pale_height);
      QCOMPARE(geometry.row_at(row.top), std::optional(i));
      QCOMPARE(geometry.row_at(row.bottom() - 1), std::optional(i));
    }
    QVERIFY(!geometry.row_at(-1));
    QVERIFY(!geometry.row_at(geometry.height));
  }

  void hit_test_finds_each_operation_at_every_zoom() {
    const auto timeline = random_timeline(2000, 4, 21);
    const auto content = make_gantt_content(timeline);
    const GanttGeometry geometry = lay_out(*content, {}, without_links());
    const double full = static_cast<double>(content->end), width = 1500;
    int checked = 0;
    for (double zoom = 1; full / zoom > 20; zoom *= 3.7)
      for (std::size_t row = 0; row < geometry.rows.size(); ++row) {
        const TimelineLane& lane = timeline->lanes[row];
        for (std::size_t i = lane.begin; i < lane.end; i += 37) {
          const double middle =
              static_cast<double>(timeline->start[i]) + static_cast<double>(timeline->duration[i]) / 2;
          const TimeAxis axis = TimeAxis{0, full, full}.zoomed(zoom, middle);
          const QPointF point(axis.to_pixel(middle, width), geometry.rows[row].top + 3);
          QCOMPARE(hit_test(*content, geometry, axis, width, point), (std::optional<GanttHit>({row, i})));
          ++checked;
        }
      }
    QVERIFY(checked > 300);
  }

  void gaps_margins_and_idle_time_hit_nothing() {
    const auto content = make_gantt_content(synthetic_simulation({.stages = 2, .replicas = 1}));
    const GanttGeometry geometry = lay_out(*content, {}, without_links());
    const TimeAxis axis{0, static_cast<double>(content->end), static_cast<double>(content->end)};
    const auto at = [&](double ms, double y) {
      return hit_test(*content, geometry, axis, 1000, {axis.to_pixel(ms * 1e6, 1000), y});
    };
    QVERIFY(at(10, geometry.rows[0].top + 5));
    QVERIFY(!at(10, geometry.rows[1].top + 5));  // stage 1 waits for its first activation
    QVERIFY(!at(10, geometry.rows[0].bottom() + 1));
    QVERIFY(!at(-30, geometry.rows[0].top + 5));
  }

  void a_narrow_operation_is_found_within_the_slack() {
    Timeline timeline;
    const std::vector<TimelineRow> rows{{Nanoseconds(500), Nanoseconds(1), {OpKind::forward, StageId(0), 3}}};
    timeline.append_lane({LaneRole::compute, DeviceId(0), DeviceId(0)}, rows);
    const auto content = make_gantt_content(std::make_shared<const Timeline>(timeline));
    const GanttGeometry geometry = lay_out(*content, {}, without_links());
    const TimeAxis axis{0, 1000, 1000};
    QVERIFY(hit_test(*content, geometry, axis, 100, {49.2, 5}, 1.0));
    QVERIFY(!hit_test(*content, geometry, axis, 100, {48.8, 5}, 1.0));
  }

  void the_strip_belongs_to_the_all_reduce() {
    const auto content = make_gantt_content(synthetic_simulation({.replicas = 2, .overlap = true}));
    const GanttGeometry geometry = lay_out(*content, {}, without_links());
    const Timeline& timeline = *content->timeline;
    const TimelineLane& collective = timeline.lanes[*content->groups[0].collective];
    const TimeAxis axis{0, static_cast<double>(content->end), static_cast<double>(content->end)};
    const double x = axis.to_pixel(static_cast<double>(timeline.start[collective.begin]) + 1e6, 1000);
    const GanttRow& row = geometry.rows[0];
    const auto low = hit_test(*content, geometry, axis, 1000, {x, row.bottom() - 1.0});
    const auto high = hit_test(*content, geometry, axis, 1000, {x, row.top + 2.0});
    QVERIFY(low && high);
    QCOMPARE(timeline.kind[low->operation], OpKind::all_reduce);
    QCOMPARE(timeline.kind[high->operation], OpKind::backward);
  }

  void steps_go_through_the_lane_and_to_the_nearest_in_the_next() {
    const auto content = make_gantt_content(synthetic_simulation({.stages = 3, .replicas = 2, .micro_batches = 6}));
    const GanttGeometry geometry = lay_out(*content, {}, without_links());
    const Timeline& timeline = *content->timeline;
    const TimelineLane& lane = timeline.lanes[*content->groups[0].compute];
    GanttHit hit{0, lane.begin};
    QCOMPARE(step_from(*content, geometry, hit, GanttStep::previous), hit);
    for (std::size_t i = lane.begin + 1; i < lane.end; ++i) {
      hit = step_from(*content, geometry, hit, GanttStep::next);
      QCOMPARE(hit, (GanttHit{0, i}));
    }
    QCOMPARE(step_from(*content, geometry, hit, GanttStep::next), hit);
    QCOMPARE(step_from(*content, geometry, hit, GanttStep::up), hit);
    QCOMPARE(step_from(*content, geometry, hit, GanttStep::down).row, std::size_t{1});
  }

  void one_operation_is_found_in_another_chart() {
    const auto content = make_gantt_content(synthetic_simulation({.stages = 2}));
    const GanttGeometry geometry = lay_out(*content, {}, without_links());
    const auto hit = find_operation(*content, geometry, {OpKind::backward, StageId(1), 2});
    QVERIFY(hit);
    QCOMPARE(content->timeline->row(hit->operation).operation, (Operation{OpKind::backward, StageId(1), 2}));
    QVERIFY(!find_operation(*content, geometry, {OpKind::backward, StageId(7), 2}));
  }

  void waits_name_their_cause() {
    const SyntheticPipeline pipeline{.stages = 3, .replicas = 2, .skew = 0};
    const auto content = make_gantt_content(synthetic_simulation(pipeline));
    const Timeline& timeline = *content->timeline;
    const std::size_t first = *content->groups[0].compute, second = *content->groups[1].compute;
    QCOMPARE(wait_of(*content, first, timeline.lanes[first].begin), GanttWait());
    const GanttWait activation = wait_of(*content, second, timeline.lanes[second].begin);
    QCOMPARE(activation.cause, WaitFor::activation);
    QCOMPARE(activation.group, std::optional<std::size_t>(0));
    QCOMPARE(activation.idle, Nanoseconds(48'000'000 + 14'000'000));
    for (std::size_t i = timeline.lanes[first].begin; i < timeline.lanes[first].end; ++i) {
      const GanttWait wait = wait_of(*content, first, i);
      if (timeline.kind[i] == OpKind::backward && wait.idle.count > 0) {
        QCOMPARE(wait.cause, WaitFor::gradient);
        QCOMPARE(wait.group, std::optional<std::size_t>(1));
      }
      if (timeline.kind[i] == OpKind::optimizer) QCOMPARE(wait.cause, WaitFor::all_reduce);
    }
  }

  void an_empty_timeline_has_no_rows() {
    const auto content = make_gantt_content(std::make_shared<const Timeline>());
    QVERIFY(content->empty());
    QCOMPARE(lay_out(*content, {}, GanttMetrics()).height, 0);
    QVERIFY(!make_gantt_content(std::shared_ptr<const Timeline>()));
  }
};

PIPEDECK_TEST(TestGanttGeometry)
#include "tst_gantt_geometry.moc"
