// SPDX-License-Identifier: GPL-3.0-or-later
// The drawing in layers: static items are one image, moving ones another. A step of a drag composes both and draws the
// few links between them.
#include <algorithm>

#include <QPaintEngine>
#include <QPainter>

#include "app/views/topology/canvas.hpp"

namespace pipedeck::views::topology {

namespace {

constexpr double heading_margin = 18;

const auto all_ends = [](const models::topology::End&) { return true; };
const auto all_links = [](const models::topology::TopologyLink&) { return true; };
const auto all_racks = [](int) { return true; };

}  // namespace

Painter Canvas::painter_on(QPainter& painter, const QRectF& seen) const {
  painter.setRenderHint(QPainter::Antialiasing);
  painter.scale(camera_.zoom, camera_.zoom);
  painter.translate(-camera_.origin);
  return {painter, scene_, marks_, widgets::Theme::of(palette()), font(), camera_.zoom, seen, overlay_.get()};
}

void Canvas::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  if (!cluster_) return paint_empty(painter);
  const QPaintEngine::Type engine = painter.paintEngine()->type();
  const bool on_page = engine == QPaintEngine::SVG || engine == QPaintEngine::Pdf;
  if (on_page) {
    painter.fillRect(rect(), widgets::Theme::of(palette()).window);
    painter.save();
    Painter shapes = painter_on(painter, seen());
    shapes.ground();
    shapes.frames(all_racks);
    shapes.links(all_links);
    shapes.boxes(all_ends);
    shapes.labels(all_links);
    painter.restore();
  } else {
    if (base_stale_ || base_.size() != size() * devicePixelRatioF()) draw_base();
    painter.drawPixmap(0, 0, base_);
    if (!moving_.isNull()) {
      paint_crossing_links(painter);
      painter.drawPixmap(moving_area_.topLeft() + offset_ * camera_.zoom, moving_);
    }
  }
  paint_overlay(painter);
}

/// Draws everything that does not move.
void Canvas::draw_base() {
  base_ = QPixmap(size() * devicePixelRatioF());
  base_.setDevicePixelRatio(devicePixelRatioF());
  draw_base_part(rect());
  base_stale_ = false;
}

void Canvas::draw_base_part(const QRect& part) {
  QPainter painter(&base_);
  painter.setFont(font());
  painter.setClipRect(part);
  painter.fillRect(part, widgets::Theme::of(palette()).window);
  const double around = 24;  // marks and ports extend beyond their boxes
  Painter shapes = painter_on(painter, camera_.to_drawing(QRectF(part).adjusted(-around, -around, around, around)));
  const auto stays = [this](const models::topology::End& end) { return !moves(end); };
  const auto link_stays = [&](const models::topology::TopologyLink& link) {
    return stays(link.from_end) && stays(link.to_end);
  };
  shapes.ground();
  shapes.frames([&](int r) {
    const auto& members = scene_.racks[static_cast<std::size_t>(r)].members;
    return !dragging_boxes() ||
           std::ranges::none_of(members, [&](const std::string& member) { return selection_.places.contains(member); });
  });
  shapes.links(link_stays);
  shapes.boxes(stays);
  shapes.labels(link_stays);
}

/// Shifts the image by whole pixels, and draws only the newly visible part.
void Canvas::shift_base(QPoint by) {
  const QPointF pixels = QPointF(by) * devicePixelRatioF();
  if (base_stale_ || base_.isNull() || pixels != QPointF(pixels.toPoint())) return stale();
  base_.scroll(pixels.toPoint().x(), pixels.toPoint().y(), QRect(QPoint(), base_.size()));
  for (const QRect& part : QRegion(rect()) - QRegion(rect().translated(by))) draw_base_part(part);
  update();
}

/// Draws the moving items, as far as they can become visible.
void Canvas::draw_moving() {
  const double margin = 24;
  const QRectF near = QRectF(rect()).adjusted(-width(), -height(), width(), height());
  moving_area_ = camera_.to_view(moving_box_).adjusted(-margin, -60 - margin, margin, margin).intersected(near);
  moving_area_ = QRectF(moving_area_.toAlignedRect());
  if (moving_area_.isEmpty()) return;
  moving_ = QPixmap((moving_area_.size() * devicePixelRatioF()).toSize());
  moving_.setDevicePixelRatio(devicePixelRatioF());
  moving_.fill(Qt::transparent);
  QPainter painter(&moving_);
  painter.setFont(font());
  painter.translate(-moving_area_.topLeft());
  Painter shapes = painter_on(painter, camera_.to_drawing(moving_area_));
  const auto goes = [this](const models::topology::End& end) { return moves(end); };
  const auto link_goes = [&](const models::topology::TopologyLink& link) {
    return goes(link.from_end) && goes(link.to_end);
  };
  shapes.frames([&](int r) {
    return std::ranges::all_of(scene_.racks[static_cast<std::size_t>(r)].members,
                               [&](const std::string& member) { return selection_.places.contains(member); });
  });
  shapes.links(link_goes);
  shapes.boxes(goes);
  shapes.labels(link_goes);
  for (const models::topology::End& end : scene_.ends())
    if (goes(end)) shapes.outline(scene_.rect_of(end), 2.4);
}

void Canvas::paint_crossing_links(QPainter& painter) {
  painter.save();
  Painter shapes = painter_on(painter, seen());
  const QColor colour = widgets::Theme::of(palette()).accent;
  for (const models::topology::TopologyLink& link : scene_.links) {
    const bool from = moves(link.from_end), to = moves(link.to_end);
    if (from == to) continue;
    auto a = scene_.ports_of(link.from_end), b = scene_.ports_of(link.to_end);
    for (QPointF& port : from ? a : b) port += offset_;
    shapes.curve(models::topology::curve_between(a, b), colour, 2);
  }
  painter.restore();
}

void Canvas::paint_overlay(QPainter& painter) {
  painter.save();
  Painter strokes = painter_on(painter, seen());
  paint_selection(strokes);
  paint_gesture(painter, strokes);
  paint_drop(painter, strokes);
  painter.restore();
  paint_heading(painter);
  paint_message(painter);
  if (hasFocus()) {
    painter.setPen(QPen(widgets::Theme::of(palette()).accent, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
  }
}

void Canvas::paint_selection(Painter& strokes) {
  const QColor accent = widgets::Theme::of(palette()).accent;
  for (const models::topology::TopologyLink& link : scene_.links) {
    const bool chosen = std::ranges::any_of(link.links, [&](int l) { return selection_.links.contains(l); });
    if (!chosen && !is_hovered(link)) continue;
    if (moves(link.from_end) || moves(link.to_end)) continue;
    strokes.line(link.path, accent, chosen ? 4 : 3);
  }
  for (const models::topology::TopologyLabel& label : scene_.labels) {
    const auto marked = std::ranges::find_if(label.links, [&](std::size_t i) {
      const models::topology::TopologyLink& link = scene_.links[i];
      return is_hovered(link) || std::ranges::any_of(link.links, [&](int l) { return selection_.links.contains(l); });
    });
    if (marked != label.links.end()) strokes.label(label.room.center(), label.text, accent);
  }
  for (const models::topology::End& end : scene_.ends()) {
    if (moves(end)) continue;
    const bool chosen = is_selected(end);
    const bool hot = hovered_end() == end;
    if (chosen || hot) strokes.outline(scene_.rect_of(end), chosen ? 2.4 : 1.6);
    if ((hot || hovered_port_ == end) && !busy())
      for (const QPointF port : scene_.ports_of(end)) strokes.port(port, hovered_port_ == end);
  }
}

bool Canvas::is_selected(const models::topology::End& end) const {
  if (end.kind != models::topology::End::rack) return selection_.places.contains(scene_.name_of(end).toStdString());
  const auto& members = scene_.racks[static_cast<std::size_t>(end.index)].members;
  return std::ranges::all_of(members, [&](const std::string& m) { return selection_.places.contains(m); });
}

bool Canvas::is_hovered(const models::topology::TopologyLink& link) const {
  if (!hovered_) return false;
  if (hovered_->kind == models::topology::Hit::link) return hovered_->index == link.link;
  if (hovered_->kind != models::topology::Hit::label) return false;
  const auto& links = scene_.labels[static_cast<std::size_t>(hovered_->index)].links;
  return std::ranges::any_of(links, [&](std::size_t i) { return &scene_.links[i] == &link; });
}

std::optional<models::topology::End> Canvas::hovered_end() const {
  if (!hovered_) return std::nullopt;
  switch (hovered_->kind) {
    case models::topology::Hit::node:
      return models::topology::End{models::topology::End::node, hovered_->index};
    case models::topology::Hit::network_switch:
      return models::topology::End{models::topology::End::network_switch, hovered_->index};
    case models::topology::Hit::rack:
      return models::topology::End{models::topology::End::rack, hovered_->index};
    default:
      return std::nullopt;
  }
}

void Canvas::paint_gesture(QPainter& painter, Painter& strokes) {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  for (const models::topology::Guide& guide : guides_) {
    painter.setPen(QPen(theme.accent, 1 / camera_.zoom, Qt::DashLine));
    painter.drawLine(guide.from, guide.to);
  }
  if (gesture_ == Gesture::rubber) {
    QColor fill = theme.accent;
    fill.setAlphaF(0.12f);
    painter.setPen(QPen(theme.accent, 1 / camera_.zoom));
    painter.setBrush(fill);
    painter.drawRect(QRectF(to_drawing(pressed_), to_drawing(current_index_)).normalized());
  }
  if (gesture_ != Gesture::link || !link_from_) return;
  const QPointF at = to_drawing(current_index_);
  const auto from = scene_.ports_of(*link_from_);
  const std::array<QPointF, 2> pointer{at, at};
  const models::topology::Curve line =
      models::topology::curve_between(from, link_to_ ? scene_.ports_of(*link_to_) : pointer);
  const bool bad = !link_problem_.isEmpty();
  strokes.curve(line, bad ? theme.bad : theme.accent, 3, Qt::DashLine);
  if (link_to_) {
    for (const QPointF port : scene_.ports_of(*link_to_)) strokes.port(port, !bad);
    if (bad) strokes.label(at + QPointF(0, -26) / camera_.zoom, link_problem_, theme.bad);
  }
}

void Canvas::paint_drop(QPainter& painter, Painter& strokes) {
  if (!drop_) return;
  const widgets::Theme& theme = widgets::Theme::of(palette());
  if (const QString node = drop_target(*drop_, current_index_); !node.isEmpty()) {
    const auto end = scene_.find_end(node.toStdString());
    strokes.outline(scene_.rect_of(*end), 3);
    return strokes.label(scene_.rect_of(*end).center(), tr("+ 1 in %1").arg(node), theme.accent);
  }
  const ClusterLayout::Place place = drop_place(*drop_, current_index_);
  const QRectF box(QPointF(place.x, place.y), drop_->size);
  painter.setPen(QPen(theme.accent, 1.6 / camera_.zoom, Qt::DashLine));
  QColor fill = theme.accent;
  fill.setAlphaF(0.1f);
  painter.setBrush(fill);
  painter.drawRoundedRect(box, 5, 5);
  strokes.label(box.center(), drop_->title, theme.accent);
}

double Canvas::heading_height() const {
  QFont large = widgets::title_font(font());
  large.setPointSizeF(large.pointSizeF() * 1.15);
  return 14 + QFontMetricsF(large).height() + QFontMetricsF(font()).height() + 6;
}

void Canvas::paint_heading(QPainter& painter) {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  QFont large = widgets::title_font(font());
  large.setPointSizeF(large.pointSizeF() * 1.15);
  const QFontMetricsF name(large), line(font());
  const QString title = QString::fromStdString(cluster_->name), words = models::topology::summary(*cluster_);
  const double room = width() - 2 * heading_margin - 110;  // the zoom buttons are at the right
  const double wide = std::min(room, std::max(name.horizontalAdvance(title), line.horizontalAdvance(words)));
  QColor ground = theme.window;
  ground.setAlphaF(0.85f);  // items below the heading are slightly visible
  painter.fillRect(QRectF(0, 0, wide + 2 * heading_margin, heading_height()), ground);
  painter.setFont(large);
  painter.setPen(theme.text);
  painter.drawText(QRectF(heading_margin, 12, room, name.height()), Qt::AlignLeft | Qt::AlignVCenter,
                   name.elidedText(title, Qt::ElideRight, room));
  painter.setFont(font());
  painter.setPen(theme.muted);
  painter.drawText(QRectF(heading_margin, 12 + name.height(), room, line.height()), Qt::AlignLeft | Qt::AlignVCenter,
                   line.elidedText(words, Qt::ElideRight, room));
}

void Canvas::paint_message(QPainter& painter) {
  if (said_.isEmpty()) return;
  const widgets::Theme& theme = widgets::Theme::of(palette());
  painter.setRenderHint(QPainter::Antialiasing);
  QRectF box =
      QFontMetricsF(font()).boundingRect(QRectF(0, 0, width() - 80, 200), Qt::AlignCenter | Qt::TextWordWrap, said_);
  box = QRectF(0, 0, box.width() + 28, box.height() + 14);
  box.moveCenter(QPointF(width() / 2.0, height() - box.height() / 2 - 14));
  painter.setPen(QPen(theme.warning, 1.4));
  painter.setBrush(theme.card);
  painter.drawRoundedRect(box, 6, 6);
  painter.setFont(font());
  painter.setPen(theme.text);
  painter.drawText(box, Qt::AlignCenter | Qt::TextWordWrap, said_);
}

void Canvas::paint_empty(QPainter& painter) {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  painter.fillRect(rect(), theme.window);
  painter.setFont(font());
  painter.setPen(theme.muted);
  painter.drawText(rect().adjusted(24, 0, -24, -90), Qt::AlignCenter | Qt::TextWordWrap,
                   tr("Select a cluster to see its links, or draw one."));
}

}  // namespace pipedeck::views::topology
