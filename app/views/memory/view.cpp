// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/memory/view.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <QPainter>
#include <QPainterPath>
#include <QtMath>

#include "app/models/format.hpp"
#include "app/views/memory/accessible.hpp"
#include "app/views/widgets/hover_card.hpp"
#include "app/views/widgets/pixel_canvas.hpp"

namespace pipedeck::views::memory {

namespace {

constexpr int top_space = 6, bottom_space = 8;  // around the plot's frame
constexpr int dense = 3;                        // pixels per step, below which a curve is drawn by columns
constexpr double chart_headroom = 1.1;          // above the highest curve or capacity
constexpr double cut_headroom = 1.5;            // above the highest curve where the axis is cut below the capacity

}  // namespace

QStringList fit_lines(const SimulatedDevice& simulated) {
  QStringList lines;
  if (simulated.peak > simulated.capacity)
    lines
        << View::tr("does not fit: %1 above its memory").arg(models::format_bytes(simulated.peak - simulated.capacity));
  if (simulated.peak_upper_bound > simulated.peak)
    lines << (simulated.peak_upper_bound > simulated.capacity
                  ? View::tr("upper estimate %1, above its memory")
                  : View::tr("upper estimate %1, whatever the operation times"))
                 .arg(models::format_bytes(simulated.peak_upper_bound));
  return lines;
}

View::View(gantt::TimeAxisController* link, QWidget* parent)
    : gantt::TimeView(link, parent), card_(new widgets::HoverCard(this)) {
  install_accessible_memory();  // before any interface is requested
  setObjectName(QStringLiteral("memory_view"));
  setAccessibleName(tr("Memory over time"));
}

void View::set_simulation(std::shared_ptr<const Simulation> simulation) {
  if (curves_ && curves_->simulation == simulation) return;
  set_curves(models::memory::make_memory_curves(std::move(simulation)));
}

void View::set_curves(std::shared_ptr<const models::memory::Curves> curves) {
  if (curves == curves_) return;
  curves_ = std::move(curves);
  stacks_.reset();  // belong to the previous simulation
  hover_.reset();
  card_->hide();
  if (curves_ && !curves_->curves.empty()) {
    QStringList peaks;
    for (const models::memory::Curve& curve : curves_->curves)
      peaks << tr("%1: peak %2 of %3")
                   .arg(models::devices_text(curve.devices, device_names_), models::format_bytes(curve.simulated->peak),
                        models::format_bytes(curve.simulated->capacity));
    setAccessibleDescription(peaks.join(QStringLiteral("; ")));
  }
  if (by_item_) updateGeometry();
  refresh();
}

void View::set_by_item(bool on) {
  if (on == by_item_) return;
  by_item_ = on;
  hover_.reset();
  card_->hide();
  updateGeometry();
  refresh();
}

void View::set_items(std::shared_ptr<const models::memory::Stacks> stacks) {
  if (stacks == stacks_) return;
  stacks_ = std::move(stacks);
  if (by_item_) refresh();
}

void View::set_device_names(const QStringList& names) {
  device_names_ = names;
  refresh();
}

double View::y_of(Bytes bytes) const {
  const double headroom = curves_ && curves_->cut() ? cut_headroom : chart_headroom;
  const double full = curves_ ? std::max<double>(1, static_cast<double>(curves_->axis_top.count)) * headroom : 1;
  const double bottom = height() - bottom_space, top = top_space;
  return bottom - static_cast<double>(bytes.count) / full * (bottom - top);
}

void View::draw_content(QPainter& painter, QImage& canvas) {
  if (by_item_) return draw_strips(painter, canvas);
  const QRectF frame(plot().left() - 0.5, top_space - 0.5, plot().width() + 1, height() - top_space - bottom_space + 1);
  painter.setPen(QPen(theme().border, 1));
  painter.setBrush(theme().panel);
  painter.drawRect(frame);
  painter.setFont(widgets::caption_font(font()));
  painter.setPen(theme().muted);
  const QRect label(widgets::ThemeSizes::margin, top_space - 1, link().label_width() - widgets::ThemeSizes::margin,
                    painter.fontMetrics().height() + 4);
  painter.drawText(label, Qt::AlignLeft | Qt::AlignVCenter, tr("memory"));
  if (!curves_ || curves_->curves.empty()) return;
  Bytes peak;
  bool over = false;
  for (const models::memory::Curve& curve : curves_->curves) {
    peak = std::max(peak, curve.simulated->peak);
    over |= curve.simulated->peak > curve.simulated->capacity;
  }
  painter.setPen(over ? theme().bad : theme().muted);
  painter.drawText(label.translated(0, painter.fontMetrics().height() + 1), Qt::AlignLeft | Qt::AlignVCenter,
                   models::format_bytes(peak));
  painter.save();
  painter.setClipRect(plot(), Qt::IntersectClip);
  draw_capacity(painter);
  QImage* pixels = painter.device() == &canvas ? &canvas : nullptr;
  for (const models::memory::Curve& curve : curves_->curves) draw_curve(painter, pixels, curve, 1.5);
  draw_capacity_labels(painter);
  draw_peak(painter);
  painter.restore();
}

void View::draw_capacity(QPainter& painter) const {
  if (curves_->cut()) return draw_cut(painter);
  for (const Bytes capacity : curves_->capacities) {
    const double y = std::round(y_of(capacity)) + 0.5;
    QPen pen(theme().bad, 1);
    pen.setDashPattern({5, 4});
    painter.setPen(pen);
    painter.drawLine(QPointF(plot().left(), y), QPointF(plot().right() + 1, y));
  }
}

/// Marks that the axis ends below the capacity: a wave across the plot.
void View::draw_cut(QPainter& painter) const {
  constexpr double length = 12, height = 2;
  const double y = top_space + 4.5;
  QPolygonF wave;
  for (double x = plot().left(); x <= plot().right() + length; x += length / 2)
    wave << QPointF(x, y + (wave.size() % 2 == 0 ? height : -height));
  painter.setPen(QPen(theme().muted, 1));
  painter.drawPolyline(wave);
}

void View::draw_capacity_labels(QPainter& painter) const {
  if (curves_->cut()) return draw_cut_label(painter, top_space + 6);
  for (const Bytes capacity : curves_->capacities) draw_capacity_label(painter, capacity, y_of(capacity));
}

void View::draw_capacity_label(QPainter& painter, Bytes capacity, double y) const {
  draw_mark_label(painter, models::format_bytes(capacity), theme().bad, y);
}

void View::draw_cut_label(QPainter& painter, double y) const {
  const QString text = tr("axis cut: capacity %1").arg(models::format_bytes(curves_->capacities.back()));
  draw_mark_label(painter, text, theme().muted, y);
}

void View::draw_mark_label(QPainter& painter, const QString& text, const QColor& colour, double y) const {
  painter.setFont(widgets::caption_font(font()));
  const QFontMetrics metrics(painter.font());
  const double width = metrics.horizontalAdvance(text) + 8.0;
  const QRectF place(plot().right() - width - 2, std::round(y) + 2, width, metrics.height());
  QColor veil = theme().panel;
  veil.setAlphaF(0.85F);
  painter.fillRect(place, veil);  // curves stay visible, and the value readable
  painter.setPen(colour);
  painter.drawText(place, Qt::AlignCenter, text);
}

/// Draws the columns of a dense curve as pixels. Stroking a line of thousands of segments takes a hundred times as long
/// as its columns. One painter call per column takes ten times as long as writing pixels.
void View::draw_columns(QPainter& painter, QImage* canvas, const std::vector<QLineF>& columns, const QColor& color,
                        double bottom) const {
  if (!canvas) {
    const bool smooth = painter.testRenderHint(QPainter::Antialiasing);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(QPen(color, 1));
    painter.drawLines(columns.data(), static_cast<int>(columns.size()));
    painter.setRenderHint(QPainter::Antialiasing, smooth);
    return;
  }
  const qreal ratio = canvas->devicePixelRatio();
  const int left = qRound(plot().left() * ratio), right = qRound((plot().right() + 1) * ratio);
  widgets::PixelCanvas pixels(*canvas, QRect(left, 0, right - left, qRound(bottom * ratio)));
  for (const QLineF& column : columns)
    pixels.fill(qRound((column.x1() - 0.5) * ratio), qRound((column.x1() + 0.5) * ratio), qFloor(column.y1() * ratio),
                qFloor(column.y2() * ratio) + 1, color.rgb());
}

/// `canvas`: the image that the painter draws on, if pixels can be written to it.
void View::draw_curve(QPainter& painter, QImage* canvas, const models::memory::Curve& curve, double pen_width) const {
  const models::gantt::TimeAxis& axis = link().axis();
  const std::vector<MemoryPoint>& points = curve.simulated->curve;
  const auto from = [&points](double time) {
    return std::partition_point(points.begin(), points.end(), [time](const MemoryPoint& point) {
      return static_cast<double>(point.time.count) <= time;
    });
  };
  const double last = x_of(std::min(static_cast<double>(curves_->end), axis.end));
  if (points.empty() || last < plot().left()) return;
  const auto first_after = from(axis.begin), after = from(axis.end);
  QPolygonF line;
  std::vector<QLineF> columns;  // replace the line where it would oscillate within every pixel
  line << QPointF(plot().left(), y_of(Bytes(curve.at(axis.begin))));
  if (after - first_after <= plot().width() / dense) {
    for (auto point = first_after; point < after; ++point) {
      const double x = x_of(static_cast<double>(point->time.count));
      line << QPointF(x, line.last().y()) << QPointF(x, y_of(point->bytes));
    }
  } else {
    // Too many steps to stroke: each pixel shows the minimum and maximum during it.
    const int left = plot().left();
    const std::vector<models::memory::Range> ranges =
        curve.ranges(axis.begin, time_at(left + 1) - axis.begin, static_cast<std::size_t>(std::ceil(last - left)));
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const double x = left + static_cast<double>(i);
      const models::memory::Range& range = ranges[i];
      const double high = y_of(Bytes(range.most)), low = y_of(Bytes(range.least)), before = line.last().y();
      line << QPointF(x + 0.5, high) << QPointF(x + 0.5, low);
      // Connected to the previous pixel.
      columns.emplace_back(x + 0.5, std::min(high, before), x + 0.5, std::max({low, before, high + pen_width}));
    }
  }
  line << QPointF(last, line.last().y());
  const auto draw = [&](const QColor& color, double fill, double bottom) {
    if (fill > 0) {
      QPolygonF area = line;
      area << QPointF(last, y_of(Bytes(0))) << QPointF(plot().left(), y_of(Bytes(0)));
      QColor shade = color;
      shade.setAlphaF(fill);
      painter.setPen(Qt::NoPen);
      painter.setBrush(shade);
      painter.drawPolygon(area);
    }
    if (columns.empty()) {
      painter.setPen(QPen(color, pen_width));
      painter.drawPolyline(line);
      return;
    }
    draw_columns(painter, canvas, columns, color, bottom);
  };
  // Shading under each of several curves would only add up to grey.
  draw(theme().of_group(curve.stage), curves_->curves.size() == 1 ? 0.1F : 0.0F, height());
  if (curve.simulated->capacity.count == 0 || curve.simulated->peak <= curve.simulated->capacity) return;
  painter.save();
  const double capacity = y_of(curve.simulated->capacity);
  painter.setClipRect(QRectF(plot().left(), 0, plot().width(), capacity), Qt::IntersectClip);
  draw(theme().bad, 0.3F, capacity);
  painter.restore();
}

void View::draw_peak(QPainter& painter) const {
  const auto highest = std::max_element(curves_->curves.begin(), curves_->curves.end(),
                                        [](const models::memory::Curve& a, const models::memory::Curve& b) {
                                          return a.simulated->peak < b.simulated->peak;
                                        });
  draw_peak_mark(painter, *highest, y_of(highest->simulated->peak), y_of(highest->simulated->peak_upper_bound));
}

void View::draw_peak_mark(QPainter& painter, const models::memory::Curve& curve, double peak_y, double upper_y) const {
  constexpr double cap = 4;  // half the width of the whisker's end
  const SimulatedDevice& simulated = *curve.simulated;
  const double x = x_of(static_cast<double>(simulated.peak_time.count));
  const bool over = simulated.peak > simulated.capacity;
  if (simulated.peak_upper_bound > simulated.peak) {
    const bool beyond = simulated.peak_upper_bound > simulated.capacity;
    painter.setPen(QPen(over ? theme().bad : beyond ? theme().warning : theme().muted, 1.2));
    painter.drawLine(QPointF(x, peak_y), QPointF(x, upper_y));
    painter.drawLine(QPointF(x - cap, upper_y), QPointF(x + cap, upper_y));
  }
  painter.setPen(QPen(theme().panel, 1.5));
  painter.setBrush(over ? theme().bad : theme().of_group(curve.stage));
  painter.drawEllipse(QPointF(x, peak_y), 3.5, 3.5);
}

void View::draw_overlay(QPainter& painter) {
  if (!hover_ || !curves_ || by_item_) return;
  painter.save();
  painter.setClipRect(plot(), Qt::IntersectClip);
  draw_curve(painter, nullptr, curves_->curves[*hover_], 2.5);
  painter.restore();
}

std::optional<std::size_t> View::curve_at(const QPointF& position) const {
  constexpr double reach = 8;
  if (!curves_ || position.x() < plot().left() || position.x() > plot().right()) return std::nullopt;
  const double begin = time_at(position.x() - 2), end = time_at(position.x() + 2);
  std::optional<std::size_t> best;
  double nearest = reach;
  for (std::size_t i = 0; i < curves_->curves.size(); ++i) {
    const models::memory::Range range = curves_->curves[i].range(begin, end);
    const double high = y_of(Bytes(range.most)), low = y_of(Bytes(range.least));
    const double away = position.y() < high ? high - position.y() : std::max(0.0, position.y() - low);
    if (away < nearest) nearest = away, best = i;
  }
  return best;
}

QStringList View::describe(std::size_t index, double time) const {
  const models::memory::Curve& curve = curves_->curves[index];
  const SimulatedDevice& simulated = *curve.simulated;
  const auto now = Nanoseconds(static_cast<std::int64_t>(std::max(0.0, time)));
  QStringList lines{tr("memory · %1").arg(models::devices_text(curve.devices, device_names_))};
  lines << tr("%1 at %2").arg(models::format_bytes(Bytes(curve.at(time))), models::format_time(now));
  lines << tr("peak %1 of %2, at %3")
               .arg(models::format_bytes(simulated.peak), models::format_bytes(simulated.capacity),
                    models::format_time(simulated.peak_time));
  lines << fit_lines(simulated);
  std::vector<MemoryItem> items;
  for (int i = 0; i < memory_item_count; ++i)
    if (simulated.peak_breakdown[static_cast<MemoryItem>(i)].count > 0) items.push_back(static_cast<MemoryItem>(i));
  std::stable_sort(items.begin(), items.end(), [&](MemoryItem a, MemoryItem b) {
    return simulated.peak_breakdown[a] > simulated.peak_breakdown[b];
  });
  for (const MemoryItem item : items)
    lines << tr("    %1  %2").arg(models::format_bytes(simulated.peak_breakdown[item]), widgets::item_text(item));
  return lines;
}

void View::hovered(const QPointF& position) {
  if (by_item_) {
    const auto strip = curves_ && plot().contains(position.toPoint()) ? strips().strip_at(position.y()) : std::nullopt;
    if (!strip) return card_->hide();
    return card_->show_at(position, describe_strip(*strip, time_at(position.x()), position.y()));
  }
  const auto now = curve_at(position);
  if (now != hover_) {
    hover_ = now;
    update();
  }
  if (now)
    card_->show_at(position, describe(*now, time_at(position.x())));
  else
    card_->hide();
}

QStringList View::peak_lines(std::size_t index) const {
  const models::memory::Curve& curve = curves_->curves[index];
  const SimulatedDevice& simulated = *curve.simulated;
  QStringList lines{tr("%1: peak %2 of %3, at %4")
                        .arg(models::devices_text(curve.devices, device_names_), models::format_bytes(simulated.peak),
                             models::format_bytes(simulated.capacity), models::format_time(simulated.peak_time))};
  for (const MemoryItem item : models::memory::stacking_order)
    if (simulated.peak_breakdown[item].count > 0)
      lines << tr("%1  %2").arg(models::format_bytes(simulated.peak_breakdown[item]), widgets::item_text(item));
  return lines << fit_lines(simulated);
}

QRectF View::curve_box(std::size_t curve) const {
  const auto strip = static_cast<int>(curve);
  if (by_item_) return QRectF(plot().left(), strips().top(strip), plot().width(), strips().strip_height());
  const double top = y_of(curves_->curves[curve].simulated->peak);
  return QRectF(plot().left(), top, plot().width(), y_of(Bytes(0)) - top);
}

std::optional<std::size_t> View::part_at(const QPointF& position) const {
  if (!by_item_) return curve_at(position);
  const auto strip = strips().strip_at(position.y());
  return strip ? std::optional(static_cast<std::size_t>(*strip)) : std::nullopt;
}

void View::unhovered() {
  card_->hide();
  if (!hover_) return;
  hover_.reset();
  update();
}

}  // namespace pipedeck::views::memory
