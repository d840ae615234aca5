// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/gantt/marks.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <utility>

#include "app/views/widgets/pixel_canvas.hpp"

namespace pipedeck::views::gantt {

namespace {

constexpr std::size_t max_outlined = 500;  // more boxes with outlines and connectors become a grey cloud
constexpr int underline = 2;               // pixels

void add(std::vector<models::gantt::PixelSpan>& spans, double left, double right) {
  if (!spans.empty() && left <= spans.back().right)
    spans.back().right = std::max(spans.back().right, right);
  else
    spans.push_back({left, right});
}

/// A converter from parts of the path to their positions.
class Boxes {
 public:
  Boxes(const Frame& frame, int strip) : frame_(frame), strip_(strip) {}

  double x_of(double time) const { return frame_.plot.left() + frame_.axis.to_pixel(time, frame_.plot.width()); }
  QRectF of(const models::gantt::CriticalBox& part) const {
    const models::gantt::Row& row = frame_.geometry.rows[part.row];
    const double left = std::round(std::max(x_of(part.begin), frame_.plot.left() - 10.0));
    const double right = std::round(std::min(x_of(part.end), frame_.plot.right() + 10.0));
    const double top = part.strip ? row.bottom() - strip_ : row.top;
    return QRectF(left, top, std::max(1.0, right - left), row.bottom() - top);
  }

 private:
  const Frame& frame_;
  int strip_;
};

/// A set of rows as pixels of a canvas. It converts pixels of the widget to physical pixels.
class Lanes {
 public:
  Lanes(const Frame& frame, double left, double right)
      : geometry_(&frame.geometry),
        ratio_(frame.canvas.devicePixelRatio()),
        left_(physical(left)),
        right_(physical(right)),
        pixels_(widgets::PixelCanvas::of(frame.painter, frame.canvas,
                                         QRect(left_, 0, std::max(0, right_ - left_), frame.canvas.height()))) {}

  /// Blends half of the empty lane's colour over everything except the `bright` parts.
  void dim_around(std::size_t row, const std::vector<models::gantt::PixelSpan>& bright, QRgb empty, bool first_line) {
    veiled_.assign(width(), widgets::PixelCanvas::all_bits);
    for (const models::gantt::PixelSpan& span : bright) {
      const int from = std::clamp(physical(span.left), left_, right_);
      const int to = std::clamp(std::max(from + 1, physical(span.right)), from, right_);
      put(veiled_, from, to, 0);
    }
    const models::gantt::Row& lane = geometry_->rows[row];
    const int top = physical(lane.top);
    pixels_.blend_columns(left_, top, first_line ? top + 1 : physical(lane.bottom()), veiled_, empty);
  }

  /// Underlines each part with `height` pixels from `top` on. A line ends one pixel before the next part.
  void underline(const std::vector<models::gantt::PixelSpan>& parts, double top, double height, QRgb color) {
    lined_.assign(width(), 0);
    for (const models::gantt::PixelSpan& part : parts)
      put(lined_, physical(part.left), physical(part.left + std::max(2.0, part.right - part.left - 1)),
          widgets::PixelCanvas::all_bits);
    pixels_.fill_columns(left_, physical(top), physical(top + height), lined_, color);
  }
  /// Draws such a line over each part that stayed bright.
  void line_bright(double top, double height, QRgb color) {
    lined_.resize(width());
    std::ranges::transform(veiled_, lined_.begin(), [](QRgb veiled) { return ~veiled; });
    pixels_.fill_columns(left_, physical(top), physical(top + height), lined_, color);
  }

 private:
  int physical(double at) const { return qRound(at * ratio_); }
  std::size_t width() const { return static_cast<std::size_t>(std::max(0, right_ - left_)); }
  void put(std::vector<QRgb>& mask, int from, int to, QRgb bits) const {
    for (int x = std::max(from, left_); x < std::min(to, right_); ++x) mask[static_cast<std::size_t>(x - left_)] = bits;
  }

  const models::gantt::Geometry* geometry_;
  qreal ratio_;
  int left_, right_;
  widgets::PixelCanvas pixels_;
  std::vector<QRgb> veiled_, lined_;  // scratch of one row
};

/// Returns the spans of a row's matches, sorted and disjoint.
std::vector<models::gantt::PixelSpan> bright_parts(const Frame& frame, const models::gantt::Matches& matches,
                                                   const models::gantt::Row& row) {
  const auto spans_of = [&](std::size_t lane) {
    std::vector<models::gantt::PixelSpan> spans =
        models::gantt::match_spans(matches, lane, frame.axis, frame.plot.width());
    for (models::gantt::PixelSpan& span : spans) span.left += frame.plot.left(), span.right += frame.plot.left();
    return spans;
  };
  const auto main = models::gantt::main_lane(*matches.content, row),
             beneath = models::gantt::collective_lane(*matches.content, row);
  std::vector<models::gantt::PixelSpan> spans = main ? spans_of(*main) : std::vector<models::gantt::PixelSpan>();
  if (!beneath) return spans;
  for (const models::gantt::PixelSpan& span : spans_of(*beneath)) spans.push_back(span);
  std::ranges::sort(spans, {}, &models::gantt::PixelSpan::left);
  std::vector<models::gantt::PixelSpan> bright;
  for (const models::gantt::PixelSpan& span : spans) add(bright, span.left, span.right);
  return bright;
}

/// Returns the parts of the path that are in view.
std::span<const models::gantt::CriticalBox> in_view(const std::vector<models::gantt::CriticalBox>& path,
                                                    const models::gantt::TimeAxis& axis) {
  const auto first =
      std::ranges::partition_point(path, [&](const models::gantt::CriticalBox& part) { return part.end < axis.begin; });
  const auto last = std::partition_point(
      first, path.end(), [&](const models::gantt::CriticalBox& part) { return part.begin <= axis.end; });
  return {first, last};
}

}  // namespace

RowMark mark_matches(const Frame& frame, const models::gantt::Matches& matches) {
  struct Drawing {
    Lanes lanes;
    std::vector<models::gantt::PixelSpan> bright{};  // of the current row
  };
  const int left = frame.plot.left();
  const auto drawing = std::make_shared<Drawing>(Drawing{Lanes(frame, left, left + frame.plot.width())});
  return {[frame, &matches, drawing](std::size_t row, bool first_line) {
            drawing->bright = bright_parts(frame, matches, frame.geometry.rows[row]);
            drawing->lanes.dim_around(row, drawing->bright, frame.theme.panel.rgb(), first_line);
          },
          [frame, drawing](std::size_t row) {
            drawing->lanes.underline(drawing->bright, frame.geometry.rows[row].bottom() - underline, underline,
                                     frame.theme.text.rgb());
          }};
}

RowMark mark_critical_path(const Frame& frame, const std::vector<models::gantt::CriticalBox>& path, int strip) {
  const Boxes boxes(frame, strip);
  const std::span<const models::gantt::CriticalBox> parts = in_view(path, frame.axis);
  std::vector<std::vector<models::gantt::PixelSpan>> bright(frame.geometry.rows.size());
  // Where there are more parts than a reader can distinguish, some of each pixel represent the others.
  constexpr std::size_t a_pixel = 16;
  const std::size_t stride =
      std::max<std::size_t>(1, parts.size() / (a_pixel * static_cast<std::size_t>(frame.plot.width())));
  for (std::size_t i = 0; i < parts.size(); i += stride) {
    const QRectF box = boxes.of(parts[i]);
    add(bright[parts[i].row], box.left(), box.right());
  }
  // The path of an asynchronous plan covers its steady state. Everything before and after stays unchanged.
  const double left = std::max<double>(frame.plot.left(), boxes.x_of(path.front().begin));
  const double right = std::min<double>(frame.plot.right() + 1, boxes.x_of(path.back().end));
  const bool rails = parts.size() > max_outlined;
  const auto lanes = std::make_shared<Lanes>(frame, left, right);
  return {[frame, bright = std::move(bright), lanes](std::size_t row, bool first_line) {
            lanes->dim_around(row, bright[row], frame.theme.panel.rgb(), first_line);
          },
          [frame, rails, lanes](std::size_t row) {
            if (!rails) return;
            // Lines above and below, where outlines would hide the operations inside.
            const models::gantt::Row& lane = frame.geometry.rows[row];
            for (const double top : {lane.top, lane.bottom() - 1}) lanes->line_bright(top, 1, frame.theme.text.rgb());
          }};
}

void outline_critical_path(const Frame& frame, const std::vector<models::gantt::CriticalBox>& path, int strip) {
  const std::span<const models::gantt::CriticalBox> parts = in_view(path, frame.axis);
  if (parts.empty() || parts.size() > max_outlined) return;
  QPainter& painter = frame.painter;
  painter.save();
  painter.setClipRect(frame.plot, Qt::IntersectClip);
  const Boxes boxes(frame, strip);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(frame.theme.text, 1.6));
  for (const models::gantt::CriticalBox& part : parts)
    painter.drawRoundedRect(boxes.of(part).adjusted(0.5, 0.5, -0.5, -0.5), widgets::ThemeSizes::box_radius,
                            widgets::ThemeSizes::box_radius);
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    if (parts[i].row == parts[i + 1].row) continue;
    const QRectF from = boxes.of(parts[i]), to = boxes.of(parts[i + 1]);
    const bool down = from.top() < to.top();
    painter.drawLine(QPointF(from.right(), down ? from.bottom() : from.top()),
                     QPointF(to.left(), down ? to.top() : to.bottom()));
  }
  painter.restore();
}

}  // namespace pipedeck::views::gantt
