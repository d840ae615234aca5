// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/choice_pictures.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <QCoreApplication>
#include <QPainter>

namespace pipedeck::app {

namespace {

constexpr double inset = 4;

struct Text {
  Q_DECLARE_TR_FUNCTIONS(pipedeck::app::Choices)
};

/// A box in shares of the picture's inside.
void box(QPainter& painter, const QRectF& area, const QRectF& share, const QColor& colour) {
  const QRectF inner = area.adjusted(inset, inset, -inset, -inset);
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  painter.drawRoundedRect(
      QRectF(inner.left() + share.left() * inner.width(), inner.top() + share.top() * inner.height(),
             share.width() * inner.width() - 1, share.height() * inner.height() - 1),
      ThemeSizes::box_radius, ThemeSizes::box_radius);
}

void pipe(QPainter& painter, const QRectF& area, const Theme& theme) {
  painter.setPen(QPen(theme.muted, 1));
  painter.setBrush(theme.panel);
  const QRectF inner = area.adjusted(inset, inset + 6, -inset, -inset - 6);
  painter.drawLine(inner.topLeft(), inner.topRight());
  painter.drawLine(inner.bottomLeft(), inner.bottomRight());
}

/// Each transfer has the whole width of its way.
void paint_ideal(QPainter& painter, const QRectF& area, const Theme& theme) {
  pipe(painter, area, theme);
  box(painter, area, {0.04, 0.22, 0.36, 0.58}, theme.of(OpKind::send));
  box(painter, area, {0.42, 0.22, 0.36, 0.58}, theme.of(OpKind::all_reduce));
}

/// Two at once have half of the width each and take twice as long.
void paint_shared(QPainter& painter, const QRectF& area, const Theme& theme) {
  pipe(painter, area, theme);
  box(painter, area, {0.04, 0.22, 0.72, 0.29}, theme.of(OpKind::send));
  box(painter, area, {0.04, 0.51, 0.72, 0.29}, theme.of(OpKind::all_reduce));
}

void paint_backward(QPainter& painter, const QRectF& area, const Theme& theme) {
  for (int layer = 0; layer < 4; ++layer)
    box(painter, area, {0.15 * layer, 0.1, 0.15, 0.4}, theme.of(OpKind::backward));
}

void paint_reductions(QPainter& painter, const QRectF& area, const Theme& theme,
                      const std::vector<std::pair<double, double>>& spans) {
  paint_backward(painter, area, theme);
  for (const auto& [from, width] : spans) box(painter, area, {from, 0.55, width, 0.35}, theme.of(OpKind::all_reduce));
}

Choice make(const QString& key, const QString& title, const QString& summary,
            std::function<void(QPainter&, const QRectF&, const Theme&)> picture) {
  return {key, title, summary, {}, std::move(picture)};
}

}  // namespace

void paint_small_gantt(QPainter& painter, const QRectF& area, const Timeline& timeline, Nanoseconds span,
                       const Theme& theme) {
  const auto lanes = std::ranges::count(timeline.lanes, LaneRole::compute, &TimelineLane::role);
  if (lanes == 0 || span.count <= 0) return;
  const QRectF inner = area.adjusted(inset, inset, -inset, -inset);
  const double height = std::floor(inner.height() / static_cast<double>(lanes));
  const double scale = inner.width() / static_cast<double>(span.count);
  painter.setRenderHint(QPainter::Antialiasing, false);
  double top = inner.top();
  for (const TimelineLane& lane : timeline.lanes) {
    if (lane.role != LaneRole::compute) continue;
    painter.fillRect(QRectF(inner.left(), top, inner.width(), height - 1), theme.panel);
    std::set<int> stages;
    for (std::size_t i = lane.begin; i < lane.end; ++i) stages.insert(timeline.stage[i]);
    for (std::size_t i = lane.begin; i < lane.end && timeline.start[i] < span.count; ++i) {
      const auto chunk = static_cast<int>(std::distance(stages.begin(), stages.find(timeline.stage[i])));
      const double left = inner.left() + static_cast<double>(timeline.start[i]) * scale;
      const double right = std::min(inner.right(), left + static_cast<double>(timeline.duration[i]) * scale);
      painter.fillRect(QRectF(left, top, std::max(0.5, right - left - 0.5), height - 1),
                       shade_of_chunk(theme.of(timeline.kind[i]), chunk, static_cast<int>(stages.size()), theme));
    }
    top += height;
  }
}

std::vector<Choice> network_choices() {
  return {make(key_of(NetworkModel::ideal), Text::tr("Ideal network"),
               Text::tr("Every transfer has the whole bandwidth of its way; those between the same two nodes go one "
                        "after another."),
               paint_ideal),
          make(key_of(NetworkModel::shared), Text::tr("Shared network"),
               Text::tr("Whatever crosses a link at the same time shares its bandwidth fairly, all-reduces included."),
               paint_shared)};
}

std::vector<Choice> overlap_choices() {
  return {make(key_of(Overlap::none), Text::tr("After backward"),
               Text::tr("A stage's gradients are all-reduced once its last backward is done."),
               [](QPainter& painter, const QRectF& area, const Theme& theme) {
                 paint_reductions(painter, area, theme, {{0.6, 0.38}});
               }),
          make(key_of(Overlap::layer), Text::tr("By layer"),
               Text::tr("Each layer's gradients are all-reduced as soon as they are there, behind the backward."),
               [](QPainter& painter, const QRectF& area, const Theme& theme) {
                 paint_reductions(painter, area, theme, {{0.15, 0.1}, {0.3, 0.1}, {0.45, 0.1}, {0.6, 0.1}});
               })};
}

}  // namespace pipedeck::app
