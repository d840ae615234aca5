// SPDX-License-Identifier: GPL-3.0-or-later
// Copies of the selection in a drawing, by clipboard or directly next to it.
#include "app/ui/actions/topology_editing.hpp"

#include <algorithm>

#include <QClipboard>
#include <QGuiApplication>

#include "app/models/topology/room.hpp"
#include "app/text/in_qt.hpp"

namespace pipedeck::ui::actions {

namespace {

constexpr double paste_step = 2 * models::topology::topology_grid;

}  // namespace

void TopologyEditing::copy() const {
  const models::topology::Selection& chosen = view_.canvas()->selection();
  if (!ready() || chosen.places.empty()) return;
  QGuiApplication::clipboard()->setText(text::to_qstring(session::cluster::fragment_of(drawn(), chosen.places)));
}

void TopologyEditing::cut() {
  const models::topology::Selection chosen = view_.canvas()->selection();
  if (!ready() || chosen.places.empty()) return;
  copy();
  take(tr("Cut"), session::cluster::without(drawn(), chosen.places, {}));
}

void TopologyEditing::apply_pasted(const QString& name, Result<session::cluster::PastedPlaces> pasted) {
  if (!pasted) return refuse(pasted.error());
  const models::topology::Selection added{pasted->places, {}};
  if (take(name, std::move(pasted->drawn))) view_.canvas()->show_selection(added);
}

/// Pastes near the original, or in the middle of the view if the original is not visible.
void TopologyEditing::paste() {
  if (!ready()) return;
  const std::string text = QGuiApplication::clipboard()->text().toStdString();
  ClusterLayout::Place offset{paste_step, paste_step};
  if (const auto corner = session::cluster::fragment_corner(text)) {
    const views::topology::Canvas& canvas = *view_.canvas();
    const QRectF seen = canvas.camera().to_drawing(QRectF(canvas.rect()));
    const auto taken = [&](const ClusterLayout::Place& at) {
      return std::ranges::any_of(view_.scene().places, [&](const auto& place) {
        return std::abs(place.second.x - at.x) < 1 && std::abs(place.second.y - at.y) < 1;
      });
    };
    if (!seen.contains(QPointF(corner->x, corner->y)))
      offset = {models::topology::on_grid(seen.center().x()) - corner->x,
                models::topology::on_grid(seen.center().y()) - corner->y};
    while (taken({corner->x + offset.x, corner->y + offset.y})) offset.x += paste_step, offset.y += paste_step;
  }
  apply_pasted(tr("Paste"), session::cluster::with_fragment(drawn(), text, offset));
}

void TopologyEditing::duplicate() {
  const models::topology::Selection chosen = view_.canvas()->selection();
  if (!ready() || chosen.places.empty()) return;
  QRectF box;
  for (const std::string& place : chosen.places)
    if (const auto end = view_.scene().find_end(place)) box = box.united(view_.scene().rect_of(*end));
  const QPointF beside = box.topLeft() + QPointF(models::topology::on_grid(box.width()) + paste_step, 0);
  const ClusterLayout::Place place = models::topology::free_place(view_.scene(), box.size(), {beside.x(), beside.y()});
  const ClusterLayout::Place offset{place.x - box.left(), place.y - box.top()};
  apply_pasted(tr("Duplicate"), session::cluster::duplicated(drawn(), chosen.places, offset));
}

}  // namespace pipedeck::ui::actions
