// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include <algorithm>

#include "app/models/gantt/pyramid.hpp"
#include "tests/app/models/synthetic_simulation.hpp"
#include "tests/support/test_program.hpp"

using namespace pipedeck;

namespace {

/// A bin computed nanosecond by nanosecond: no shared code with what is tested.
models::gantt::LaneBin slow_bin(const Timeline& timeline, const TimelineLane& lane, std::int64_t begin,
                                std::int64_t end) {
  std::vector<std::int64_t> times(op_kind_count);
  for (std::size_t i = lane.begin; i < lane.end; ++i)
    for (std::int64_t time = timeline.start[i]; time < timeline.start[i] + timeline.duration[i]; ++time)
      if (time >= begin && time < end) ++times[static_cast<std::size_t>(timeline.kind[i])];
  std::int64_t covered = 0;
  for (const std::int64_t time : times) covered += time;
  if (covered == 0) return {};
  const auto most = std::max_element(times.begin(), times.end()) - times.begin();
  return {static_cast<std::uint8_t>(most),
          static_cast<std::uint8_t>(std::max<std::int64_t>(1, covered * 255 / (end - begin)))};
}

}  // namespace

class TestGanttPyramid : public QObject {
  Q_OBJECT

 private slots:
  void every_bin_of_every_level_is_what_the_operations_say() {
    for (const bool burst : {false, true}) {
      const auto timeline = app::random_timeline(4000, 2, 11, burst);
      for (const TimelineLane& lane : timeline->lanes) {
        const models::gantt::LanePyramid pyramid = models::gantt::build_pyramid(*timeline, lane);
        QVERIFY(!pyramid.empty());
        QCOMPARE(pyramid.levels.back().size(), std::size_t{1});
        for (int level = 0; level < static_cast<int>(pyramid.levels.size()); ++level) {
          const auto width = static_cast<std::int64_t>(pyramid.bin_width(level));
          const auto& bins = pyramid.levels[static_cast<std::size_t>(level)];
          for (std::size_t i = 0; i < bins.size(); ++i) {
            const auto begin = static_cast<std::int64_t>(i) * width;
            QCOMPARE(bins[i], models::gantt::exact_bin(*timeline, lane, begin, begin + width));
          }
        }
      }
    }
  }

  void bins_equal_a_count_by_the_nanosecond() {
    const auto timeline = app::random_timeline(60, 1, 5);
    const TimelineLane& lane = timeline->lanes.front();
    const models::gantt::LanePyramid pyramid = models::gantt::build_pyramid(*timeline, lane);
    for (int level = 0; level < static_cast<int>(pyramid.levels.size()); ++level) {
      const auto width = static_cast<std::int64_t>(pyramid.bin_width(level));
      const auto& bins = pyramid.levels[static_cast<std::size_t>(level)];
      for (std::size_t i = 0; i < bins.size(); ++i) {
        const auto begin = static_cast<std::int64_t>(i) * width;
        QCOMPARE(bins[i], slow_bin(*timeline, lane, begin, begin + width));
      }
    }
  }

  void samples_between_bins_are_near_the_truth() {
    const auto timeline = app::random_timeline(20'000, 1, 3);
    const TimelineLane& lane = timeline->lanes.front();
    const models::gantt::LanePyramid pyramid = models::gantt::build_pyramid(*timeline, lane);
    const double end = static_cast<double>(timeline->makespan().count);
    for (const double columns : {10.0, 100.0, 500.0}) {
      const double span = end / columns;
      const int level = pyramid.level_for(span);
      QVERIFY(level >= 0);
      QVERIFY(pyramid.bin_width(level) <= span && 2 * pyramid.bin_width(level) > span);
      std::vector<models::gantt::LaneBin> all(static_cast<std::size_t>(columns));
      pyramid.sample_columns(level, 0, span, all);
      double sampled = 0, truth = 0;
      for (int i = 0; i < columns; ++i) {
        const models::gantt::LaneBin exact = models::gantt::exact_bin(
            *timeline, lane, static_cast<std::int64_t>(i * span), static_cast<std::int64_t>((i + 1) * span));
        QCOMPARE(all[static_cast<std::size_t>(i)], pyramid.sample(level, i * span, i * span + span));
        sampled += all[static_cast<std::size_t>(i)].cover;
        truth += exact.cover;
      }
      // A bin cut by a column's edge is taken as evenly filled: single columns may be off, their sum is not.
      QVERIFY(std::abs(sampled - truth) <= 0.01 * truth);
    }
  }

  void exact_columns_are_exact_bins() {
    const auto timeline = app::random_timeline(300, 2, 5);
    const auto span = static_cast<double>(timeline->makespan().count) / 777;
    for (const TimelineLane& lane : timeline->lanes) {
      std::vector<models::gantt::LaneBin> columns(800);
      models::gantt::exact_columns(*timeline, lane, span, columns);
      for (std::size_t i = 0; i < columns.size(); ++i)
        QCOMPARE(columns[i],
                 models::gantt::exact_bin(*timeline, lane, static_cast<std::int64_t>(static_cast<double>(i) * span),
                                          static_cast<std::int64_t>(static_cast<double>(i + 1) * span) + 1));
    }
  }

  void few_bins_an_operation() {
    const auto timeline = app::random_timeline(100'000, 1, 9);
    std::size_t bins = 0;
    for (const auto& level : models::gantt::build_pyramid(*timeline, timeline->lanes.front()).levels)
      bins += level.size();
    QVERIFY(bins < 2 * timeline->size() + 64);
  }

  void no_operations_no_bins() {
    Timeline timeline;
    timeline.append_lane({}, {});
    QVERIFY(models::gantt::build_pyramid(timeline, timeline.lanes.front()).empty());
  }

  void one_operation_without_duration() {
    Timeline timeline;
    const std::vector<TimelineRow> rows{{Nanoseconds(0), Nanoseconds(0), {OpKind::optimizer, StageId(0), 0}}};
    timeline.append_lane({}, rows);
    const models::gantt::LanePyramid pyramid = models::gantt::build_pyramid(timeline, timeline.lanes.front());
    QCOMPARE(pyramid.levels.front().front(), models::gantt::LaneBin());
  }

  void hours_in_nanoseconds_do_not_overflow() {
    Timeline timeline;
    constexpr std::int64_t hour = 3'600'000'000'000;
    const std::vector<TimelineRow> rows{
        {Nanoseconds(0), Nanoseconds(hour), {OpKind::forward, StageId(0), 0}},
        {Nanoseconds(900 * hour), Nanoseconds(hour), {OpKind::backward, StageId(0), 0}}};
    timeline.append_lane({}, rows);
    const models::gantt::LanePyramid pyramid = models::gantt::build_pyramid(timeline, timeline.lanes.front());
    const models::gantt::LaneBin last = pyramid.levels.front().back();
    QCOMPARE(static_cast<OpKind>(last.kind), OpKind::backward);
    QVERIFY(pyramid.levels.size() < 8);
  }
};

PIPEDECK_TEST(TestGanttPyramid)
#include "tst_gantt_pyramid.moc"
