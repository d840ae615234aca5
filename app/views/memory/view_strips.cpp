// SPDX-License-Identifier: GPL-3.0-or-later
// View by item: one strip per device, with its items stacked over time.
#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <span>
#include <vector>

#include <QPainter>

#include "app/models/format.hpp"
#include "app/views/memory/view.hpp"
#include "app/views/widgets/hover_card.hpp"
#include "app/views/widgets/pixel_canvas.hpp"

namespace pipedeck::views::memory {

namespace {

constexpr double strip_headroom = 1.04;      // above the highest curve or capacity
constexpr double strip_cut_headroom = 1.15;  // where the axis is cut below the capacity
constexpr unsigned over_share = 120;         // of red above the capacity, in 255ths
constexpr int min_for_two_lines = 30;        // strip height that has room for the peak under the device's name
constexpr int wide = 8;                      // columns of pixels: boxes at least this wide are drawn at once
constexpr int tops = memory_item_count + 1;
constexpr std::size_t first_changing = 6;  // in stacking_order: activations, boundary, workspace

}  // namespace

/// A range of columns of physical pixels, [first, last).
struct View::Columns {
  int first, last;
};

/// A list of the rows where the colours of one pixel column change, from the bottom of the strip upwards.
struct View::Edges {
  std::array<int, tops> rows;
};

/// A scale with colours for one strip, in physical pixels.
class View::Pile {
 public:
  Pile(const widgets::Theme& theme, const models::memory::Strips& strips, int strip, qreal ratio,
       const SimulatedDevice& simulated)
      : bottom_(static_cast<int>(std::lround(strips.bottom(strip) * ratio))),
        top_(static_cast<int>(std::lround(strips.top(strip) * ratio))),
        scale_(strips.strip_height() * ratio / strips.full),
        bad_(theme.bad.rgb()),
        capacity_(simulated.peak > simulated.capacity ? row_of(simulated.capacity.count) : top_) {
    for (std::size_t i = 0; i < colours_.size(); ++i) colours_[i] = theme.of(models::memory::stacking_order[i]).rgb();
  }

  int bottom() const { return bottom_; }
  int row_of(std::int64_t bytes) const {
    return std::max(top_, bottom_ - static_cast<int>(static_cast<double>(bytes) * scale_ + 0.5));
  }

  Edges edges_of(const MemoryBreakdown& parts) const {
    Edges edges{};
    edges.rows.front() = bottom_;
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < models::memory::stacking_order.size(); ++i) {
      bytes += parts[models::memory::stacking_order[i]].count;
      edges.rows[i + 1] = row_of(bytes);
    }
    return edges;
  }

  /// Returns `base` with the changing items of `point` stacked on the `held` bytes.
  Edges with(Edges base, Bytes held, const ItemPoint& point) const {
    std::int64_t bytes = held.count;
    int* row = &base.rows[first_changing + 1];
    for (const Bytes more : {point.activations, point.boundary, point.workspace}) *row++ = row_of(bytes += more.count);
    return base;
  }

  /// Fills the constant items over the whole width at once.
  void fill_held(widgets::PixelCanvas& pixels, const Columns& columns, const Edges& edges) const {
    for (std::size_t i = 0; i < first_changing; ++i)
      fill(pixels, columns.first, columns.last, edges.rows[i + 1], edges.rows[i], colours_[i]);
  }
  void fill_changing(widgets::PixelCanvas& pixels, int left, int right, const Edges& edges) const {
    for (std::size_t i = first_changing; i < colours_.size(); ++i)
      fill(pixels, left, right, edges.rows[i + 1], edges.rows[i], colours_[i]);
  }

  /// Fills the changing items of many columns at once, row by row, from their top rows by pixel column.
  void fill_changing(widgets::PixelCanvas& pixels, int left, const Edges& base, std::span<const int> activations,
                     std::span<const int> boundary, std::span<const int> workspace) const {
    for (int y = top_; y < base.rows[first_changing]; ++y) {
      const auto colour = [&](std::size_t item) {
        return y < capacity_ ? widgets::mix_colors(bad_, colours_[item], over_share) : colours_[item];
      };
      pixels.layers_row(y, left,
                        {{activations, boundary, workspace},
                         {colour(first_changing), colour(first_changing + 1), colour(first_changing + 2)}});
    }
  }

  /// Fills a box; the part above the capacity is reddened.
  void fill(widgets::PixelCanvas& pixels, int left, int right, int from, int to, QRgb colour) const {
    if (from >= to) return;
    const int over = std::clamp(capacity_, from, to);
    pixels.fill(left, right, from, over, widgets::mix_colors(bad_, colour, over_share));
    pixels.fill(left, right, over, to, colour);
  }

 private:
  int bottom_, top_;
  double scale_;
  QRgb bad_;
  int capacity_;
  std::array<QRgb, memory_item_count> colours_{};
};

models::memory::Strips View::strips() const {
  models::memory::Strips strips;
  if (!curves_) return strips;
  strips.count = static_cast<int>(curves_->curves.size());
  strips.full = std::max(1.0, static_cast<double>(curves_->axis_top.count)) *
                (curves_->cut() ? strip_cut_headroom : strip_headroom);
  return strips;
}

const models::memory::Stack* View::stack_of(int strip) const {
  return stacks_ ? stacks_->of(curves_->curves[static_cast<std::size_t>(strip)].devices.front()) : nullptr;
}

void View::draw_strips(QPainter& painter, QImage& canvas) const {
  if (!curves_ || curves_->curves.empty()) return;
  const models::memory::Strips all = strips();
  const auto each = [&](const auto& draw) {
    for (int strip = 0; strip < all.count; ++strip)
      if (all.bottom(strip) + models::memory::Strips::gap >= wanted().top() &&
          all.top(strip) - models::memory::Strips::gap <= wanted().bottom())
        draw(strip);
  };
  each([&](int strip) { draw_strip_frame(painter, strip); });
  each([&](int strip) { fill_strip(painter, canvas, strip); });
  painter.save();
  painter.setClipRect(plot(), Qt::IntersectClip);
  each([&](int strip) { draw_strip_marks(painter, strip); });
  painter.restore();
}

void View::draw_strip_frame(QPainter& painter, int strip) const {
  const models::memory::Strips all = strips();
  const models::memory::Curve& curve = curves_->curves[static_cast<std::size_t>(strip)];
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme().panel);
  painter.drawRect(QRectF(plot().left(), all.top(strip), plot().width(), all.strip_height()));
  painter.setFont(widgets::caption_font(font()));
  const QFontMetrics metrics(painter.font());
  const int room = link().label_width() - widgets::ThemeSizes::margin - 6;
  const bool two = all.strip_height() >= min_for_two_lines;
  const QRect label(widgets::ThemeSizes::margin, static_cast<int>(all.top(strip)), room,
                    two ? metrics.height() : all.strip_height());
  painter.setPen(theme().muted);
  painter.drawText(label, Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(models::devices_text(curve.devices, device_names_), Qt::ElideRight, room));
  if (!two) return;
  const SimulatedDevice& simulated = *curve.simulated;
  painter.setPen(simulated.peak > simulated.capacity               ? theme().bad
                 : simulated.peak_upper_bound > simulated.capacity ? theme().warning
                                                                   : theme().muted);
  painter.drawText(label.translated(0, metrics.height()), Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(models::format_bytes(simulated.peak), Qt::ElideRight, room));
}

void View::fill_strip(QPainter& painter, QImage& canvas, int strip) const {
  const models::memory::Curve& curve = curves_->curves[static_cast<std::size_t>(strip)];
  const qreal ratio = canvas.devicePixelRatio();
  const Pile pile(theme(), strips(), strip, ratio, *curve.simulated);
  widgets::PixelCanvas pixels = widgets::PixelCanvas::of(painter, canvas, canvas.rect());
  const double end = std::min<double>(x_of(static_cast<double>(curves_->end)), plot().right() + 1);
  const Columns columns{static_cast<int>(std::ceil(plot().left() * ratio)), static_cast<int>(std::floor(end * ratio))};
  if (const models::memory::Stack* stack = stack_of(strip)) return fill_items(pixels, pile, columns, *stack, ratio);
  const QRgb sum = widgets::blended(theme().of_group(curve.stage), theme().panel, 0.45).rgb();
  for (int x = columns.first; x < columns.last; ++x) {
    const models::memory::Range range = curve.range(time_at(x / ratio), time_at((x + 1) / ratio));
    pile.fill(pixels, x, x + 1, pile.row_of(range.most), pile.bottom(), sum);
  }
}

/// Draws a strip. The constant items are one box each. For the changing items, all pixel columns until the next change
/// are one box. A column with several changes shows the moment of maximum memory.
void View::fill_items(widgets::PixelCanvas& pixels, const Pile& pile, const Columns& columns,
                      const models::memory::Stack& stack, qreal ratio) const {
  const std::vector<ItemPoint>& points = stack.items().points;
  const Edges base = pile.edges_of(stack.items().held);
  const auto width = static_cast<std::size_t>(std::max(0, columns.last - columns.first));
  std::array<std::vector<int>, 3> layers;
  if (!pixels.on_page())
    for (std::vector<int>& layer : layers) layer.assign(width, INT_MAX);
  bool narrow = false;
  const auto draw = [&](int left, int right, std::size_t point) {
    const Edges edges = pile.with(base, stack.items().held.total(), points[point]);
    if (pixels.on_page() || right - left >= wide) return pile.fill_changing(pixels, left, right, edges);
    narrow = true;
    for (std::size_t i = 0; i < layers.size(); ++i)
      std::fill(layers[i].begin() + (left - columns.first), layers[i].begin() + (right - columns.first),
                edges.rows[first_changing + 1 + i]);
  };
  pile.fill_held(pixels, columns, base);
  const auto time_of_next = [&](std::size_t point) { return static_cast<double>(points[point + 1].time.count); };
  std::size_t point = stack.at(time_at(columns.first / ratio));
  for (int x = columns.first; x < columns.last;) {
    int same = columns.last;
    if (point + 1 < points.size())
      same = static_cast<int>(std::floor(std::min<double>(columns.last, x_of(time_of_next(point)) * ratio)));
    if (same > x) {
      draw(x, same, point);
      x = same;
      continue;
    }
    const double end = time_at((x + 1) / ratio);
    draw(x, x + 1, stack.highest_from(point, end));
    while (point + 1 < points.size() && time_of_next(point) <= end) ++point;
    ++x;
  }
  if (narrow) pile.fill_changing(pixels, columns.first, base, layers[0], layers[1], layers[2]);
}

void View::draw_strip_marks(QPainter& painter, int strip) const {
  const models::memory::Strips all = strips();
  const models::memory::Curve& curve = curves_->curves[static_cast<std::size_t>(strip)];
  const SimulatedDevice& simulated = *curve.simulated;
  const double y = std::round(all.y_of(strip, curves_->cut() ? curves_->axis_top : simulated.capacity)) + 0.5;
  if (!curves_->cut()) {
    QPen pen(theme().bad, 1);
    pen.setDashPattern({5, 4});
    painter.setPen(pen);
    painter.drawLine(QPointF(plot().left(), y), QPointF(plot().right() + 1, y));
  }
  painter.setPen(QPen(theme().border, 1));
  const double floor_line = all.bottom(strip) + 0.5;
  painter.drawLine(QPointF(plot().left(), floor_line), QPointF(plot().right() + 1, floor_line));
  const bool first =
      strip == 0 || curves_->curves[static_cast<std::size_t>(strip) - 1].simulated->capacity != simulated.capacity;
  if (first && all.strip_height() >= min_for_two_lines)
    curves_->cut() ? draw_cut_label(painter, y) : draw_capacity_label(painter, simulated.capacity, y);
  draw_peak_mark(painter, curve, all.y_of(strip, simulated.peak), all.y_of(strip, simulated.peak_upper_bound));
}

QStringList View::describe_strip(int strip, double time, double y) const {
  const models::memory::Stack* stack = stack_of(strip);
  if (!stack) return describe(static_cast<std::size_t>(strip), time);
  const models::memory::Curve& curve = curves_->curves[static_cast<std::size_t>(strip)];
  const SimulatedDevice& simulated = *curve.simulated;
  // The pixel under the mouse shows its moment of maximum memory.
  const double half = (time_at(1) - time_at(0)) / 2;
  const MemoryBreakdown parts = stack->items().at(stack->highest(time - half, time + half));
  const auto here = models::memory::item_at(parts, strips().bytes_at(strip, y));
  const auto now = Nanoseconds(static_cast<std::int64_t>(std::max(0.0, time)));
  QStringList lines{tr("memory · %1").arg(models::devices_text(curve.devices, device_names_))};
  lines << tr("%1 at %2").arg(models::format_bytes(parts.total()), models::format_time(now));
  for (std::size_t i = models::memory::stacking_order.size(); i-- > 0;) {
    const MemoryItem item = models::memory::stacking_order[i];
    if (parts[item].count == 0) continue;
    const Bytes at_peak = simulated.peak_breakdown[item];
    QString line = (item == here ? tr("  › %1  %2") : tr("    %1  %2"))
                       .arg(models::format_bytes(parts[item]), widgets::item_text(item));
    if (at_peak != parts[item]) line += tr(", at the peak %1").arg(models::format_bytes(at_peak));
    lines << line;
  }
  lines << tr("peak %1 of %2, at %3")
               .arg(models::format_bytes(simulated.peak), models::format_bytes(simulated.capacity),
                    models::format_time(simulated.peak_time));
  return lines << fit_lines(simulated);
}

}  // namespace pipedeck::views::memory
