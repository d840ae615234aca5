// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/study/reports/figures.hpp"
#include "core/study/reports/kind_words.hpp"
#include "core/study/reports/picture_rows.hpp"
#include "core/study/reports/pictures.hpp"
#include "core/study/reports/svg.hpp"

namespace pipedeck::study::reports {
namespace {

constexpr double lane_height = 18, lane_gap = 4, rank_gap = 6, strip = 4, axis_height = 18, gantt_legend_height = 22;
constexpr double plot_width = picture_width - plot_at - 8;
constexpr double box_from = 1.5;     // pixels: a narrower operation becomes part of a column
constexpr double number_from = 13;   // room for a number of two digits
constexpr double digit_width = 6.2;  // of the numbers in boxes

bool numbered(OpKind kind) {
  return kind != OpKind::send && kind != OpKind::receive && kind != OpKind::all_reduce && kind != OpKind::optimizer;
}

/// One timeline drawn: all boxes of a kind are one path.
class Gantt {
 public:
  Gantt(Svg& svg, const Translator& words, const Simulation& simulation)
      : svg_(svg),
        words_(words),
        timeline_(simulation.timeline),
        end_(static_cast<double>(std::max<std::int64_t>(
            {simulation.iteration.count, simulation.timeline.makespan().count, std::int64_t{1}}))) {}

  /// Ticks over `height` of lanes.
  void axis(double height) {
    const bool in_seconds = end_ >= 10e9;
    const double unit = in_seconds ? 1e9 : end_ >= 10e3 ? 1e6 : 1e3;
    const double step = tick_step(end_, 7);
    for (double at = 0; at <= end_ * (1 + 1e-9); at += step) {
      const double x = to_x(at);
      svg_.line(x, axis_height - 4, x, axis_height + height, inks::grid);
      svg_.text(x, axis_height - 7, words_.figure("{:g}", std::round(at / step) * step / unit), inks::muted,
                at == 0 ? Anchor::start : Anchor::middle, 10);
    }
    svg_.text(names_at - 4, axis_height - 7,
              in_seconds    ? "s"
              : unit == 1e6 ? "ms"
                            : "\u00b5s",
              inks::muted, Anchor::end, 10);
  }

  void lane(const DeviceId device, double top) {
    svg_.rect(plot_at, top, plot_width, lane_height, inks::window);
    const TimelineLane* reduces = find(LaneRole::collective, device);
    // Alone an all-reduce fills the lane; beneath a computation its strip is left.
    const bool shared = reduces && reduces->size() > 0;
    if (shared) boxes(*reduces, top, lane_height);
    if (const TimelineLane* computes = find(LaneRole::compute, device))
      boxes(*computes, top, lane_height - (shared ? strip : 0));
  }

  /// All lanes, all-reduces beneath the rest, then the numbers.
  void finish() {
    paint(OpKind::all_reduce);
    for (int kind = 0; kind < op_kind_count; ++kind)
      if (static_cast<OpKind>(kind) != OpKind::all_reduce) paint(static_cast<OpKind>(kind));
    for (const Number& number : numbers_)
      svg_.text(number.x, number.y, std::to_string(number.micro_batch), ink_on(number.kind), Anchor::middle, 10);
  }

  /// How much higher than one row it is.
  double legend(double top) {
    LegendPlaces places(top);
    for (int k = 0; k < op_kind_count; ++k) {
      const auto kind = static_cast<OpKind>(k);
      if (paths_[static_cast<std::size_t>(k)].empty()) continue;
      const std::string name = label_of(words_, kind);
      places.next(name, 40, 6.4);
      std::string box;
      add_box(box, places.x(), places.top() + 1, swatch, swatch);
      svg_.path(box, color_of(kind));
      if (hatched(kind)) svg_.hatch(box);
      svg_.text(places.x() + name_beside_swatch, places.top() + swatch, name, inks::muted);
    }
    return places.top() - top;
  }

 private:
  struct Number {
    double x, y;
    OpKind kind;
    int micro_batch;
  };

  void paint(OpKind kind) {
    const std::string& path = paths_[static_cast<std::size_t>(kind)];
    svg_.path(path, color_of(kind));
    if (hatched(kind)) svg_.hatch(path);
  }

  double to_x(double time) const { return plot_at + time / end_ * plot_width; }

  const TimelineLane* find(LaneRole role, DeviceId device) const {
    const auto found = std::ranges::find_if(
        timeline_.lanes, [&](const TimelineLane& lane) { return lane.role == role && lane.device == device; });
    return found == timeline_.lanes.end() ? nullptr : &*found;
  }

  void boxes(const TimelineLane& lane, double top, double height) {
    Columns columns(*this, top, height);
    for (std::size_t i = lane.begin; i < lane.end; ++i) {
      const TimelineRow row = timeline_.row(i);
      const double left = to_x(static_cast<double>(row.start.count)),
                   right = to_x(static_cast<double>(row.end().count));
      if (right - left < box_from) {
        columns.add(left, right - left, row.operation.kind);
        continue;
      }
      columns.flush();
      // Neighbours of one kind stay apart.
      box(row.operation.kind, left, right - left - (right - left > 3 ? 0.6 : 0), top, height);
      number(row.operation, left, right - left, top + height / 2 + 3.5);
    }
    columns.flush();
  }

  void box(OpKind kind, double left, double width, double top, double height) {
    add_box(paths_[static_cast<std::size_t>(kind)], left, top, width, height);
  }

  void number(const Operation& operation, double left, double width, double baseline) {
    if (!numbered(operation.kind) || operation.micro_batch < 0) return;
    const double needed = digit_width * static_cast<double>(std::to_string(operation.micro_batch).size()) + 3;
    if (width < std::max(number_from - 4, needed)) return;
    numbers_.push_back({left + width / 2, baseline, operation.kind, operation.micro_batch});
  }

  /// Gathers what is narrower than a pixel: each column gets the colour that fills most of it.
  class Columns {
   public:
    Columns(Gantt& gantt, double top, double height) : gantt_(gantt), top_(top), height_(height) {}
    void add(double left, double width, OpKind kind) {
      const double column = std::floor(left);
      if (column != column_) flush();
      column_ = column;
      filled_[static_cast<std::size_t>(kind)] += width;
    }
    void flush() {
      const auto most = std::ranges::max_element(filled_);
      if (*most > 0) gantt_.box(static_cast<OpKind>(most - filled_.begin()), column_, 1, top_, height_);
      filled_ = {};
      column_ = -1;
    }

   private:
    Gantt& gantt_;
    double top_, height_, column_ = -1;
    std::array<double, op_kind_count> filled_{};
  };

  Svg& svg_;
  const Translator& words_;
  const Timeline& timeline_;
  double end_;
  std::array<std::string, op_kind_count> paths_;
  std::vector<Number> numbers_;
};

}  // namespace

Picture gantt_picture(const Translator& words, const std::string& name, const Plan& plan,
                      const Simulation& simulation) {
  const PictureRows drawn = picture_rows(words, plan, simulation);
  const std::string says = words.count(simulation.devices.size(), "Schedule of {}: {} on 1 device, {} an iteration",
                                       "Schedule of {1}: {2} on {0} devices, {3} an iteration", plan.name,
                                       schedule_text(plan), time_text(words, simulation.iteration));
  Svg svg(name, picture_width, says);
  std::vector<double> tops;
  double y = axis_height;
  for (const PictureRow& row : drawn.rows) {
    if (row.begins_rank && !tops.empty()) y += rank_gap;
    tops.push_back(y);
    y += lane_height + lane_gap;
  }
  Gantt gantt(svg, words, simulation);
  gantt.axis(y - axis_height);
  for (std::size_t r = 0; r < tops.size(); ++r) {
    const PictureRow& row = drawn.rows[r];
    svg.text(stages_at, tops[r] + 13, row.stages, inks::muted);
    svg.text(names_at, tops[r] + 13, row.name, inks::text);
    gantt.lane(row.device->device, tops[r]);
  }
  gantt.finish();
  y += gantt.legend(y + 6) + gantt_legend_height;
  if (!drawn.left_out.empty()) svg.text(plot_at, (y += 16) - 4, drawn.left_out, inks::muted);
  return {name, says, svg.element(y + 2)};
}

}  // namespace pipedeck::study::reports
