// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "app/models/gantt/geometry.hpp"
#include "app/models/gantt/wait.hpp"
#include "tests/app/models/synthetic_simulation.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_gantt_geometry {

models::gantt::Metrics without_links() {
  models::gantt::Metrics metrics = models::gantt::metrics_for(2);
  metrics.link = 0;
  return metrics;
}

class TestGanttGeometry : public QObject {
  Q_OBJECT

 private slots:
  void replicas_fold_into_one_lane_until_opened() {
    const auto content = models::gantt::make_gantt_content(app::synthetic_simulation({.stages = 2, .replicas = 8}));
    QCOMPARE(content->groups.size(), std::size_t{2});
    QCOMPARE(content->groups[0].devices.size(), std::size_t{8});
    QCOMPARE(content->groups[1].stage, 1);
    const models::gantt::Geometry folded = models::gantt::lay_out(*content, {}, without_links());
    QCOMPARE(folded.rows.size(), std::size_t{2});
    QCOMPARE(models::gantt::row_name(*content, folded.rows[0]), "G0–G7");
    QCOMPARE(models::gantt::row_name(*content, folded.rows[1]), "G8–G15");
    const models::gantt::Geometry opened = models::gantt::lay_out(*content, {DeviceId(8)}, without_links());
    QCOMPARE(opened.rows.size(), std::size_t{9});
    QCOMPARE(models::gantt::row_name(*content, opened.rows[8]), "G15");
    QCOMPARE(models::gantt::stage_badge(*content, folded.rows[1]), "S1");
    QVERIFY(models::gantt::stage_badge(*content, opened.rows[8]).isEmpty());  // that of its lane stands above
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
    const auto content = models::gantt::make_gantt_content(std::make_shared<const Timeline>(timeline));
    QCOMPARE(content->max_chunks(), 2);
    QCOMPARE(content->groups[9].stages, (std::vector<int>{0, 9}));
    QCOMPARE(content->groups[9].chunk_of(9), 1);
    const models::gantt::Geometry geometry = models::gantt::lay_out(*content, {}, without_links());
    QCOMPARE(geometry.rows.size(), std::size_t{10});
    QCOMPARE(models::gantt::row_name(*content, geometry.rows[3]), "G3 · stages 3, 6");
    QVERIFY(models::gantt::stage_badge(*content, geometry.rows[3]).isEmpty());
  }

  void many_chunks_are_counted() {
    models::gantt::Group group;
    group.stages = {0, 4, 8, 12, 16, 20};
    QCOMPARE(models::gantt::chunks_text(group), "stages 0, 4, 8, 12, +2");
    group.stages = {0, 4, 8, 12, 16};
    QCOMPARE(models::gantt::chunks_text(group), "stages 0, 4, 8, 12, 16");
    group.stages = {3};
    QVERIFY(models::gantt::chunks_text(group).isEmpty());
  }

  void a_stage_of_many_differing_replicas_shows_its_first_until_opened() {
    Timeline timeline;
    for (int device = 0; device < 10; ++device) {
      const StageId stage(device < 6 ? 0 : 1);
      const std::vector<TimelineRow> rows{
          {Nanoseconds(100 * stage.value), Nanoseconds(10), {OpKind::forward, stage, device}}};
      timeline.append_lane({LaneRole::compute, DeviceId(device), DeviceId(device)}, rows);
    }
    const auto content = models::gantt::make_gantt_content(std::make_shared<const Timeline>(timeline));
    QCOMPARE(content->groups.size(), std::size_t{10});
    QCOMPARE(content->represented_devices(0), std::size_t{5});
    const models::gantt::Geometry folded = models::gantt::lay_out(*content, {}, without_links());
    QCOMPARE(folded.rows.size(), std::size_t{2});
    QCOMPARE(models::gantt::row_name(*content, folded.rows[0]), "G0 + 5");
    QCOMPARE(models::gantt::row_name(*content, folded.rows[1]), "G6 + 3");
    QCOMPARE(models::gantt::stage_badge(*content, folded.rows[0]), "S0");
    QVERIFY(models::gantt::folds(*content, folded.rows[1]));
    QCOMPARE(models::gantt::fold_key(*content, folded.rows[1]), DeviceId(6));
    const models::gantt::Geometry opened = models::gantt::lay_out(*content, {DeviceId(6)}, without_links());
    QCOMPARE(opened.rows.size(), models::gantt::lane_count(*content, {DeviceId(6)}));
    QCOMPARE(opened.rows.size(), std::size_t{1 + 4});
    QCOMPARE(models::gantt::row_name(*content, opened.rows[4]), "G9");
    QCOMPARE(models::gantt::fold_key(*content, opened.rows[4]), DeviceId(6));
    QCOMPARE(timeline.micro_batch[timeline.lanes[*models::gantt::main_lane(*content, opened.rows[4])].begin], 9);
  }

  void few_lanes_and_stages_of_one_device_stay_unfolded() {
    Timeline timeline;
    for (int device = 0; device < 12; ++device) {
      const std::vector<TimelineRow> rows{
          {Nanoseconds(device), Nanoseconds(10), {OpKind::forward, StageId(device), 0}}};
      timeline.append_lane({LaneRole::compute, DeviceId(device), DeviceId(device)}, rows);
    }
    const auto content = models::gantt::make_gantt_content(std::make_shared<const Timeline>(timeline));
    const models::gantt::Geometry geometry = models::gantt::lay_out(*content, {}, without_links());
    QCOMPARE(geometry.rows.size(), std::size_t{12});
    QCOMPARE(models::gantt::row_name(*content, geometry.rows[11]), "G11");
    QVERIFY(!models::gantt::folds(*content, geometry.rows[11]));
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
    const auto content = models::gantt::make_gantt_content(std::make_shared<const Timeline>(timeline));
    QCOMPARE(content->groups.size(), std::size_t{2});
    QCOMPARE(content->groups[0].devices, (std::vector{DeviceId(0), DeviceId(2)}));
    QCOMPARE(content->groups[1].devices, (std::vector{DeviceId(1)}));
  }

  void rows_do_not_overlap_and_are_found_by_height() {
    const auto content = models::gantt::make_gantt_content(app::synthetic_simulation({.stages = 5, .replicas = 3}));
    models::gantt::Metrics metrics = models::gantt::metrics_for(15);
    metrics.secondary = 9;
    const models::gantt::Geometry geometry = models::gantt::lay_out(*content, {DeviceId(3)}, metrics);
    QCOMPARE(geometry.rows.size(), std::size_t{4 + 3 + 8});
    for (std::size_t i = 0; i < geometry.rows.size(); ++i) {
      const models::gantt::Row& row = geometry.rows[i];
      QVERIFY(row.height > 0);
      if (i > 0) QVERIFY(row.top >= geometry.rows[i - 1].pale_top + geometry.rows[i - 1].pale_height);
      QCOMPARE(geometry.row_at(row.top), std::optional(i));
      QCOMPARE(geometry.row_at(row.bottom() - 1), std::optional(i));
    }
    QVERIFY(!geometry.row_at(-1));
    QVERIFY(!geometry.row_at(geometry.height));
  }

  void hit_test_finds_each_operation_at_every_zoom() {
    const auto timeline = app::random_timeline(2000, 4, 21);
    const auto content = models::gantt::make_gantt_content(timeline);
    const models::gantt::Geometry geometry = models::gantt::lay_out(*content, {}, without_links());
    const double full = static_cast<double>(content->end), width = 1500;
    int checked = 0;
    for (double zoom = 1; full / zoom > 20; zoom *= 3.7)
      for (std::size_t row = 0; row < geometry.rows.size(); ++row) {
        const TimelineLane& lane = timeline->lanes[row];
        for (std::size_t i = lane.begin; i < lane.end; i += 37) {
          const double middle =
              static_cast<double>(timeline->start[i]) + static_cast<double>(timeline->duration[i]) / 2;
          const models::gantt::TimeAxis axis = models::gantt::TimeAxis{0, full, full}.zoomed(zoom, middle);
          const QPointF point(axis.to_pixel(middle, width), geometry.rows[row].top + 3);
          QCOMPARE(models::gantt::hit_test(*content, geometry, axis, width, point),
                   (std::optional<models::gantt::Hit>({row, i})));
          ++checked;
        }
      }
    QVERIFY(checked > 300);
  }

  void gaps_margins_and_idle_time_hit_nothing() {
    const auto content = models::gantt::make_gantt_content(app::synthetic_simulation({.stages = 2, .replicas = 1}));
    const models::gantt::Geometry geometry = models::gantt::lay_out(*content, {}, without_links());
    const models::gantt::TimeAxis axis{0, static_cast<double>(content->end), static_cast<double>(content->end)};
    const auto at = [&](double ms, double y) {
      return models::gantt::hit_test(*content, geometry, axis, 1000, {axis.to_pixel(ms * 1e6, 1000), y});
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
    const auto content = models::gantt::make_gantt_content(std::make_shared<const Timeline>(timeline));
    const models::gantt::Geometry geometry = models::gantt::lay_out(*content, {}, without_links());
    const models::gantt::TimeAxis axis{0, 1000, 1000};
    QVERIFY(models::gantt::hit_test(*content, geometry, axis, 100, {49.2, 5}, 1.0));
    QVERIFY(!models::gantt::hit_test(*content, geometry, axis, 100, {48.8, 5}, 1.0));
  }

  void the_strip_belongs_to_the_all_reduce() {
    const auto content = models::gantt::make_gantt_content(app::synthetic_simulation({.replicas = 2, .overlap = true}));
    const models::gantt::Geometry geometry = models::gantt::lay_out(*content, {}, without_links());
    const Timeline& timeline = *content->timeline;
    const TimelineLane& collective = timeline.lanes[*content->groups[0].collective];
    const models::gantt::TimeAxis axis{0, static_cast<double>(content->end), static_cast<double>(content->end)};
    const double x = axis.to_pixel(static_cast<double>(timeline.start[collective.begin]) + 1e6, 1000);
    const models::gantt::Row& row = geometry.rows[0];
    const auto low = models::gantt::hit_test(*content, geometry, axis, 1000, {x, row.bottom() - 1.0});
    const auto high = models::gantt::hit_test(*content, geometry, axis, 1000, {x, row.top + 2.0});
    QVERIFY(low && high);
    QCOMPARE(timeline.kind[low->operation], OpKind::all_reduce);
    QCOMPARE(timeline.kind[high->operation], OpKind::backward);
  }

  void steps_go_through_the_lane_and_to_the_nearest_in_the_next() {
    const auto content =
        models::gantt::make_gantt_content(app::synthetic_simulation({.stages = 3, .replicas = 2, .micro_batches = 6}));
    const models::gantt::Geometry geometry = models::gantt::lay_out(*content, {}, without_links());
    const Timeline& timeline = *content->timeline;
    const TimelineLane& lane = timeline.lanes[*content->groups[0].compute];
    models::gantt::Hit hit{0, lane.begin};
    QCOMPARE(models::gantt::step_from(*content, geometry, hit, models::gantt::Step::previous), hit);
    for (std::size_t i = lane.begin + 1; i < lane.end; ++i) {
      hit = models::gantt::step_from(*content, geometry, hit, models::gantt::Step::next);
      QCOMPARE(hit, (models::gantt::Hit{0, i}));
    }
    QCOMPARE(models::gantt::step_from(*content, geometry, hit, models::gantt::Step::next), hit);
    QCOMPARE(models::gantt::step_from(*content, geometry, hit, models::gantt::Step::up), hit);
    QCOMPARE(models::gantt::step_from(*content, geometry, hit, models::gantt::Step::down).row, std::size_t{1});
  }

  void one_operation_is_found_in_another_chart() {
    const auto content = models::gantt::make_gantt_content(app::synthetic_simulation({.stages = 2}));
    const models::gantt::Geometry geometry = models::gantt::lay_out(*content, {}, without_links());
    const auto hit = models::gantt::find_operation(*content, geometry, {OpKind::backward, StageId(1), 2});
    QVERIFY(hit);
    QCOMPARE(content->timeline->row(hit->operation).operation, (Operation{OpKind::backward, StageId(1), 2}));
    QVERIFY(!models::gantt::find_operation(*content, geometry, {OpKind::backward, StageId(7), 2}));
  }

  void waits_name_their_cause() {
    const app::SyntheticPipeline pipeline{.stages = 3, .replicas = 2, .skew = 0};
    const auto content = models::gantt::make_gantt_content(app::synthetic_simulation(pipeline));
    const Timeline& timeline = *content->timeline;
    const std::size_t first = *content->groups[0].compute, second = *content->groups[1].compute;
    QCOMPARE(models::gantt::wait_reason(*content, first, timeline.lanes[first].begin), models::gantt::Wait());
    const models::gantt::Wait activation = models::gantt::wait_reason(*content, second, timeline.lanes[second].begin);
    QCOMPARE(activation.cause, models::gantt::WaitFor::activation);
    QCOMPARE(activation.group, std::optional<std::size_t>(0));
    QCOMPARE(activation.idle, Nanoseconds(48'000'000 + 14'000'000));
    for (std::size_t i = timeline.lanes[first].begin; i < timeline.lanes[first].end; ++i) {
      const models::gantt::Wait wait = models::gantt::wait_reason(*content, first, i);
      if (timeline.kind[i] == OpKind::backward && wait.idle.count > 0) {
        QCOMPARE(wait.cause, models::gantt::WaitFor::gradient);
        QCOMPARE(wait.group, std::optional<std::size_t>(1));
      }
      if (timeline.kind[i] == OpKind::optimizer) QCOMPARE(wait.cause, models::gantt::WaitFor::all_reduce);
    }
  }

  void an_empty_timeline_has_no_rows() {
    const auto content = models::gantt::make_gantt_content(std::make_shared<const Timeline>());
    QVERIFY(content->empty());
    QCOMPARE(models::gantt::lay_out(*content, {}, models::gantt::Metrics()).height, 0);
    QVERIFY(!models::gantt::make_gantt_content(std::shared_ptr<const Timeline>()));
  }
};

PIPEDECK_TEST(TestGanttGeometry)

}  // namespace pipedeck::tst_gantt_geometry

#include "tst_gantt_geometry.moc"
