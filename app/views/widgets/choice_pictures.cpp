// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/widgets/choice_pictures.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <QCoreApplication>
#include <QPainter>

namespace pipedeck::views::widgets {

namespace {

constexpr double inset = 4;

struct Text {
  Q_DECLARE_TR_FUNCTIONS(Choices)
};

/// Draws a box, in fractions of the picture's inside.
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

/// Draws transfers that each have the full width of their link.
void paint_ideal(QPainter& painter, const QRectF& area, const Theme& theme) {
  pipe(painter, area, theme);
  box(painter, area, {0.04, 0.22, 0.36, 0.58}, theme.of(OpKind::send));
  box(painter, area, {0.42, 0.22, 0.36, 0.58}, theme.of(OpKind::all_reduce));
}

/// Draws two concurrent transfers: each has half the width and takes twice as long.
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

/// Draws devices on a circle that send to their neighbours, in fractions of the picture's inside.
void ring(QPainter& painter, const QRectF& area, QPointF centre, double size, int devices, const QColor& colour,
          const Theme& theme) {
  const QRectF inner = area.adjusted(inset + 3, inset + 3, -inset - 3, -inset - 3);
  const QPointF middle(inner.left() + centre.x() * inner.width(), inner.top() + centre.y() * inner.height());
  const double radius = size * inner.height() / 2;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme.muted, 1.2));
  painter.drawEllipse(middle, radius, radius);
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  constexpr double turn = 6.283185307179586;
  for (int i = 0; i < devices; ++i)
    painter.drawEllipse(middle + QPointF(std::sin(turn * i / devices), -std::cos(turn * i / devices)) * radius, 2.6,
                        2.6);
}

void paint_ring(QPainter& painter, const QRectF& area, const Theme& theme) {
  ring(painter, area, {0.5, 0.5}, 0.9, 8, theme.of(OpKind::all_reduce), theme);
}

void paint_hierarchical(QPainter& painter, const QRectF& area, const Theme& theme) {
  ring(painter, area, {0.5, 0.5}, 0.45, 2, theme.of(OpKind::send), theme);
  for (const double x : {0.22, 0.78}) ring(painter, area, {x, 0.5}, 0.8, 4, theme.of(OpKind::all_reduce), theme);
}

void paint_least(QPainter& painter, const QRectF& area, const Theme& theme) {
  ring(painter, area, {0.2, 0.5}, 0.8, 8, theme.of(OpKind::all_reduce), theme);
  for (const double x : {0.62, 0.9}) ring(painter, area, {x, 0.5}, 0.55, 4, theme.of(OpKind::all_reduce), theme);
}

/// Draws a binary tree with its root at (x, 0.05), `width` wide.
void tree(QPainter& painter, const QRectF& area, double x, double width, const Theme& theme) {
  const QRectF inner = area.adjusted(inset + 3, inset + 3, -inset - 3, -inset - 3);
  const auto node = [&](int level, int i) {
    const double at = x - width / 2 + width * (i + 0.5) / (1 << level);
    return QPointF(inner.left() + at * inner.width(), inner.top() + (0.05 + 0.45 * level) * inner.height());
  };
  painter.setPen(QPen(theme.muted, 1.2));
  for (int level = 1; level < 3; ++level)
    for (int i = 0; i < 1 << level; ++i) painter.drawLine(node(level, i), node(level - 1, i / 2));
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme.of(OpKind::all_reduce));
  for (int level = 0; level < 3; ++level)
    for (int i = 0; i < 1 << level; ++i) painter.drawEllipse(node(level, i), 2.6, 2.6);
}

void paint_tree(QPainter& painter, const QRectF& area, const Theme& theme) { tree(painter, area, 0.5, 0.9, theme); }

void paint_nccl(QPainter& painter, const QRectF& area, const Theme& theme) {
  ring(painter, area, {0.22, 0.5}, 0.85, 6, theme.of(OpKind::all_reduce), theme);
  tree(painter, area, 0.74, 0.5, theme);
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
  return {make(key_of(NetworkModel::ideal), Text::tr("Ideal"),
               Text::tr("Each transfer has the full bandwidth of its path. Transfers between the same two nodes run "
                        "one after another."),
               paint_ideal),
          make(key_of(NetworkModel::shared), Text::tr("Shared"),
               Text::tr("Concurrent transfers and all-reduces share each link's bandwidth fairly."), paint_shared)};
}

std::vector<Choice> overlap_choices() {
  return {make(key_of(Overlap::none), Text::tr("After backward"),
               Text::tr("A stage's gradients are all-reduced after its last backward."),
               [](QPainter& painter, const QRectF& area, const Theme& theme) {
                 paint_reductions(painter, area, theme, {{0.6, 0.38}});
               }),
          make(key_of(Overlap::layer), Text::tr("By layer"),
               Text::tr("Each layer's gradients are all-reduced as soon as they are ready, overlapping the backward."),
               [](QPainter& painter, const QRectF& area, const Theme& theme) {
                 paint_reductions(painter, area, theme, {{0.15, 0.1}, {0.3, 0.1}, {0.45, 0.1}, {0.6, 0.1}});
               }),
          make(key_of(Overlap::bucket), Text::tr("By bucket"),
               Text::tr("Gradients of several layers are all-reduced together as soon as a bucket is full."),
               [](QPainter& painter, const QRectF& area, const Theme& theme) {
                 paint_reductions(painter, area, theme, {{0.3, 0.19}, {0.6, 0.19}});
               })};
}

std::vector<Choice> collective_choices() {
  return {make(key_of(Collectives::best_ring), Text::tr("Fastest ring"),
               Text::tr("The faster of a flat and a hierarchical ring, for each all-reduce."), paint_least),
          make(key_of(Collectives::ring), Text::tr("Ring"),
               Text::tr("One ring over all devices. Its slowest hop limits it."), paint_ring),
          make(key_of(Collectives::hierarchical), Text::tr("Hierarchical"),
               Text::tr("Rings inside the nodes, then one over the nodes."), paint_hierarchical),
          make(key_of(Collectives::tree), Text::tr("Tree"),
               Text::tr("A double binary tree: few steps, good for many devices and small data."), paint_tree),
          make(key_of(Collectives::nccl), Text::tr("NCCL"),
               Text::tr("The algorithm and protocol that NCCL's own estimate chooses."), paint_nccl)};
}

}  // namespace pipedeck::views::widgets
