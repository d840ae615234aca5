// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include <algorithm>
#include <cmath>

#include "app/models/gantt/pyramid.hpp"
#include "tests/app/models/synthetic_simulation.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_gantt_pyramid {

using Parts = std::vector<std::uint8_t>;

/// The parts of a bin computed nanosecond by nanosecond: no shared code with what is tested.
Parts slow_parts(const Timeline& timeline, const TimelineLane& lane, const Parts& kinds, std::int64_t begin,
                 std::int64_t end) {
  std::vector<std::int64_t> times(op_kind_count);
  for (std::size_t i = lane.begin; i < lane.end; ++i)
    for (std::int64_t time = timeline.start[i]; time < timeline.start[i] + timeline.duration[i]; ++time)
      if (time >= begin && time < end) ++times[static_cast<std::size_t>(timeline.kind[i])];
  Parts parts;
  for (const std::uint8_t kind : kinds) {
    const double part = 255.0 * static_cast<double>(times[kind]) / static_cast<double>(end - begin);
    parts.push_back(times[kind] == 0 ? 0 : static_cast<std::uint8_t>(std::max(1.0, std::floor(part + 0.5))));
  }
  return parts;
}

/// The parts of one bin of a level.
Parts bin_of(const models::gantt::LanePyramid& pyramid, int level, std::size_t bin) {
  const auto& parts = pyramid.levels[static_cast<std::size_t>(level)];
  const auto begin = parts.begin() + static_cast<std::ptrdiff_t>(bin * pyramid.kinds.size());
  return {begin, begin + static_cast<std::ptrdiff_t>(pyramid.kinds.size())};
}

class TestGanttPyramid : public QObject {
  Q_OBJECT

 private slots:
  void every_bin_of_every_level_is_what_the_operations_say() {
    for (const bool burst : {false, true}) {
      const auto timeline = app::random_timeline(4000, 2, 11, burst);
      for (const TimelineLane& lane : timeline->lanes) {
        const models::gantt::LanePyramid pyramid = models::gantt::build_pyramid(*timeline, lane);
        QVERIFY(!pyramid.empty());
        QCOMPARE(pyramid.bins(static_cast<int>(pyramid.levels.size()) - 1), std::size_t{1});
        for (int level = 0; level < static_cast<int>(pyramid.levels.size()); ++level) {
          const auto width = static_cast<std::int64_t>(pyramid.bin_width(level));
          for (std::size_t i = 0; i < pyramid.bins(level); ++i) {
            const auto begin = static_cast<std::int64_t>(i) * width;
            QCOMPARE(bin_of(pyramid, level, i),
                     models::gantt::exact_parts(*timeline, lane, pyramid.kinds, begin, begin + width));
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
      for (std::size_t i = 0; i < pyramid.bins(level); ++i) {
        const auto begin = static_cast<std::int64_t>(i) * width;
        QCOMPARE(bin_of(pyramid, level, i), slow_parts(*timeline, lane, pyramid.kinds, begin, begin + width));
      }
    }
  }

  void samples_between_bins_are_near_the_truth() {
    const auto timeline = app::random_timeline(20'000, 1, 3);
    const TimelineLane& lane = timeline->lanes.front();
    const models::gantt::LanePyramid pyramid = models::gantt::build_pyramid(*timeline, lane);
    const std::size_t kinds = pyramid.kinds.size();
    QVERIFY(kinds > 1);
    const double end = static_cast<double>(timeline->makespan().count);
    for (const double columns : {10.0, 100.0, 500.0}) {
      const double span = end / columns;
      const int level = pyramid.level_for(span);
      QVERIFY(level >= 0);
      QVERIFY(pyramid.bin_width(level) <= span && 2 * pyramid.bin_width(level) > span);
      Parts all(static_cast<std::size_t>(columns) * kinds);
      pyramid.sample_columns(level, 0, span, all);
      std::vector<double> sampled(kinds), truth(kinds);
      for (int i = 0; i < columns; ++i) {
        const Parts exact =
            models::gantt::exact_parts(*timeline, lane, pyramid.kinds, static_cast<std::int64_t>(i * span),
                                       static_cast<std::int64_t>((i + 1) * span));
        Parts one(kinds);
        pyramid.sample_columns(level, i * span, span, one);
        for (std::size_t kind = 0; kind < kinds; ++kind) {
          const std::uint8_t here = all[static_cast<std::size_t>(i) * kinds + kind];
          QCOMPARE(here, one[kind]);
          sampled[kind] += here;
          truth[kind] += exact[kind];
        }
      }
      // A bin cut by a column's edge is taken as evenly filled: single columns may be off, the sums of a kind are not.
      for (std::size_t kind = 0; kind < kinds; ++kind)
        QVERIFY2(std::abs(sampled[kind] - truth[kind]) <= 0.01 * truth[kind] + columns / 2,
                 qPrintable(QString("kind %1: %2 and %3").arg(kind).arg(sampled[kind]).arg(truth[kind])));
    }
  }

  void exact_columns_are_exact_bins() {
    const auto timeline = app::random_timeline(300, 2, 5);
    const auto span = static_cast<double>(timeline->makespan().count) / 777;
    for (const TimelineLane& lane : timeline->lanes) {
      const Parts kinds = models::gantt::build_pyramid(*timeline, lane).kinds;
      Parts columns(800 * kinds.size());
      models::gantt::exact_columns(*timeline, lane, kinds, span, columns);
      for (std::size_t i = 0; i < 800; ++i)
        QCOMPARE(
            Parts(columns.begin() + static_cast<std::ptrdiff_t>(i * kinds.size()),
                  columns.begin() + static_cast<std::ptrdiff_t>((i + 1) * kinds.size())),
            models::gantt::exact_parts(*timeline, lane, kinds, static_cast<std::int64_t>(static_cast<double>(i) * span),
                                       static_cast<std::int64_t>(static_cast<double>(i + 1) * span) + 1));
    }
  }

  void few_bins_an_operation() {
    const auto timeline = app::random_timeline(100'000, 1, 9);
    const models::gantt::LanePyramid pyramid = models::gantt::build_pyramid(*timeline, timeline->lanes.front());
    std::size_t bins = 0;
    for (int level = 0; level < static_cast<int>(pyramid.levels.size()); ++level) bins += pyramid.bins(level);
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
    QCOMPARE(bin_of(pyramid, 0, 0), Parts{0});
  }

  void hours_in_nanoseconds_do_not_overflow() {
    Timeline timeline;
    constexpr std::int64_t hour = 3'600'000'000'000;
    const std::vector<TimelineRow> rows{
        {Nanoseconds(0), Nanoseconds(hour), {OpKind::forward, StageId(0), 0}},
        {Nanoseconds(900 * hour), Nanoseconds(hour), {OpKind::backward, StageId(0), 0}}};
    timeline.append_lane({}, rows);
    const models::gantt::LanePyramid pyramid = models::gantt::build_pyramid(timeline, timeline.lanes.front());
    QCOMPARE(pyramid.kinds,
             (Parts{static_cast<std::uint8_t>(OpKind::forward), static_cast<std::uint8_t>(OpKind::backward)}));
    const Parts last = bin_of(pyramid, 0, pyramid.bins(0) - 1);
    QVERIFY(last[0] == 0 && last[1] > 0);
    QVERIFY(pyramid.levels.size() < 8);
  }
};

PIPEDECK_TEST(TestGanttPyramid)

}  // namespace pipedeck::tst_gantt_pyramid

#include "tst_gantt_pyramid.moc"
