// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/gantt/ruler_view.hpp"

#include <algorithm>
#include <cmath>

#include <QFontMetrics>
#include <QPainter>

#include "app/models/format.hpp"
#include "app/views/gantt/flag_editor.hpp"

namespace pipedeck::views::gantt {

namespace {

constexpr double between_ticks = 90;  // pixels, about
constexpr int tick_length = 4;
constexpr int scale_height = 26;
constexpr int flag_height = 18;
constexpr double longest_note = 180;  // pixels

Nanoseconds ruler_time(double time) { return Nanoseconds(static_cast<std::int64_t>(std::max(0.0, time))); }

}  // namespace

RulerView::RulerView(TimeAxisController* link, QWidget* parent) : TimeView(link, parent) {
  setObjectName(QStringLiteral("ruler_view"));
  setAccessibleName(tr("Time scale"));
  setFocusPolicy(Qt::NoFocus);
  draws_cursor_ = false;
  is_scale_ = true;
  connect(link, &TimeAxisController::flags_changed, this, [this] {
    QStringList notes;
    for (const models::gantt::Flag& flag : this->link().flags())
      notes << tr("flag at %1: %2").arg(models::format_time(ruler_time(flag.begin)), flag.note);
    setAccessibleDescription(notes.join(QStringLiteral("; ")));
    updateGeometry();
    refresh();
  });
}

QSize RulerView::sizeHint() const { return {640, flag_row() + scale_height}; }

/// Returns the height of the row of flags, which is there if there are any.
int RulerView::flag_row() const { return link().flags().empty() ? 0 : flag_height; }

void RulerView::draw_content(QPainter& painter, QImage&) {
  painter.setFont(widgets::caption_font(font()));
  const QFontMetrics metrics(painter.font());
  const models::gantt::TimeAxis& axis = link().axis();
  const double step = axis.tick_step(plot().width(), between_ticks);
  for (double time = std::ceil(axis.begin / step - 1e-9) * step; time <= axis.end; time += step) {
    const double x = std::round(x_of(time)) + 0.5;
    painter.setPen(QPen(theme().muted, 1));
    painter.drawLine(QPointF(x, height() - tick_length), QPointF(x, height()));
    const QString text = models::format_tick(time, step, axis.end);
    const int width = metrics.horizontalAdvance(text);
    // The last label stays inside the widget.
    const double left = std::min(x - width / 2.0, this->width() - width - 2.0);
    painter.drawText(QRectF(left, height() - tick_length - 2 - metrics.height(), width + 1, metrics.height()),
                     Qt::AlignLeft | Qt::AlignTop, text);
  }
}

double RulerView::snapped(const QPointF& position) const {
  const double time = time_at(position.x());
  return snap_ ? snap_(time) : time;
}

/// Returns the pennant of a moment with its note, or the bar over a span.
QRectF RulerView::flag_box(std::size_t index) const {
  const models::gantt::Flag& flag = link().flags()[index];
  const double left = std::floor(x_of(flag.begin));
  const QFontMetrics metrics(widgets::caption_font(font()));
  const double note = flag.note.isEmpty() ? 0 : std::min(longest_note, metrics.horizontalAdvance(flag.note) + 6.0);
  const double span = flag.is_span() ? std::ceil(x_of(flag.end)) - left : 0;
  return {left, 1, std::max({10.0, span, note + 8}), flag_height - 3.0};
}

std::optional<std::size_t> RulerView::flag_at(const QPointF& position) const {
  if (position.y() >= flag_row() || position.x() < plot().left()) return std::nullopt;
  for (std::size_t i = link().flags().size(); i-- > 0;)  // the last is on top
    if (flag_box(i).contains(position)) return i;
  return std::nullopt;
}

void RulerView::draw_flags(QPainter& painter) const {
  painter.save();
  painter.setClipRect(plot().adjusted(-1, 0, 1, 0), Qt::IntersectClip);
  painter.setFont(widgets::caption_font(font()));
  const QFontMetrics metrics(painter.font());
  for (std::size_t i = 0; i < link().flags().size(); ++i) {
    const models::gantt::Flag& flag = link().flags()[i];
    const QRectF box = flag_box(i);
    if (box.right() < plot().left() || box.left() > plot().right()) continue;
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme().accent_soft);
    painter.drawRoundedRect(box, widgets::ThemeSizes::box_radius, widgets::ThemeSizes::box_radius);
    painter.setPen(QPen(theme().accent, 1.5));
    painter.drawLine(QPointF(box.left() + 0.5, box.top()), QPointF(box.left() + 0.5, height()));
    if (flag.is_span()) {
      const double end = std::floor(x_of(flag.end)) + 0.5;
      painter.drawLine(QPointF(box.left(), box.bottom()), QPointF(end, box.bottom()));
      painter.drawLine(QPointF(end, box.top()), QPointF(end, height()));
    }
    painter.setPen(theme().text);
    const QRectF text = box.adjusted(5, 0, -2, 0);
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(flag.note, Qt::ElideRight, static_cast<int>(text.width())));
  }
  painter.restore();
}

void RulerView::draw_bubble(QPainter& painter, double middle, const QString& text, const QColor& ground) const {
  painter.setFont(widgets::section_font(font()));
  const QFontMetrics metrics(painter.font());
  const double width = metrics.horizontalAdvance(text) + 16.0;
  const QRectF bubble(std::clamp(middle - width / 2, 0.0, std::max(0.0, this->width() - width)),
                      height() - metrics.height() - 6.0, width, metrics.height() + 4.0);
  painter.setPen(Qt::NoPen);
  painter.setBrush(ground);
  painter.drawRoundedRect(bubble, widgets::ThemeSizes::radius, widgets::ThemeSizes::radius);
  painter.setPen(theme().on(ground));
  painter.drawText(bubble, Qt::AlignCenter, text);
}

/// Draws the length of the span between its ends, or at the edge of the plot if its middle is out of sight.
void RulerView::draw_span(QPainter& painter) const {
  const auto span = link().span();
  if (!span) return;
  const double from = std::max<double>(x_of(span->first), plot().left());
  const double to = std::min<double>(x_of(span->second), plot().right());
  if (from <= to)
    draw_bubble(painter, (from + to) / 2, models::format_time(ruler_time(span->second - span->first)), theme().accent);
}

void RulerView::draw_overlay(QPainter& painter) {
  draw_flags(painter);
  if (link().cursor()) {
    const double time = *link().cursor(), x = x_of(time);
    // One digit finer than the ticks: the resolution of a pixel.
    if (x >= plot().left() && x <= plot().right() + 1)
      draw_bubble(painter, x, models::format_tick(time, link().axis().tick_step(plot().width(), 10), link().axis().end),
                  theme().cursor);
  }
  draw_span(painter);
}

void RulerView::hovered(const QPointF& position) {
  const auto flag = flag_at(position);
  setCursor(flag ? Qt::PointingHandCursor : Qt::IBeamCursor);
  setToolTip(flag ? link().flags()[*flag].note : QString());
}

void RulerView::clicked(const QPointF& position) {
  if (const auto flag = flag_at(position)) edit_flag(*flag);
}

bool RulerView::double_clicked(const QPointF& position) {
  if (flag_at(position) || position.x() < plot().left()) return false;
  const double time = std::clamp(snapped(position), 0.0, link().axis().full);
  link().add_flag({time, time});
  const auto& flags = link().flags();
  const auto added = std::ranges::find(flags, models::gantt::Flag{time, time});
  if (added != flags.end()) edit_flag(static_cast<std::size_t>(added - flags.begin()));
  return true;
}

void RulerView::edit_flag(std::size_t index) {
  auto* editor = new FlagEditor(&link(), index, this);
  editor->adjustSize();
  const QRectF box = flag_box(index);
  const int left = std::clamp(static_cast<int>(box.left()), 0, std::max(0, width() - editor->width()));
  editor->move(mapToGlobal(QPoint(left, flag_row() + 2)));
  editor->show();
}

}  // namespace pipedeck::views::gantt
