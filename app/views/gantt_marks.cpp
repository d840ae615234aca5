// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/gantt_marks.hpp"

#include <algorithm>
#include <cmath>

#include "app/views/pixel_canvas.hpp"

namespace pipedeck::app {

namespace {

constexpr std::size_t most_outlined = 500;  // more boxes with outlines and connectors than that are a grey cloud
constexpr int underline = 2;                // pixels

void add(std::vector<PixelSpan>& spans, double left, double right) {
  if (!spans.empty() && left <= spans.back().right)
    spans.back().right = std::max(spans.back().right, right);
  else
    spans.push_back({left, right});
}

/// Where a part of the path is drawn.
class Boxes {
 public:
  Boxes(const GanttGeometry& geometry, int strip, const TimeAxis& axis, const QRect& plot)
      : geometry_(geometry), strip_(strip), axis_(axis), plot_(plot) {}

  double x_of(double time) const { return plot_.left() + axis_.to_pixel(time, plot_.width()); }
  QRectF of(const CriticalBox& part) const {
    const GanttRow& row = geometry_.rows[part.row];
    const double left = std::round(std::max(x_of(part.begin), plot_.left() - 10.0));
    const double right = std::round(std::min(x_of(part.end), plot_.right() + 10.0));
    const double top = part.strip ? row.bottom() - strip_ : row.top;
    return QRectF(left, top, std::max(1.0, right - left), row.bottom() - top);
  }

 private:
  const GanttGeometry& geometry_;
  int strip_;
  const TimeAxis& axis_;
  const QRect& plot_;
};

/// The rows of a chart as pixels of a canvas: what is told in pixels of the widget is drawn in those of the screen.
class Lanes {
 public:
  Lanes(QPainter& painter, QImage& canvas, const GanttGeometry& geometry, double left, double right)
      : geometry_(geometry),
        ratio_(canvas.devicePixelRatio()),
        left_(physical(left)),
        right_(physical(right)),
        pixels_(PixelCanvas::of(painter, canvas, QRect(left_, 0, std::max(0, right_ - left_), canvas.height()))) {}

  /// Half of the empty lane's colour over all but the `bright` parts.
  void dim_around(const std::vector<std::vector<PixelSpan>>& bright, QRgb empty) {
    std::vector<QRgb> veiled;
    for (std::size_t row = 0; row < bright.size(); ++row) {
      veiled.assign(static_cast<std::size_t>(std::max(0, right_ - left_)), PixelCanvas::all_bits);
      for (const PixelSpan& span : bright[row]) {
        const int from = std::clamp(physical(span.left), left_, right_);
        const int to = std::clamp(std::max(from + 1, physical(span.right)), from, right_);
        std::fill(veiled.begin() + (from - left_), veiled.begin() + (to - left_), QRgb{0});
      }
      const GanttRow& lane = geometry_.rows[row];
      pixels_.veil(left_, physical(lane.top), physical(lane.bottom()), veiled, empty);
    }
  }

  /// `height` pixels from `top` on.
  void line(double left, double right, double top, double height, QRgb color) {
    pixels_.fill(physical(left), physical(right), physical(top), physical(top + height), color);
  }

 private:
  int physical(double at) const { return qRound(at * ratio_); }

  const GanttGeometry& geometry_;
  qreal ratio_;
  int left_, right_;
  PixelCanvas pixels_;
};

/// Lines above and below where outlines would hide what they are around.
void draw_rails(Lanes& lanes, const GanttGeometry& geometry, const std::vector<std::vector<PixelSpan>>& bright,
                const Theme& theme) {
  for (std::size_t row = 0; row < bright.size(); ++row)
    for (const PixelSpan& span : bright[row]) {
      lanes.line(span.left, span.right, geometry.rows[row].top, 1, theme.text.rgb());
      lanes.line(span.left, span.right, geometry.rows[row].bottom() - 1, 1, theme.text.rgb());
    }
}

}  // namespace

void draw_matches(QPainter& painter, QImage& canvas, const GanttMatches& matches, const GanttGeometry& geometry,
                  const TimeAxis& axis, const QRect& plot, const Theme& theme) {
  painter.save();
  painter.setClipRect(plot, Qt::IntersectClip);
  std::vector<std::vector<PixelSpan>> bright(geometry.rows.size());
  for (std::size_t row = 0; row < geometry.rows.size(); ++row) {
    std::vector<PixelSpan> spans;
    for (const auto& lane :
         {main_lane(*matches.content, geometry.rows[row]), collective_lane(*matches.content, geometry.rows[row])})
      if (lane)
        for (const PixelSpan& span : match_spans(matches, *lane, axis, plot.width())) spans.push_back(span);
    std::ranges::sort(spans, {}, &PixelSpan::left);
    for (const PixelSpan& span : spans) add(bright[row], plot.left() + span.left, plot.left() + span.right);
  }
  Lanes lanes(painter, canvas, geometry, plot.left(), plot.left() + plot.width());
  lanes.dim_around(bright, theme.panel.rgb());
  for (std::size_t row = 0; row < bright.size(); ++row)
    for (const PixelSpan& span : bright[row])
      lanes.line(span.left, span.left + std::max(2.0, span.right - span.left - 1),
                 geometry.rows[row].bottom() - underline, underline, theme.text.rgb());
  painter.restore();
}

void draw_critical_path(QPainter& painter, QImage& canvas, const std::vector<CriticalBox>& path,
                        const GanttGeometry& geometry, int strip, const TimeAxis& axis, const QRect& plot,
                        const Theme& theme) {
  if (path.empty()) return;
  painter.save();
  painter.setClipRect(plot, Qt::IntersectClip);
  const Boxes boxes(geometry, strip, axis, plot);
  const auto first = std::ranges::partition_point(path, [&](const CriticalBox& part) { return part.end < axis.begin; });
  const auto last =
      std::partition_point(first, path.end(), [&](const CriticalBox& part) { return part.begin <= axis.end; });
  std::vector<std::vector<PixelSpan>> bright(geometry.rows.size());
  // Of more parts than the eye can tell apart, some of each pixel stand for the others.
  constexpr std::ptrdiff_t a_pixel = 16;
  const std::ptrdiff_t stride = std::max<std::ptrdiff_t>(1, (last - first) / (a_pixel * plot.width()));
  for (auto part = first; part < last; part += std::min(stride, last - part)) {
    const QRectF box = boxes.of(*part);
    add(bright[part->row], box.left(), box.right());
  }
  // Of an asynchronous plan the path is that of its steady state: what lies before and after stays as it is.
  const double left = std::max<double>(plot.left(), boxes.x_of(path.front().begin));
  const double right = std::min<double>(plot.right() + 1, boxes.x_of(path.back().end));
  Lanes lanes(painter, canvas, geometry, left, right);
  lanes.dim_around(bright, theme.panel.rgb());
  if (static_cast<std::size_t>(last - first) > most_outlined) {
    draw_rails(lanes, geometry, bright, theme);
    return painter.restore();
  }
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme.text, 1.6));
  for (auto part = first; part != last; ++part)
    painter.drawRoundedRect(boxes.of(*part).adjusted(0.5, 0.5, -0.5, -0.5), ThemeSizes::box_radius,
                            ThemeSizes::box_radius);
  for (auto part = first; part != last && part + 1 != last; ++part) {
    if (part->row == (part + 1)->row) continue;
    const QRectF from = boxes.of(*part), to = boxes.of(*(part + 1));
    const bool down = from.top() < to.top();
    painter.drawLine(QPointF(from.right(), down ? from.bottom() : from.top()),
                     QPointF(to.left(), down ? to.top() : to.bottom()));
  }
  painter.restore();
}

}  // namespace pipedeck::app
