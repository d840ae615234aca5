// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/topology/canvas.hpp"

#include <algorithm>
#include <cmath>

#include <QLineEdit>
#include <QSignalBlocker>
#include <QTimer>
#include <QWheelEvent>

#include "app/views/topology/accessible.hpp"

namespace pipedeck::views::topology {

namespace {

constexpr int message_ms = 5000;
constexpr double wheel_step = 1.0015;  ///< per unit; a notch of 120 zooms by a fifth

}  // namespace

Canvas::Canvas(QWidget* parent) : QWidget(parent), said_timer_(new QTimer(this)), name_edit_(new QLineEdit(this)) {
  install_topology_accessibility();  // before any interface is requested
  setObjectName(QStringLiteral("topology_canvas"));
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setAccessibleName(tr("Topology"));
  setWhatsThis(
      tr("Drag from the palette to add, from port to port to link, on the background to select. Arrow keys move the "
         "selection, Alt+arrow keys select the neighbour, Page Up and Page Down go through all items."));
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

Canvas::~Canvas() {
  const QSignalBlocker quiet(name_edit_);  // it loses the focus when it is hidden
}

void Canvas::set_cluster(std::shared_ptr<const Cluster> cluster, const ClusterLayout& layout,
                         const std::vector<models::topology::TopologyProblem>& problems) {
  cancel();
  const models::topology::Selection kept = cluster && cluster_
                                               ? models::topology::remap_selection(selection_, *cluster_, *cluster)
                                               : models::topology::Selection{};
  cluster_ = std::move(cluster);
  layout_ = layout;
  marks_ = marks_of(problems);
  refresh_scene();
  setAccessibleDescription(cluster_ ? models::topology::summary(*cluster_) : QString());
  if (fresh_) fit_camera();
  fresh_ = !cluster_;
  stale();
  choose(kept);
}

void Canvas::set_overlay(std::shared_ptr<const models::topology::Overlay> overlay) {
  if (overlay == overlay_) return;
  overlay_ = std::move(overlay);
  stale();
}

/// Computes the drawing anew. The view stays where it is, so that the pointer still meets what it aims at.
void Canvas::refresh_scene() {
  const QRectF before = scene_.bounds;
  scene_ = cluster_ ? models::topology::topology_layout(*cluster_, layout_, opened_) : models::topology::Layout{};
  if (!fresh_ && scene_.bounds != before) fitted_ = false;
  hovered_.reset();
  hovered_port_.reset();
}

void Canvas::forget_view() {
  fitted_ = fresh_ = true;
  opened_.clear();
  choose({});
}

// ---- groups of alike nodes

void Canvas::set_open(const std::vector<std::size_t>& groups, bool open) {
  if (groups.empty()) return;
  const std::string first = scene_.racks[groups.front()].members.front();
  const QPointF before = scene_.racks[groups.front()].rect.topLeft();
  for (const std::size_t group : groups)
    for (const std::string& member : scene_.racks[group].members)
      open ? (void)opened_.insert(member) : (void)opened_.erase(member);
  refresh_scene();
  for (const models::topology::Rack& rack : scene_.racks)
    if (rack.alike && rack.members.front() == first) camera_.origin += rack.rect.topLeft() - before;
  fitted_ = false;
  stale();
  emit groups_changed();
  emit view_changed();
}

bool Canvas::group_selected() const {
  return std::ranges::any_of(scene_.racks, [&](const models::topology::Rack& rack) {
    return rack.alike &&
           std::ranges::any_of(rack.members, [&](const auto& m) { return selection_.places.contains(m); });
  });
}

void Canvas::set_groups_open(bool open) {
  std::vector<std::size_t> groups;
  for (std::size_t r = 0; r < scene_.racks.size(); ++r) {
    const models::topology::Rack& rack = scene_.racks[r];
    if (rack.alike && rack.collapsed == open &&
        std::ranges::any_of(rack.members, [&](const auto& m) { return selection_.places.contains(m); }))
      groups.push_back(r);
  }
  set_open(groups, open);
}

void Canvas::open_small_groups(std::size_t most_nodes) {
  std::vector<std::size_t> groups;
  for (std::size_t r = 0; r < scene_.racks.size(); ++r) {
    const models::topology::Rack& rack = scene_.racks[r];
    if (rack.alike && rack.collapsed && rack.members.size() <= most_nodes) groups.push_back(r);
  }
  const bool all_seen = fitted_;
  set_open(groups, true);
  if (all_seen && !groups.empty()) fit();
}

/// Opens the groups of which only some nodes are selected: a closed one cannot show which.
void Canvas::open_parts_of(const models::topology::Selection& selection) {
  std::vector<std::size_t> groups;
  for (std::size_t r = 0; r < scene_.racks.size(); ++r) {
    const models::topology::Rack& rack = scene_.racks[r];
    if (!rack.alike || !rack.collapsed) continue;
    const auto chosen = static_cast<std::size_t>(
        std::ranges::count_if(rack.members, [&](const auto& m) { return selection.places.contains(m); }));
    if (chosen > 0 && chosen < rack.members.size()) groups.push_back(r);
  }
  set_open(groups, true);
}

/// Fits the drawing into the area below the heading.
void Canvas::fit_camera() {
  const double heading = heading_height();
  camera_.fit(scene_.bounds, QSizeF(width(), height() - heading));
  camera_.origin.ry() -= heading / camera_.zoom;
}

// ---- selection

void Canvas::choose(const models::topology::Selection& selection) {
  update();
  if (selection == selection_) return;
  selection_ = selection;
  report_topology_selection(*this);
  emit selection_changed();
}

void Canvas::select(const models::topology::Selection& selection) {
  if (!cluster_) return;
  open_parts_of(selection);
  choose(models::topology::pruned(selection, *cluster_));
}

void Canvas::select_all() {
  models::topology::Selection all;
  for (const models::topology::End& end : scene_.ends())
    all = models::topology::united(std::move(all), selection_of(end));
  for (const models::topology::TopologyLink& link : scene_.links)
    all.links.insert(link.links.begin(), link.links.end());
  choose(all);
}

void Canvas::show_selection(const models::topology::Selection& selection) {
  select(selection);
  QRectF box;
  const auto take = [&](const QRectF& rect) { box = box.isNull() ? rect : box.united(rect); };
  for (const std::string& place : selection_.places)
    if (const auto end = scene_.find_end(place)) take(scene_.rect_of(*end));
  for (const models::topology::TopologyLink& link : scene_.links)
    if (std::ranges::any_of(link.links, [&](int l) { return selection_.links.contains(l); }))
      take(QRectF(link.label - QPointF(40, 12), QSizeF(80, 24)));
  if (box.isNull() || seen().contains(box)) return;
  camera_.show(box, size());
  fitted_ = false;
  stale();
  emit view_changed();
}

models::topology::Selection Canvas::selection_of(const models::topology::End& end) const {
  if (end.kind != models::topology::End::rack) return {{scene_.name_of(end).toStdString()}, {}};
  const auto& members = scene_.racks[static_cast<std::size_t>(end.index)].members;
  return {{members.begin(), members.end()}, {}};
}

models::topology::Selection Canvas::selection_of(const models::topology::Hit& hit) const {
  switch (hit.kind) {
    case models::topology::Hit::node:
      return selection_of(models::topology::End{models::topology::End::node, hit.index});
    case models::topology::Hit::network_switch:
      return selection_of(models::topology::End{models::topology::End::network_switch, hit.index});
    case models::topology::Hit::rack:
      return selection_of(models::topology::End{models::topology::End::rack, hit.index});
    case models::topology::Hit::device:
      for (std::size_t n = 0; n < scene_.nodes.size(); ++n)
        for (const models::topology::TopologyDevice& device : scene_.nodes[n].devices)
          if (device.device == hit.index)
            return selection_of(models::topology::End{models::topology::End::node, static_cast<int>(n)});
      return {};
    case models::topology::Hit::label: {
      models::topology::Selection all;
      for (const std::size_t i : scene_.labels[static_cast<std::size_t>(hit.index)].links)
        all.links.insert(scene_.links[i].links.begin(), scene_.links[i].links.end());
      return all;
    }
    case models::topology::Hit::link:
      break;
  }
  for (const models::topology::TopologyLink& link : scene_.links)
    if (link.link == hit.index) return {{}, {link.links.begin(), link.links.end()}};
  return {};
}

void Canvas::select_next(int step) {
  std::vector<models::topology::Selection> all;
  for (const models::topology::End& end : scene_.ends()) all.push_back(selection_of(end));
  for (const models::topology::TopologyLink& link : scene_.links)
    all.push_back({{}, {link.links.begin(), link.links.end()}});
  if (all.empty()) return;
  const auto now = std::ranges::find(all, selection_);
  const auto count = static_cast<std::ptrdiff_t>(all.size());
  const std::ptrdiff_t at = now == all.end() ? (step > 0 ? 0 : count - 1) : (now - all.begin() + step + count) % count;
  show_selection(all[static_cast<std::size_t>(at)]);
}

/// Selects the nearest box in that direction; sideways offsets count as additional distance.
void Canvas::select_towards(QPointF direction) {
  QRectF from;
  for (const std::string& place : selection_.places)
    if (const auto end = scene_.find_end(place))
      from = from.isNull() ? scene_.rect_of(*end) : from.united(scene_.rect_of(*end));
  if (from.isNull()) return select_next(1);
  std::optional<models::topology::End> best;
  double least = 1e300;
  for (const models::topology::End& end : scene_.ends()) {
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

void Canvas::stale() {
  base_stale_ = true;
  update();
}

void Canvas::fit() {
  fitted_ = true;
  fit_camera();
  stale();
  emit view_changed();
}

void Canvas::zoom_by(double factor) {
  fitted_ = false;
  camera_.zoom_at(QRectF(rect()).center(), factor);
  stale();
  emit view_changed();
}

void Canvas::resizeEvent(QResizeEvent*) {
  if (fitted_) fit_camera();
  stale();
}

void Canvas::changeEvent(QEvent* event) {
  if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange) stale();
  QWidget::changeEvent(event);
}

void Canvas::wheelEvent(QWheelEvent* event) {
  if (event->modifiers().testFlag(Qt::ControlModifier)) {
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

void Canvas::show_message(const QString& words) {
  said_ = words;
  said_timer_->start(message_ms);
  update();
}

}  // namespace pipedeck::views::topology
