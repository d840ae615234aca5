// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/study/reports/figures.hpp"
#include "core/study/reports/kind_words.hpp"
#include "core/study/reports/picture_rows.hpp"
#include "core/study/reports/pictures.hpp"
#include "core/study/reports/svg.hpp"

namespace pipedeck::study::reports {
namespace {

constexpr double head_height = 20, row_height = 30, row_gap = 6, memory_legend_height = 22;
constexpr double curve_width = 370, bars_at = plot_at + curve_width + 24, bars_width = 300, words_at = 960;

/// Memory over time and by item, one row a device, all at one scale.
class Memory {
 public:
  Memory(Svg& svg, const Translator& words, const Simulation& simulation)
      : svg_(svg), words_(words), end_(std::max<double>(1, last_time(simulation))) {
    for (const SimulatedDevice& device : simulation.devices)
      most_ = std::max({most_, size(device.peak), size(device.peak_upper_bound), size(device.capacity)});
  }

  void heads() {
    svg_.text(plot_at, 12, words_("over the iteration"), inks::muted);
    svg_.text(bars_at, 12, words_("at the peak, by item"), inks::muted);
    svg_.text(words_at, 12, words_("peak of memory, GiB"), inks::muted, Anchor::end);
  }

  void row(const SimulatedDevice& device, double top) {
    svg_.rect(plot_at, top, curve_width, row_height, inks::window);
    svg_.path(curve(device, top), color_of(MemoryItem::activations), 0.75);
    const double full = top + row_height - size(device.capacity) / most_ * row_height;
    svg_.line(plot_at, full, plot_at + curve_width, full, inks::muted, 1, true);
    bar(device, top + 6, row_height - 12);
    const bool over = device.peak > device.capacity;
    svg_.text(words_at, top + row_height / 2 + 4,
              words_("{} of {}", gib_text(words_, device.peak), gib_text(words_, device.capacity)),
              over ? inks::bad : inks::text, Anchor::end, 11, over);
  }

  /// How much higher than one row it is.
  double legend(double top) {
    LegendPlaces places(top);
    for (int i = 0; i < memory_item_count; ++i) {
      const auto item = static_cast<MemoryItem>(i);
      if (!drawn_[static_cast<std::size_t>(i)]) continue;
      const std::string name = label_of(words_, item);
      places.next(name, 32, 6.2);
      svg_.rect(places.x(), places.top() + 1, swatch, swatch, color_of(item));
      svg_.text(places.x() + name_beside_swatch, places.top() + swatch, name, inks::muted);
    }
    svg_.text(plot_at, places.top() + 31,
              words_("dashed: the device's memory; the tick behind a bar: the most that the peak can be"), inks::muted,
              Anchor::start, 10);
    return places.top() - top;
  }

 private:
  static double size(Bytes bytes) { return static_cast<double>(bytes.count); }
  static double last_time(const Simulation& simulation) {
    return static_cast<double>(std::max(simulation.iteration.count, simulation.timeline.makespan().count));
  }

  /// The most in each column of pixels: no peak is lost, however short.
  std::string curve(const SimulatedDevice& device, double top) const {
    if (device.curve.empty()) return {};
    const auto columns = static_cast<std::size_t>(curve_width);
    std::vector<double> most(columns, 0);
    for (std::size_t p = 0; p < device.curve.size(); ++p) {
      const double next = p + 1 < device.curve.size() ? static_cast<double>(device.curve[p + 1].time.count) : end_;
      const auto column = [&](double time) {
        return std::min(columns - 1, static_cast<std::size_t>(std::max(0.0, time / end_ * curve_width)));
      };
      for (std::size_t c = column(static_cast<double>(device.curve[p].time.count)); c <= column(next); ++c)
        most[c] = std::max(most[c], size(device.curve[p].bytes));
    }
    const double bottom = top + row_height;
    std::string path = fmt::format("M{:g} {:g}", plot_at, bottom);
    for (std::size_t c = 0; c < columns; ++c) {
      if (c > 0 && most[c] == most[c - 1]) continue;
      if (c > 0) path += fmt::format("H{:g}", plot_at + static_cast<double>(c));
      path += fmt::format("V{:.2f}", bottom - most[c] / most_ * row_height);
    }
    return path + fmt::format("H{:g}V{:g}z", plot_at + curve_width, bottom);
  }

  void bar(const SimulatedDevice& device, double top, double height) {
    svg_.rect(bars_at, top, bars_width, height, inks::window);
    double x = bars_at;
    for (int i = 0; i < memory_item_count; ++i) {
      const auto item = static_cast<MemoryItem>(i);
      const double width = size(device.peak_breakdown[item]) / most_ * bars_width;
      if (width <= 0) continue;
      drawn_[static_cast<std::size_t>(i)] = true;
      svg_.rect(x, top, width, height, color_of(item));
      x += width;
    }
    const auto mark = [&](Bytes bytes, double beyond, bool dashed) {
      const double at = bars_at + size(bytes) / most_ * bars_width;
      svg_.line(at, top - beyond, at, top + height + beyond, inks::muted, 1, dashed);
    };
    mark(device.capacity, 4, true);
    mark(device.peak_upper_bound, 0, false);
  }

  Svg& svg_;
  const Translator& words_;
  double end_, most_ = 1;
  std::array<bool, memory_item_count> drawn_{};
};

}  // namespace

Picture memory_picture(const Translator& words, const std::string& name, const Plan& plan,
                       const Simulation& simulation) {
  const PictureRows drawn = picture_rows(words, plan, simulation);
  const std::string says =
      words.count(simulation.devices.size(), "Memory of {} on 1 device", "Memory of {1} on {0} devices", plan.name);
  Svg svg(name, picture_width, says);
  Memory memory(svg, words, simulation);
  memory.heads();
  double y = head_height;
  for (const PictureRow& row : drawn.rows) {
    svg.text(stages_at, y + row_height / 2 + 4, row.stages, inks::muted);
    svg.text(names_at, y + row_height / 2 + 4, row.name, inks::text);
    memory.row(*row.device, y);
    y += row_height + row_gap;
  }
  y += memory.legend(y + 4);
  return {name, says, svg.element(y + 4 + memory_legend_height + 16)};
}

}  // namespace pipedeck::study::reports
