// SPDX-License-Identifier: GPL-3.0-or-later
// The critical path over a Gantt chart: all else dimmed, its operations outlined, each joined to the next.
#include <algorithm>
#include <cmath>

#include <QPainter>
#include <QPainterPath>

#include "app/views/gantt_view.hpp"

namespace pipedeck::app {

namespace {

constexpr double dimmed = 0.5;
constexpr std::size_t most_joined = 1500;  // more connectors than that are a grey cloud

}  // namespace

void GanttView::set_critical(std::shared_ptr<const CriticalPath> path) {
  if (path == critical_path_) return;
  critical_path_ = std::move(path);
  find_critical();
  update();
}

void GanttView::find_critical() {
  critical_.clear();
  if (content_ && critical_path_) critical_ = critical_boxes(*critical_path_, *content_, geometry_);
}

void GanttView::draw_critical(QPainter& painter) const {
  const auto box = [&](const CriticalBox& part) {
    const GanttRow& row = geometry_.rows[part.row];
    const double left = std::round(std::max(x_of(part.begin), plot().left() - 10.0));
    const double right = std::round(std::min(x_of(part.end), plot().right() + 10.0));
    const double top = part.strip ? row.bottom() - metrics_.strip : row.top;
    return QRectF(left, top, std::max(1.0, right - left), row.bottom() - top);
  };
  const auto seen = [&](const CriticalBox& part) {
    return part.end >= link().axis().begin && part.begin <= link().axis().end;
  };
  const auto first = std::ranges::find_if(critical_, seen);
  const auto last = std::find_if_not(first, critical_.end(), seen);
  QPainterPath bright, whole;
  for (auto part = first; part != last; ++part) bright.addRect(box(*part));
  // Of an asynchronous plan the path is that of its steady state: what lies before and after stays as it is.
  const double left = std::max<double>(plot().left(), x_of(critical_.front().begin));
  const double right = std::min<double>(plot().right() + 1, x_of(critical_.back().end));
  if (right > left)
    for (const GanttRow& row : geometry_.rows) whole.addRect(left, row.top, right - left, row.height);
  QColor veil = theme().panel;
  veil.setAlphaF(dimmed);
  bright.setFillRule(Qt::WindingFill);
  painter.fillPath(whole.subtracted(bright), veil);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme().text, 1.6));
  for (auto part = first; part != last; ++part)
    painter.drawRoundedRect(box(*part).adjusted(0.5, 0.5, -0.5, -0.5), ThemeSizes::box_radius, ThemeSizes::box_radius);
  if (static_cast<std::size_t>(last - first) > most_joined) return;
  for (auto part = first; part != last && part + 1 != last; ++part) {
    if (part->row == (part + 1)->row) continue;
    const QRectF from = box(*part), to = box(*(part + 1));
    const bool down = from.top() < to.top();
    painter.drawLine(QPointF(from.right(), down ? from.bottom() : from.top()),
                     QPointF(to.left(), down ? to.top() : to.bottom()));
  }
}

}  // namespace pipedeck::app
