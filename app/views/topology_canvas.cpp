// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/topology_canvas.hpp"

#include <algorithm>
#include <cmath>

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLineEdit>
#include <QNativeGestureEvent>
#include <QTimer>
#include <QToolTip>

#include "app/views/topology_accessible.hpp"

namespace pipedeck::app {

namespace {

constexpr double drag_threshold = 4;  ///< pixels that a press may tremble
constexpr double port_reach = 9;      ///< pixels around a port that take hold of it
constexpr double target_reach = 18;   ///< and that catch a link's end
constexpr double snap_reach = 6;
constexpr int said_ms = 5000;
constexpr double wheel_step = 1.0015;  ///< a notch of 120 is a fifth more

TopologySelection toggled(TopologySelection selection, const TopologySelection& with) {
  const bool all_in =
      std::ranges::includes(selection.places, with.places) && std::ranges::includes(selection.links, with.links);
  for (const std::string& place : with.places)
    all_in ? (void)selection.places.erase(place) : (void)selection.places.insert(place);
  for (const int link : with.links) all_in ? (void)selection.links.erase(link) : (void)selection.links.insert(link);
  return selection;
}

TopologySelection united(TopologySelection a, const TopologySelection& b) {
  a.places.insert(b.places.begin(), b.places.end());
  a.links.insert(b.links.begin(), b.links.end());
  return a;
}

}  // namespace

TopologyCanvas::TopologyCanvas(QWidget* parent)
    : QWidget(parent), said_timer_(new QTimer(this)), name_edit_(new QLineEdit(this)) {
  setObjectName(QStringLiteral("topology_canvas"));
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setAccessibleName(tr("Topology"));
  setWhatsThis(
      tr("Drag from the palette to add, from port to port to link, on the ground to select. Arrow keys move what is "
         "selected, Alt and arrow keys select the neighbour, Page Up and Page Down go through everything."));
  install_topology_accessibility();
  said_timer_->setSingleShot(true);
  connect(said_timer_, &QTimer::timeout, this, [this] {
    said_.clear();
    update();
  });
  name_edit_->setObjectName(QStringLiteral("topology_rename"));
  name_edit_->setAccessibleName(tr("Name"));
  name_edit_->hide();
  connect(name_edit_, &QLineEdit::editingFinished, this, [this] { finish_rename(true); });
}

TopologyCanvas::~TopologyCanvas() {
  const QSignalBlocker quiet(name_edit_);  // it loses the focus as it goes
}

void TopologyCanvas::set_cluster(std::shared_ptr<const Cluster> cluster, const ClusterLayout& layout,
                                 const std::vector<TopologyProblem>& problems) {
  give_up();
  const TopologySelection kept = cluster && cluster_ ? carried(selection_, *cluster_, *cluster) : TopologySelection{};
  cluster_ = std::move(cluster);
  scene_ = cluster_ ? topology_layout(*cluster_, layout) : TopologyLayout{};
  marks_ = marks_of(problems);
  hovered_.reset();
  hovered_port_.reset();
  setAccessibleDescription(cluster_ ? summary(*cluster_) : QString());
  if (fitted_) fit_camera();
  stale();
  choose(kept);
}

void TopologyCanvas::forget_view() {
  fitted_ = true;
  choose({});
}

/// Below the heading.
void TopologyCanvas::fit_camera() {
  const double heading = heading_height();
  camera_.fit(scene_.bounds, QSizeF(width(), height() - heading));
  camera_.origin.ry() -= heading / camera_.zoom;
}

// ---- selection

void TopologyCanvas::choose(const TopologySelection& selection) {
  update();
  if (selection == selection_) return;
  selection_ = selection;
  tell_topology_selection(*this);
  emit selection_changed();
}

void TopologyCanvas::select(const TopologySelection& selection) {
  if (cluster_) choose(pruned(selection, *cluster_));
}

void TopologyCanvas::select_all() {
  TopologySelection all;
  for (const TopologyEnd& end : scene_.ends()) all = united(std::move(all), selection_of(end));
  for (const TopologyLink& link : scene_.links) all.links.insert(link.links.begin(), link.links.end());
  choose(all);
}

void TopologyCanvas::show_selection(const TopologySelection& selection) {
  select(selection);
  QRectF box;
  const auto take = [&](const QRectF& rect) { box = box.isNull() ? rect : box.united(rect); };
  for (const std::string& place : selection_.places)
    if (const auto end = scene_.end_named(place)) take(scene_.rect_of(*end));
  for (const TopologyLink& link : scene_.links)
    if (std::ranges::any_of(link.links, [&](int l) { return selection_.links.contains(l); }))
      take(QRectF(link.label - QPointF(40, 12), QSizeF(80, 24)));
  if (box.isNull() || seen().contains(box)) return;
  camera_.show(box, size());
  fitted_ = false;
  stale();
  emit view_changed();
}

TopologySelection TopologyCanvas::selection_of(const TopologyEnd& end) const {
  if (end.kind != TopologyEnd::rack) return {{scene_.name_of(end).toStdString()}, {}};
  const auto& members = scene_.racks[static_cast<std::size_t>(end.index)].members;
  return {{members.begin(), members.end()}, {}};
}

TopologySelection TopologyCanvas::selection_of(const TopologyHit& hit) const {
  switch (hit.kind) {
    case TopologyHit::node:
      return selection_of(TopologyEnd{TopologyEnd::node, hit.index});
    case TopologyHit::network_switch:
      return selection_of(TopologyEnd{TopologyEnd::network_switch, hit.index});
    case TopologyHit::rack:
      return selection_of(TopologyEnd{TopologyEnd::rack, hit.index});
    case TopologyHit::device:
      for (std::size_t n = 0; n < scene_.nodes.size(); ++n)
        for (const TopologyDevice& device : scene_.nodes[n].devices)
          if (device.device == hit.index) return selection_of(TopologyEnd{TopologyEnd::node, static_cast<int>(n)});
      return {};
    case TopologyHit::link:
      break;
  }
  for (const TopologyLink& link : scene_.links)
    if (link.link == hit.index) return {{}, {link.links.begin(), link.links.end()}};
  return {};
}

void TopologyCanvas::select_next(int step) {
  std::vector<TopologySelection> all;
  for (const TopologyEnd& end : scene_.ends()) all.push_back(selection_of(end));
  for (const TopologyLink& link : scene_.links) all.push_back({{}, {link.links.begin(), link.links.end()}});
  if (all.empty()) return;
  const auto now = std::ranges::find(all, selection_);
  const auto count = static_cast<std::ptrdiff_t>(all.size());
  const std::ptrdiff_t at = now == all.end() ? (step > 0 ? 0 : count - 1) : (now - all.begin() + step + count) % count;
  show_selection(all[static_cast<std::size_t>(at)]);
}

/// The nearest box in that direction; what lies aside counts as further.
void TopologyCanvas::select_towards(QPointF direction) {
  QRectF from;
  for (const std::string& place : selection_.places)
    if (const auto end = scene_.end_named(place))
      from = from.isNull() ? scene_.rect_of(*end) : from.united(scene_.rect_of(*end));
  if (from.isNull()) return select_next(1);
  std::optional<TopologyEnd> best;
  double least = 1e300;
  for (const TopologyEnd& end : scene_.ends()) {
    const QPointF away = scene_.rect_of(end).center() - from.center();
    const double along = QPointF::dotProduct(away, direction);
    const double aside = std::abs(away.x() * direction.y() - away.y() * direction.x());
    if (along < 1 || along + 2 * aside >= least) continue;
    least = along + 2 * aside;
    best = end;
  }
  if (best) show_selection(selection_of(*best));
}

// ---- the view

void TopologyCanvas::stale() {
  base_stale_ = true;
  update();
}

void TopologyCanvas::fit() {
  fitted_ = true;
  fit_camera();
  stale();
  emit view_changed();
}

void TopologyCanvas::zoom_by(double factor) {
  fitted_ = false;
  camera_.zoom_at(QRectF(rect()).center(), factor);
  stale();
  emit view_changed();
}

void TopologyCanvas::resizeEvent(QResizeEvent*) {
  if (fitted_) fit_camera();
  stale();
}

void TopologyCanvas::changeEvent(QEvent* event) {
  if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange) stale();
  QWidget::changeEvent(event);
}

void TopologyCanvas::wheelEvent(QWheelEvent* event) {
  const bool pad = event->device() && event->device()->type() == QInputDevice::DeviceType::TouchPad;
  const bool zooms = event->modifiers().testFlag(Qt::ControlModifier) ||
                     (!pad && event->pixelDelta().isNull() && !event->modifiers().testFlag(Qt::ShiftModifier));
  if (zooms) {
    camera_.zoom_at(event->position(), std::pow(wheel_step, event->angleDelta().y()));
  } else {
    QPointF by = event->pixelDelta().isNull() ? QPointF(event->angleDelta()) / 2 : QPointF(event->pixelDelta());
    if (event->modifiers().testFlag(Qt::ShiftModifier) && by.x() == 0) by = {by.y(), 0};
    camera_.pan(by);
  }
  fitted_ = false;
  event->accept();
  stale();
  emit view_changed();
}

void TopologyCanvas::say(const QString& words) {
  said_ = words;
  said_timer_->start(said_ms);
  update();
}

// ---- the mouse

void TopologyCanvas::mousePressEvent(QMouseEvent* event) {
  setFocus(Qt::MouseFocusReason);
  if (!cluster_ || busy()) return;
  pressed_ = at_ = event->position();
  if (event->button() == Qt::MiddleButton || (event->button() == Qt::LeftButton && space_)) {
    gesture_ = Gesture::pan;
    update_cursor();
  } else if (event->button() == Qt::LeftButton) {
    press(event);
  }
}

void TopologyCanvas::press(QMouseEvent* event) {
  const QPointF at = to_drawing(pressed_);
  if (const auto rack = scene_.toggle_at(at))
    return emit toggle_requested(scene_.racks[static_cast<std::size_t>(*rack)].name);
  if (const auto port = scene_.port_at(at, port_reach / camera_.zoom)) {
    gesture_ = Gesture::link;
    link_from_ = port;
    return move_link_to(pressed_);
  }
  gesture_ = Gesture::pressed;
  pressed_on_ = scene_.hit(at, 8 / camera_.zoom);
  if (!pressed_on_) {
    before_rubber_ = event->modifiers() & (Qt::ControlModifier | Qt::ShiftModifier) ? selection_ : TopologySelection{};
    return choose(before_rubber_);
  }
  click_on(*pressed_on_, event->modifiers());
}

void TopologyCanvas::click_on(const TopologyHit& hit, Qt::KeyboardModifiers modifiers) {
  const TopologySelection under = selection_of(hit);
  pressed_on_selected_ =
      std::ranges::includes(selection_.places, under.places) && std::ranges::includes(selection_.links, under.links);
  if (modifiers & Qt::ControlModifier) {
    choose(toggled(selection_, under));
  } else if (modifiers & Qt::ShiftModifier) {
    choose(united(selection_, under));
  } else if (!pressed_on_selected_) {
    choose(under);
  }
}

void TopologyCanvas::mouseMoveEvent(QMouseEvent* event) {
  const QPointF before = at_;
  at_ = event->position();
  if (gesture_ == Gesture::pressed && (at_ - pressed_).manhattanLength() >= drag_threshold) {
    if (!pressed_on_) gesture_ = Gesture::rubber;
    if (pressed_on_ && pressed_on_->kind != TopologyHit::link && !selection_.places.empty()) start_move();
  }
  switch (gesture_) {
    case Gesture::pan:
      camera_.pan(at_ - before);
      fitted_ = false;
      shift_base((at_ - before).toPoint());
      return emit view_changed();
    case Gesture::move:
      return move_to(at_);
    case Gesture::link:
      return move_link_to(at_);
    case Gesture::rubber:
      choose(united(before_rubber_, in_rectangle(scene_, QRectF(to_drawing(pressed_), to_drawing(at_)).normalized())));
      return update();
    case Gesture::pressed:
    case Gesture::nudge:
      return;
    case Gesture::none:
      break;
  }
  const auto port = scene_.port_at(to_drawing(at_), port_reach / camera_.zoom);
  const auto hit = scene_.hit(to_drawing(at_), 8 / camera_.zoom);
  if (hit == hovered_ && port == hovered_port_) return;
  hovered_ = hit;
  hovered_port_ = port;
  update_cursor();
  update();
}

void TopologyCanvas::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) return;
  const Gesture done = gesture_;
  if (done == Gesture::nudge) return;
  gesture_ = Gesture::none;
  if (done == Gesture::move) finish_move();
  if (done == Gesture::link) finish_link();
  if (done == Gesture::rubber) update();
  // A click on one of several selected ones, not a drag: that one alone is meant.
  if (done == Gesture::pressed && pressed_on_ && pressed_on_selected_ &&
      !(event->modifiers() & (Qt::ControlModifier | Qt::ShiftModifier)))
    choose(selection_of(*pressed_on_));
  update_cursor();
}

void TopologyCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  if (!cluster_ || event->button() != Qt::LeftButton) return;
  const QPointF at = to_drawing(event->position());
  const auto hit = scene_.hit(at, 8 / camera_.zoom);
  gesture_ = Gesture::none;
  if (!hit || scene_.toggle_at(at)) return;
  if (hit->kind == TopologyHit::device || hit->kind == TopologyHit::link) {
    choose(selection_of(*hit));
    return emit edit_requested();
  }
  if (hit->kind == TopologyHit::rack) {
    renamed_ = {true, scene_.racks[static_cast<std::size_t>(hit->index)].name};
  } else {
    choose(selection_of(*hit));
  }
  start_rename();
}

void TopologyCanvas::contextMenuEvent(QContextMenuEvent* event) {
  if (!cluster_ || busy()) return;
  QPoint at = event->globalPos();
  if (event->reason() == QContextMenuEvent::Mouse) {
    at_ = event->pos();
    if (const auto hit = scene_.hit(to_drawing(event->pos()), 8 / camera_.zoom)) {
      const TopologySelection under = selection_of(*hit);
      if (!std::ranges::includes(selection_.places, under.places) ||
          !std::ranges::includes(selection_.links, under.links))
        choose(under);
    } else {
      choose({});
    }
  } else if (!selection_.places.empty()) {
    if (const auto end = scene_.end_named(*selection_.places.begin()))
      at = mapToGlobal(camera_.to_view(scene_.rect_of(*end).center()).toPoint());
  }
  emit menu_requested(at);
}

void TopologyCanvas::leaveEvent(QEvent*) {
  hovered_.reset();
  hovered_port_.reset();
  update();
}

void TopologyCanvas::update_cursor() {
  if (gesture_ == Gesture::pan) return setCursor(Qt::ClosedHandCursor);
  if (space_) return setCursor(Qt::OpenHandCursor);
  if (gesture_ == Gesture::link || hovered_port_) return setCursor(Qt::CrossCursor);
  unsetCursor();
}

// ---- gestures

bool TopologyCanvas::moves(const TopologyEnd& end) const { return dragging_boxes() && is_selected(end); }

void TopologyCanvas::start_move() {
  gesture_ = Gesture::move;
  // Half a collapsed rack can't move: all of it does.
  TopologySelection whole = selection_;
  for (const TopologyRack& rack : scene_.racks)
    if (rack.collapsed && std::ranges::any_of(rack.members, [&](const auto& m) { return whole.places.contains(m); }))
      whole.places.insert(rack.members.begin(), rack.members.end());
  choose(whole);
  offset_ = {};
  moving_box_ = {};
  others_.clear();
  for (const TopologyEnd& end : scene_.ends()) {
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

void TopologyCanvas::move_to(QPointF at) {
  const TopologySnap snap = snapped(moving_box_, (at - pressed_) / camera_.zoom, others_, snap_reach / camera_.zoom);
  offset_ = snap.offset;
  guides_ = snap.guides;
  update();
}

void TopologyCanvas::finish_move() {
  TopologyPlaces places;
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

void TopologyCanvas::nudge(QPointF by) {
  if (selection_.places.empty() || (busy() && gesture_ != Gesture::nudge)) return;
  if (gesture_ != Gesture::nudge) {
    start_move();
    gesture_ = Gesture::nudge;
  }
  offset_ += by;
  update();
}

void TopologyCanvas::move_link_to(QPointF at) {
  at_ = at;
  link_to_ = scene_.port_at(to_drawing(at), target_reach / camera_.zoom);
  if (!link_to_) link_to_ = scene_.box_at(to_drawing(at));
  link_problem_.clear();
  const bool home = link_to_ == link_from_ && (at - pressed_).manhattanLength() < 2 * target_reach;
  if (home) link_to_.reset();
  if (link_to_) {
    if (link_from_->kind == TopologyEnd::rack || link_to_->kind == TopologyEnd::rack)
      link_problem_ = tr("Open the rack to link what is in it.");
    else if (why_not_joined)
      link_problem_ = why_not_joined(scene_.name_of(*link_from_), scene_.name_of(*link_to_));
  }
  update();
}

void TopologyCanvas::finish_link() {
  const auto from = link_from_, to = link_to_;
  const QString problem = link_problem_;
  link_from_.reset();
  link_to_.reset();
  link_problem_.clear();
  update();
  if (!from || !to) return;
  if (!problem.isEmpty()) return say(problem);
  emit link_requested(scene_.name_of(*from), scene_.name_of(*to));
}

void TopologyCanvas::give_up() {
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

QString TopologyCanvas::drop_target(const TopologyDrop& drop, QPointF at) const {
  if (!drop.onto_nodes) return {};
  const auto end = scene_.box_at(to_drawing(at));
  return end && end->kind == TopologyEnd::node ? scene_.name_of(*end) : QString();
}

ClusterLayout::Place TopologyCanvas::drop_place(const TopologyDrop& drop, QPointF at) const {
  const QPointF corner = to_drawing(at) - QPointF(drop.size.width(), drop.size.height()) / 2;
  return {on_grid(corner.x()), on_grid(corner.y())};
}

void TopologyCanvas::drag_over(const TopologyDrop& drop, QPointF at) {
  drop_ = drop;
  at_ = at;
  update();
}

void TopologyCanvas::drag_away() {
  drop_.reset();
  update();
}

// ---- keys

bool TopologyCanvas::event(QEvent* event) {
  switch (event->type()) {
    case QEvent::NativeGesture: {
      const auto* gesture = static_cast<QNativeGestureEvent*>(event);
      if (gesture->gestureType() != Qt::ZoomNativeGesture) break;
      camera_.zoom_at(gesture->position(), 1 + gesture->value());
      fitted_ = false;
      stale();
      return true;
    }
    case QEvent::ToolTip: {
      const auto* help = static_cast<QHelpEvent*>(event);
      const auto hit = cluster_ ? scene_.hit(to_drawing(help->pos()), 8 / camera_.zoom) : std::nullopt;
      if (!hit) {
        QToolTip::hideText();
      } else if (hit->kind == TopologyHit::rack) {
        const TopologyRack& rack = scene_.racks[static_cast<std::size_t>(hit->index)];
        QToolTip::showText(
            help->globalPos(),
            QStringLiteral("<b>%1</b><br>%2<br>%3").arg(rack.name.toHtmlEscaped(), rack.detail, rack.uplinks), this);
      } else {
        QToolTip::showText(help->globalPos(), tool_tip(*cluster_, *hit), this);
      }
      return true;
    }
    default:
      break;
  }
  return QWidget::event(event);
}

void TopologyCanvas::keyPressEvent(QKeyEvent* event) {
  if (!handle_key(event)) QWidget::keyPressEvent(event);
}

bool TopologyCanvas::handle_key(QKeyEvent* event) {
  const bool alt = event->modifiers().testFlag(Qt::AltModifier);
  const double step = event->modifiers().testFlag(Qt::ShiftModifier) ? 1 : topology_grid;
  const auto arrow = [&](QPointF direction) {
    alt ? select_towards(direction) : nudge(direction * step);
    return true;
  };
  switch (event->key()) {
    case Qt::Key_Left:
      return arrow({-1, 0});
    case Qt::Key_Right:
      return arrow({1, 0});
    case Qt::Key_Up:
      return arrow({0, -1});
    case Qt::Key_Down:
      return arrow({0, 1});
    case Qt::Key_PageDown:
      return select_next(1), true;
    case Qt::Key_PageUp:
      return select_next(-1), true;
    case Qt::Key_Space:
      if (!event->isAutoRepeat()) space_ = true;
      return update_cursor(), true;
    case Qt::Key_Escape:
      if (!busy() && selection_.empty()) return false;
      busy() ? give_up() : choose({});
      return true;
    default:
      return false;
  }
}

void TopologyCanvas::keyReleaseEvent(QKeyEvent* event) {
  if (event->isAutoRepeat()) return;
  if (event->key() == Qt::Key_Space) {
    space_ = false;
    update_cursor();
  }
  const int key = event->key();
  const bool arrow = key == Qt::Key_Left || key == Qt::Key_Right || key == Qt::Key_Up || key == Qt::Key_Down;
  if (arrow && gesture_ == Gesture::nudge) {
    gesture_ = Gesture::none;
    finish_move();
  }
  QWidget::keyReleaseEvent(event);
}

void TopologyCanvas::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  tell_topology_selection(*this);
  update();
}

void TopologyCanvas::focusOutEvent(QFocusEvent* event) {
  space_ = false;
  if (gesture_ == Gesture::nudge) {
    gesture_ = Gesture::none;
    finish_move();
  }
  update_cursor();
  update();
  QWidget::focusOutEvent(event);
}

// ---- names

void TopologyCanvas::start_rename() {
  if (!cluster_ || busy()) return;
  QRectF area;
  if (renamed_.rack) {
    for (const TopologyRack& rack : scene_.racks)
      if (rack.name == renamed_.name) area = rack.header;
  } else if (selection_.places.size() == 1) {
    const auto end = scene_.end_named(*selection_.places.begin());
    if (!end || end->kind == TopologyEnd::rack) return;
    renamed_.name = QString::fromStdString(*selection_.places.begin());
    area = end->kind == TopologyEnd::node ? scene_.nodes[static_cast<std::size_t>(end->index)].header
                                          : scene_.rect_of(*end);
  }
  // All of one rack selected and nothing else: the rack is meant.
  for (const TopologyRack& rack : scene_.racks)
    if (area.isNull() && selection_.places == std::set<std::string>(rack.members.begin(), rack.members.end())) {
      renamed_ = {true, rack.name};
      area = rack.header;
    }
  if (area.isNull()) return;
  QRect box = camera_.to_view(area).toRect();
  box.setSize(box.size().expandedTo(QSize(140, name_edit_->sizeHint().height())));
  name_edit_->setGeometry(box);
  name_edit_->setText(renamed_.name);
  name_edit_->selectAll();
  name_edit_->show();
  name_edit_->setFocus(Qt::OtherFocusReason);
  name_edit_->installEventFilter(this);
}

void TopologyCanvas::finish_rename(bool keep) {
  if (!name_edit_->isVisible()) return;
  const TopologyName name = renamed_;
  const QString to = name_edit_->text().trimmed();
  const bool had_focus = name_edit_->hasFocus();
  renamed_ = {};
  {
    const QSignalBlocker quiet(name_edit_);  // hidden it loses the focus, which is no second end of editing
    name_edit_->hide();
  }
  if (had_focus) setFocus(Qt::OtherFocusReason);
  if (!keep || to == name.name || !rename) return;
  if (const QString why = rename(name, to); !why.isEmpty()) say(why);
}

bool TopologyCanvas::eventFilter(QObject* watched, QEvent* event) {
  if (watched == name_edit_ && event->type() == QEvent::KeyPress &&
      static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    finish_rename(false);
    return true;
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace pipedeck::app
