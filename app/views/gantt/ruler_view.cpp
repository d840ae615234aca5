// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/gantt/ruler_view.hpp"

#include <algorithm>
#include <cmath>

#include <QFontMetrics>
#include <QPainter>

#include "app/models/format.hpp"

namespace pipedeck::views::gantt {

namespace {

constexpr double between_ticks = 90;  // pixels, about
constexpr int tick_length = 4;

}  // namespace

RulerView::RulerView(TimeAxisController* link, QWidget* parent) : TimeView(link, parent) {
  setObjectName(QStringLiteral("ruler_view"));
  setAccessibleName(tr("Time scale"));
  setFocusPolicy(Qt::NoFocus);
  draws_cursor_ = false;
}

void RulerView::draw_content(QPainter& painter, QImage&) {
  painter.setFont(widgets::caption_font(font()));
  const QFontMetrics metrics(painter.font());
  const models::gantt::TimeAxis& axis = link().axis();
  const double step = axis.tick_step(plot().width(), between_ticks);
  for (double time = std::ceil(axis.begin / step - 1e-9) * step; time <= axis.end; time += step) {
    const double x = std::round(x_of(time)) + 0.5;
    painter.setPen(QPen(theme().muted, 1));
    painter.drawLine(QPointF(x, 0), QPointF(x, tick_length));
    const QString text = models::format_tick(time, step, axis.end);
    const int width = metrics.horizontalAdvance(text);
    // The last label stays inside the widget.
    const double left = std::min(x - width / 2.0, this->width() - width - 2.0);
    painter.drawText(QRectF(left, tick_length + 3, width + 1, metrics.height()), Qt::AlignLeft | Qt::AlignTop, text);
  }
}

/// Draws "A" and "B" under the cursors of a measure.
void RulerView::draw_flags(QPainter& painter) const {
  if (!link().measure()) return;
  const auto flag = [&](double time, const QString& letter) {
    const double x = x_of(time);
    if (x < plot().left() || x > plot().right() + 1) return;
    painter.setFont(widgets::section_font(font()));
    const QFontMetrics metrics(painter.font());
    const QRectF bubble(std::floor(x) - 7.5, 2, 16, metrics.height() + 5.0);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme().accent);
    painter.drawRoundedRect(bubble, widgets::ThemeSizes::radius, widgets::ThemeSizes::radius);
    painter.setPen(theme().on(theme().accent));
    painter.drawText(bubble, Qt::AlignCenter, letter);
  };
  flag(link().measure()->from, QStringLiteral("A"));
  if (link().measure()->to) flag(*link().measure()->to, QStringLiteral("B"));
}

void RulerView::draw_overlay(QPainter& painter) {
  draw_flags(painter);
  if (!link().cursor()) return;
  const double time = *link().cursor();
  const double x = x_of(time);
  if (x < plot().left() || x > plot().right() + 1) return;
  painter.setFont(widgets::section_font(font()));
  const QFontMetrics metrics(painter.font());
  // One digit finer than the ticks: the resolution of a pixel.
  const QString text = models::format_tick(time, link().axis().tick_step(plot().width(), 10), link().axis().end);
  const double width = metrics.horizontalAdvance(text) + 16.0;
  const double left = std::clamp(x - width / 2, 0.0, this->width() - width);
  const QRectF bubble(left, 2, width, metrics.height() + 5);
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme().cursor);
  painter.drawRoundedRect(bubble, widgets::ThemeSizes::radius, widgets::ThemeSizes::radius);
  painter.setPen(theme().on(theme().cursor));
  painter.drawText(bubble, Qt::AlignCenter, text);
}

}  // namespace pipedeck::views::gantt
