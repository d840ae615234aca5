// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/memory/pile_chart.hpp"

#include <algorithm>
#include <cmath>

#include <QMouseEvent>
#include <QPainter>
#include <QPolygonF>

#include "app/models/format.hpp"
#include "app/views/widgets/hover_card.hpp"

namespace pipedeck::views::memory {

namespace {

using models::memory::pile_class_count;
using models::memory::PileBytes;
using models::memory::PileClass;
using models::memory::PilePoint;
using models::memory::total;

constexpr double left_room = 76, right_room = 14, top_room = 26, bottom_room = 70;  // around the plot
constexpr double bar_width = 46, bar_gap = 22;
constexpr double legend_line = 18;

QColor colour_of(PileClass part, const widgets::Theme& theme) {
  return part == PileClass::untold ? widgets::blended(theme.muted, theme.panel, 0.5) : theme.of(item_of(part));
}

/// Returns the distance of grid lines: 1, 2 or 5 of a power of ten, in the axis' unit, so that there are three to
/// eight.
double grid_step(double full) {
  const double unit = full >= 0x1p30 ? 0x1p30 : 0x1p20;
  const double raw = full / unit / 4;
  const double ten = std::pow(10, std::floor(std::log10(raw)));
  return unit * ten * (raw < 2 * ten ? 1 : raw < 5 * ten ? 2 : 5);
}

QString time_text(double time, bool timed) {
  return timed ? models::format_time(milliseconds(time)) : PileChart::tr("event %1").arg(std::llround(time));
}

}  // namespace

PileChart::PileChart(QWidget* parent) : QWidget(parent), card_(new widgets::HoverCard(this)) {
  setObjectName(QStringLiteral("pile_chart"));
  setMouseTracking(true);
  setAccessibleName(tr("Measured memory over time"));
}

void PileChart::set_pile(models::memory::MeasuredPile pile) {
  pile_ = std::move(pile);
  QString words = tr("%1: measured peak %2").arg(pile_.title, models::format_bytes(total(pile_.peak.parts)));
  if (pile_.predicted) words += tr(", predicted %1").arg(models::format_bytes(total(*pile_.predicted)));
  setAccessibleDescription(words);
  card_->hide();
  update();
}

QRectF PileChart::plot() const {
  const double bars = pile_.predicted ? 2 * bar_width + 3 * bar_gap : bar_gap;
  return {left_room, top_room, std::max(10.0, width() - left_room - right_room - bars),
          std::max(10.0, height() - top_room - bottom_room)};
}

QRectF PileChart::measured_bar() const {
  if (!pile_.predicted) return {};
  return {plot().right() + bar_gap, plot().top(), bar_width, plot().height()};
}

QRectF PileChart::predicted_bar() const {
  if (!pile_.predicted) return {};
  return measured_bar().translated(bar_width + bar_gap, 0);
}

double PileChart::y_of(Bytes bytes) const {
  return plot().bottom() - static_cast<double>(bytes.count) / pile_.full() * plot().height();
}

double PileChart::x_of(double time) const { return plot().left() + time / pile_.end() * plot().width(); }

QStringList PileChart::describe(double time) const {
  const PilePoint& point = pile_.at(time);
  QStringList lines{
      tr("%1 live at %2").arg(models::format_bytes(total(point.parts)), time_text(point.time, pile_.timed))};
  for (int i = pile_class_count; i-- > 0;) {
    const Bytes bytes = point.parts[static_cast<std::size_t>(i)];
    if (bytes.count > 0) lines << tr("%1  %2").arg(models::format_bytes(bytes), text_of(static_cast<PileClass>(i)));
  }
  return lines << tr("%1  reserved by the allocator").arg(models::format_bytes(point.reserved));
}

void PileChart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), theme().window);
  if (pile_.points.empty()) return;
  painter.setRenderHint(QPainter::Antialiasing, false);
  draw_axes(painter);
  draw_areas(painter);
  draw_lines(painter);
  if (pile_.predicted) {
    draw_bar(painter, measured_bar(), pile_.peak.parts, tr("measured"));
    draw_bar(painter, predicted_bar(), *pile_.predicted, tr("predicted"));
  }
  draw_legend(painter);
}

void PileChart::draw_axes(QPainter& painter) const {
  const QRectF area = plot();
  painter.setFont(widgets::title_font(font()));
  painter.setPen(theme().text);
  painter.drawText(QRectF(left_room, 2, width() - left_room - right_room, top_room - 4),
                   Qt::AlignLeft | Qt::AlignVCenter, pile_.title);
  painter.fillRect(area, theme().panel);
  painter.setFont(widgets::caption_font(font()));
  const double step = grid_step(pile_.full());
  for (int i = 0; step * i <= pile_.full(); ++i) {
    const auto bytes = Bytes(static_cast<std::int64_t>(step * i));
    const double y = std::round(y_of(bytes)) + 0.5;
    painter.setPen(theme().grid);
    painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    painter.setPen(theme().muted);
    painter.drawText(QRectF(0, y - 10, left_room - 8, 20), Qt::AlignRight | Qt::AlignVCenter,
                     models::format_bytes(bytes));
  }
  const QRectF below(area.left(), area.bottom() + 4, area.width(), 18);
  painter.drawText(below, Qt::AlignLeft | Qt::AlignTop, time_text(0, pile_.timed));
  painter.drawText(below, Qt::AlignRight | Qt::AlignTop, time_text(pile_.points.back().time, pile_.timed));
}

/// Draws each class from its own lower edge: the upper ones are drawn last.
void PileChart::draw_areas(QPainter& painter) const {
  const QRectF area = plot();
  painter.save();
  painter.setClipRect(area);
  painter.setPen(Qt::NoPen);
  std::vector<Bytes> below(pile_.points.size());
  for (int i = 0; i < pile_class_count; ++i) {
    QPolygonF top, bottom;
    for (std::size_t k = 0; k < pile_.points.size(); ++k) {
      const double x = x_of(pile_.points[k].time);
      const double end = k + 1 < pile_.points.size() ? x_of(pile_.points[k + 1].time) : area.right();
      bottom << QPointF(x, y_of(below[k])) << QPointF(end, y_of(below[k]));
      below[k] += pile_.points[k].parts[static_cast<std::size_t>(i)];
      top << QPointF(x, y_of(below[k])) << QPointF(end, y_of(below[k]));
    }
    std::reverse(bottom.begin(), bottom.end());
    painter.setBrush(colour_of(static_cast<PileClass>(i), theme()));
    painter.drawPolygon(top + bottom);
  }
  painter.restore();
}

void PileChart::draw_lines(QPainter& painter) const {
  const QRectF area = plot();
  QPolygonF reserved;
  for (std::size_t k = 0; k < pile_.points.size(); ++k) {
    const double y = y_of(pile_.points[k].reserved);
    reserved << QPointF(x_of(pile_.points[k].time), y)
             << QPointF(k + 1 < pile_.points.size() ? x_of(pile_.points[k + 1].time) : area.right(), y);
  }
  painter.setPen(QPen(theme().text, 1.5));
  painter.drawPolyline(reserved);
  painter.setFont(widgets::caption_font(font()));
  if (!pile_.predicted) return;
  QPen pen(theme().accent, 1.5);
  pen.setDashPattern({5, 4});
  painter.setPen(pen);
  const double y = std::round(y_of(total(*pile_.predicted))) + 0.5;
  painter.drawLine(QPointF(area.left(), y), QPointF(predicted_bar().right(), y));
}

void PileChart::draw_bar(QPainter& painter, const QRectF& bar, const PileBytes& parts, const QString& name) const {
  Bytes below;
  for (int i = 0; i < pile_class_count; ++i) {
    const double bottom = y_of(below);
    below += parts[static_cast<std::size_t>(i)];
    painter.fillRect(QRectF(QPointF(bar.left(), y_of(below)), QPointF(bar.right(), bottom)),
                     colour_of(static_cast<PileClass>(i), theme()));
  }
  painter.setFont(widgets::caption_font(font()));
  painter.setPen(theme().text);
  const QRectF label(bar.left() - bar_gap / 2, y_of(below) - 19, bar_width + bar_gap, 18);
  painter.drawText(label, Qt::AlignHCenter | Qt::AlignBottom, models::format_bytes(below));
  painter.setPen(theme().muted);
  painter.drawText(QRectF(bar.left() - bar_gap / 2, bar.bottom() + 4, bar_width + bar_gap, 18),
                   Qt::AlignHCenter | Qt::AlignTop, name);
}

void PileChart::draw_legend(QPainter& painter) const {
  painter.setFont(widgets::caption_font(font()));
  const QFontMetrics metrics(painter.font());
  double x = left_room;
  double y = height() - 42;
  const auto entry = [&](const QColor& colour, double mark_height, const QString& words) {
    const double needed = 17 + metrics.horizontalAdvance(words);
    if (x > left_room && x + needed > width() - right_room) x = left_room, y += legend_line;
    painter.fillRect(QRectF(x, y + 8 - mark_height / 2, 12, mark_height), colour);
    painter.setPen(theme().muted);
    painter.drawText(QRectF(x + 17, y - 2, 400, 20), Qt::AlignLeft | Qt::AlignVCenter, words);
    x += needed + 16;
  };
  for (int i = 0; i < pile_class_count; ++i) {
    const auto part = static_cast<PileClass>(i);
    const auto place = static_cast<std::size_t>(i);
    const bool shown =
        std::ranges::any_of(pile_.points, [&](const PilePoint& one) { return one.parts[place].count > 0; });
    if (shown || (pile_.predicted && (*pile_.predicted)[place].count > 0))
      entry(colour_of(part, theme()), 10, text_of(part));
  }
  entry(theme().text, 2, tr("reserved"));
  if (pile_.predicted) entry(theme().accent, 2, tr("predicted peak"));
}

void PileChart::mouseMoveEvent(QMouseEvent* event) {
  const QPointF position = event->position();
  if (pile_.points.empty() || !plot().contains(position)) return card_->hide();
  card_->show_at(position, describe((position.x() - plot().left()) / plot().width() * pile_.end()));
}

void PileChart::leaveEvent(QEvent*) { card_->hide(); }

}  // namespace pipedeck::views::memory
