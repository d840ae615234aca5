// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse control of the drawing: presses become gestures, and entries dragged from the palette become drops.
#include "app/views/topology/canvas.hpp"

#include <algorithm>
#include <cmath>

#include <QContextMenuEvent>
#include <QMouseEvent>

#include "app/models/topology/room.hpp"

namespace pipedeck::views::topology {

namespace {

constexpr double drag_threshold = 4;  ///< pixels of movement that still count as a press
constexpr double port_reach = 9;      ///< pixels around a port in which it can be grabbed
constexpr double target_reach = 18;   ///< pixels around a port that attract a link's end
constexpr double snap_reach = 6;

}  // namespace

void Canvas::mousePressEvent(QMouseEvent* event) {
  setFocus(Qt::MouseFocusReason);
  if (!cluster_ || busy()) return;
  pressed_ = current_index_ = event->position();
  if (event->button() == Qt::MiddleButton || (event->button() == Qt::LeftButton && space_)) {
    gesture_ = Gesture::pan;
    update_cursor();
  } else if (event->button() == Qt::LeftButton) {
    press(event);
  }
}

void Canvas::press(QMouseEvent* event) {
  const QPointF at = to_drawing(pressed_);
  if (const auto found = scene_.toggle_at(at)) {
    const auto r = static_cast<std::size_t>(*found);
    const models::topology::Rack& rack = scene_.racks[r];
    if (rack.alike) return set_open({r}, rack.collapsed);
    const QString name = rack.name;  // a listener draws anew
    return emit toggle_requested(name);
  }
  if (const auto port = scene_.port_at(at, port_reach / camera_.zoom)) {
    gesture_ = Gesture::link;
    link_from_ = port;
    return move_link_to(pressed_);
  }
  gesture_ = Gesture::pressed;
  pressed_on_ = scene_.hit(at, 8 / camera_.zoom);
  if (!pressed_on_) {
    before_rubber_ =
        event->modifiers() & (Qt::ControlModifier | Qt::ShiftModifier) ? selection_ : models::topology::Selection{};
    return choose(before_rubber_);
  }
  click_on(*pressed_on_, event->modifiers());
}

void Canvas::click_on(const models::topology::Hit& hit, Qt::KeyboardModifiers modifiers) {
  const models::topology::Selection under = selection_of(hit);
  pressed_on_selected_ =
      std::ranges::includes(selection_.places, under.places) && std::ranges::includes(selection_.links, under.links);
  if (modifiers & Qt::ControlModifier) {
    choose(models::topology::toggled(selection_, under));
  } else if (modifiers & Qt::ShiftModifier) {
    choose(models::topology::united(selection_, under));
  } else if (!pressed_on_selected_) {
    choose(under);
  }
}

void Canvas::mouseMoveEvent(QMouseEvent* event) {
  const QPointF before = current_index_;
  current_index_ = event->position();
  if (gesture_ == Gesture::pressed && (current_index_ - pressed_).manhattanLength() >= drag_threshold) {
    if (!pressed_on_) gesture_ = Gesture::rubber;
    const bool on_link = pressed_on_ && (pressed_on_->kind == models::topology::Hit::link ||
                                         pressed_on_->kind == models::topology::Hit::label);
    if (pressed_on_ && !on_link && !selection_.places.empty()) start_move();
  }
  switch (gesture_) {
    case Gesture::pan:
      camera_.pan(current_index_ - before);
      fitted_ = false;
      shift_base((current_index_ - before).toPoint());
      return emit view_changed();
    case Gesture::move:
      return move_to(current_index_);
    case Gesture::link:
      return move_link_to(current_index_);
    case Gesture::rubber:
      choose(models::topology::united(
          before_rubber_, models::topology::in_rectangle(
                              scene_, QRectF(to_drawing(pressed_), to_drawing(current_index_)).normalized())));
      return update();
    case Gesture::pressed:
    case Gesture::nudge:
      return;
    case Gesture::none:
      break;
  }
  const auto port = scene_.port_at(to_drawing(current_index_), port_reach / camera_.zoom);
  const auto hit = scene_.hit(to_drawing(current_index_), 8 / camera_.zoom);
  if (hit == hovered_ && port == hovered_port_) return;
  hovered_ = hit;
  hovered_port_ = port;
  update_cursor();
  update();
}

void Canvas::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) return;
  const Gesture done = gesture_;
  if (done == Gesture::nudge) return;
  gesture_ = Gesture::none;
  if (done == Gesture::move) finish_move();
  if (done == Gesture::link) finish_link();
  if (done == Gesture::rubber) update();
  // A click without a drag on one of several selected items selects only that item.
  if (done == Gesture::pressed && pressed_on_ && pressed_on_selected_ &&
      !(event->modifiers() & (Qt::ControlModifier | Qt::ShiftModifier)))
    choose(selection_of(*pressed_on_));
  update_cursor();
}

void Canvas::mouseDoubleClickEvent(QMouseEvent* event) {
  if (!cluster_ || event->button() != Qt::LeftButton) return;
  const QPointF at = to_drawing(event->position());
  const auto hit = scene_.hit(at, 8 / camera_.zoom);
  gesture_ = Gesture::none;
  if (!hit || scene_.toggle_at(at)) return;
  if (hit->kind == models::topology::Hit::device || hit->kind == models::topology::Hit::link ||
      hit->kind == models::topology::Hit::label) {
    choose(selection_of(*hit));
    return emit edit_requested();
  }
  if (hit->kind == models::topology::Hit::rack) {
    const auto r = static_cast<std::size_t>(hit->index);
    if (scene_.racks[r].alike) return set_open({r}, scene_.racks[r].collapsed);
    renamed_ = {true, scene_.racks[static_cast<std::size_t>(hit->index)].name};
  } else {
    choose(selection_of(*hit));
  }
  start_rename();
}

void Canvas::contextMenuEvent(QContextMenuEvent* event) {
  if (!cluster_ || busy()) return;
  QPoint at = event->globalPos();
  if (event->reason() == QContextMenuEvent::Mouse) {
    current_index_ = event->pos();
    if (const auto hit = scene_.hit(to_drawing(event->pos()), 8 / camera_.zoom)) {
      const models::topology::Selection under = selection_of(*hit);
      if (!std::ranges::includes(selection_.places, under.places) ||
          !std::ranges::includes(selection_.links, under.links))
        choose(under);
    } else {
      choose({});
    }
  } else if (!selection_.places.empty()) {
    if (const auto end = scene_.find_end(*selection_.places.begin()))
      at = mapToGlobal(camera_.to_view(scene_.rect_of(*end).center()).toPoint());
  }
  emit menu_requested(at);
}

void Canvas::leaveEvent(QEvent*) {
  hovered_.reset();
  hovered_port_.reset();
  update();
}

void Canvas::update_cursor() {
  if (gesture_ == Gesture::pan) return setCursor(Qt::ClosedHandCursor);
  if (space_) return setCursor(Qt::OpenHandCursor);
  if (gesture_ == Gesture::link || hovered_port_) return setCursor(Qt::CrossCursor);
  unsetCursor();
}

// ---- gestures

bool Canvas::moves(const models::topology::End& end) const { return dragging_boxes() && is_selected(end); }

void Canvas::start_move() {
  gesture_ = Gesture::move;
  // Collapsed racks and groups of alike nodes move as a whole.
  models::topology::Selection whole = selection_;
  for (const models::topology::Rack& rack : scene_.racks)
    if ((rack.collapsed || rack.alike) &&
        std::ranges::any_of(rack.members, [&](const auto& m) { return whole.places.contains(m); }))
      whole.places.insert(rack.members.begin(), rack.members.end());
  choose(whole);
  offset_ = {};
  moving_box_ = {};
  others_.clear();
  for (const models::topology::End& end : scene_.ends()) {
    const QRectF rect = scene_.rect_of(end);
    if (moves(end)) {
      moving_box_ = moving_box_.isNull() ? rect : moving_box_.united(rect);
    } else if (rect.intersects(seen())) {
      others_.push_back(rect);
    }
  }
  draw_moving();
  stale();
}

void Canvas::move_to(QPointF at) {
  const models::topology::Snap snap =
      models::topology::snapped(moving_box_, (at - pressed_) / camera_.zoom, others_, snap_reach / camera_.zoom);
  offset_ = snap.offset;
  guides_ = snap.guides;
  update();
}

void Canvas::finish_move() {
  models::topology::Places places;
  for (const std::string& name : selection_.places)
    if (const auto at = scene_.places.find(name); at != scene_.places.end())
      places[name] = {at->second.x + offset_.x(), at->second.y + offset_.y()};
  const bool moved = !offset_.isNull();
  guides_.clear();
  offset_ = {};
  moving_ = {};
  stale();
  if (moved) emit move_requested(places);
}

void Canvas::nudge(QPointF by) {
  if (selection_.places.empty() || (busy() && gesture_ != Gesture::nudge)) return;
  if (gesture_ != Gesture::nudge) {
    start_move();
    gesture_ = Gesture::nudge;
  }
  offset_ += by;
  update();
}

void Canvas::move_link_to(QPointF at) {
  current_index_ = at;
  link_to_ = scene_.port_at(to_drawing(at), target_reach / camera_.zoom);
  if (!link_to_) link_to_ = scene_.box_at(to_drawing(at));
  link_problem_.clear();
  const bool home = link_to_ == link_from_ && (at - pressed_).manhattanLength() < 2 * target_reach;
  if (home) link_to_.reset();
  if (link_to_) {
    const auto closed_rack = [&](const models::topology::End& end) {
      return end.kind == models::topology::End::rack && !scene_.racks[static_cast<std::size_t>(end.index)].alike;
    };
    if (closed_rack(*link_from_) || closed_rack(*link_to_))
      link_problem_ = tr("Open the rack to link its nodes.");
    else if (link_from_->kind == models::topology::End::rack || link_to_->kind == models::topology::End::rack)
      link_problem_ = link_from_->kind == models::topology::End::network_switch ||
                              link_to_->kind == models::topology::End::network_switch
                          ? QString()
                          : tr("Link alike nodes to a switch, or open them to link one of them.");
    else if (not_joinable_reason)
      link_problem_ = not_joinable_reason(scene_.name_of(*link_from_), scene_.name_of(*link_to_));
  }
  update();
}

void Canvas::finish_link() {
  const auto from = link_from_, to = link_to_;
  const QString problem = link_problem_;
  link_from_.reset();
  link_to_.reset();
  link_problem_.clear();
  update();
  if (!from || !to) return;
  if (!problem.isEmpty()) return show_message(problem);
  if (from->kind == models::topology::End::rack || to->kind == models::topology::End::rack) {
    choose(models::topology::united(selection_of(*from), selection_of(*to)));
    return emit link_selection_requested();
  }
  emit link_requested(scene_.name_of(*from), scene_.name_of(*to));
}

void Canvas::cancel() {
  gesture_ = Gesture::none;
  guides_.clear();
  offset_ = {};
  moving_ = {};
  link_from_.reset();
  link_to_.reset();
  link_problem_.clear();
  drop_.reset();
  update_cursor();
  stale();
}

// ---- a drop from the palette

QString Canvas::drop_target(const Drop& drop, QPointF at) const {
  if (!drop.onto_nodes) return {};
  const auto end = scene_.box_at(to_drawing(at));
  return end && end->kind == models::topology::End::node ? scene_.name_of(*end) : QString();
}

ClusterLayout::Place Canvas::drop_place(const Drop& drop, QPointF at) const {
  const QPointF corner = to_drawing(at) - QPointF(drop.size.width(), drop.size.height()) / 2;
  return models::topology::free_place(scene_, drop.size,
                                      {models::topology::on_grid(corner.x()), models::topology::on_grid(corner.y())});
}

void Canvas::drag_over(const Drop& drop, QPointF at) {
  drop_ = drop;
  current_index_ = at;
  update();
}

void Canvas::drag_away() {
  drop_.reset();
  update();
}

}  // namespace pipedeck::views::topology
