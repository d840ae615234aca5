// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/topology/accessible.hpp"

#include <map>

#include <QAccessibleWidget>

#include "app/views/topology/canvas.hpp"
#include "app/views/widgets/accessible_factory.hpp"

namespace pipedeck::views::topology {

namespace {

class CanvasInterface;

/// An item by its index among everything drawn: boxes as in topology::Layout::ends(), then links.
class ItemInterface : public QAccessibleInterface, public QAccessibleActionInterface {
 public:
  ItemInterface(CanvasInterface& canvas, int index) : canvas_(canvas), index_(index) {}

  bool isValid() const override;
  QObject* object() const override { return nullptr; }
  QWindow* window() const override;
  QAccessibleInterface* parent() const override;
  QAccessibleInterface* child(int) const override { return nullptr; }
  QAccessibleInterface* childAt(int, int) const override { return nullptr; }
  int childCount() const override { return 0; }
  int indexOfChild(const QAccessibleInterface*) const override { return -1; }
  QString text(QAccessible::Text kind) const override;
  void setText(QAccessible::Text, const QString&) override {}
  QRect rect() const override;
  QAccessible::Role role() const override { return QAccessible::ListItem; }
  QAccessible::State state() const override;
  void* interface_cast(QAccessible::InterfaceType type) override {
    return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this) : nullptr;
  }

  QStringList actionNames() const override { return {pressAction()}; }
  void doAction(const QString& name) override;
  QStringList keyBindingsForAction(const QString&) const override { return {}; }

 private:
  CanvasInterface& canvas_;
  int index_;
};

class CanvasInterface : public QAccessibleWidget {
 public:
  explicit CanvasInterface(Canvas* canvas) : QAccessibleWidget(canvas, QAccessible::List) {}
  ~CanvasInterface() override {
    for (const auto& [index, id] : ids_) QAccessible::deleteAccessibleInterface(id);
  }

  Canvas& canvas() const { return *static_cast<Canvas*>(widget()); }
  int boxes() const { return static_cast<int>(canvas().scene().ends().size()); }
  int childCount() const override { return boxes() + static_cast<int>(canvas().scene().links.size()); }

  QAccessibleInterface* child(int index) const override {
    if (index < 0 || index >= childCount()) return nullptr;
    const auto known = ids_.find(index);
    if (known != ids_.end()) return QAccessible::accessibleInterface(known->second);
    auto* item = new ItemInterface(const_cast<CanvasInterface&>(*this), index);
    ids_[index] = QAccessible::registerAccessibleInterface(item);
    return item;
  }

  int indexOfChild(const QAccessibleInterface* child) const override {
    for (const auto& [index, id] : ids_)
      if (QAccessible::accessibleInterface(id) == child) return index;
    return -1;
  }

  QAccessibleInterface* childAt(int x, int y) const override {
    for (int i = childCount() - 1; i >= 0; --i)
      if (child(i)->rect().contains(x, y)) return child(i);
    return nullptr;
  }

  QAccessibleInterface* focusChild() const override {
    for (int i = 0; i < childCount(); ++i)
      if (child(i)->state().selected) return child(i);
    return nullptr;
  }

  /// Returns the selection that corresponds to the child.
  models::topology::Selection selection(int index) const {
    const models::topology::Layout& scene = canvas().scene();
    const auto ends = scene.ends();
    const auto i = static_cast<std::size_t>(index);
    if (i >= ends.size()) {
      const models::topology::TopologyLink& link = scene.links[i - ends.size()];
      return {{}, {link.links.begin(), link.links.end()}};
    }
    if (ends[i].kind != models::topology::End::rack) return {{scene.name_of(ends[i]).toStdString()}, {}};
    const auto& members = scene.racks[static_cast<std::size_t>(ends[i].index)].members;
    return {{members.begin(), members.end()}, {}};
  }

  QString name(int index) const {
    const models::topology::Layout& scene = canvas().scene();
    const auto ends = scene.ends();
    const auto i = static_cast<std::size_t>(index);
    if (i >= ends.size()) {
      const models::topology::TopologyLink& link = scene.links[i - ends.size()];
      const NetworkLink& first = canvas().cluster()->links[static_cast<std::size_t>(link.link)];
      const bool one = link.links.size() == 1;
      return Canvas::tr("Link %1 – %2, %3")
          .arg(one ? QString::fromStdString(first.from) : scene.name_of(link.from_end),
               one ? QString::fromStdString(first.to) : scene.name_of(link.to_end), link.text);
    }
    const auto at = static_cast<std::size_t>(ends[i].index);
    switch (ends[i].kind) {
      case models::topology::End::node: {
        QStringList shares;
        for (const models::topology::Share& share : scene.nodes[at].shares) shares << share.text;
        return Canvas::tr("Node %1, %2").arg(scene.nodes[at].name, shares.join(QStringLiteral(", ")));
      }
      case models::topology::End::network_switch:
        return Canvas::tr("Switch %1, %2").arg(scene.switches[at].name, scene.switches[at].detail);
      case models::topology::End::rack:
        break;
    }
    const QString lines = scene.racks[at].lines.join(QStringLiteral(", "));
    return scene.racks[at].alike ? Canvas::tr("%1, alike: %2").arg(scene.racks[at].name, lines)
                                 : Canvas::tr("Rack %1, %2").arg(scene.racks[at].name, lines);
  }

  QRect area(int index) const {
    const models::topology::Layout& scene = canvas().scene();
    const auto ends = scene.ends();
    const auto i = static_cast<std::size_t>(index);
    const QRectF box = i < ends.size() ? scene.rect_of(ends[i])
                                       : QRectF(scene.links[i - ends.size()].label - QPointF(30, 10), QSizeF(60, 20));
    const QRect seen = canvas().camera().to_view(box).toAlignedRect();
    return {canvas().mapToGlobal(seen.topLeft()), seen.size()};
  }

 private:
  mutable std::map<int, QAccessible::Id> ids_;
};

bool ItemInterface::isValid() const { return canvas_.isValid() && index_ < canvas_.childCount(); }
QWindow* ItemInterface::window() const { return canvas_.window(); }
QAccessibleInterface* ItemInterface::parent() const { return &canvas_; }
QRect ItemInterface::rect() const { return isValid() ? canvas_.area(index_) : QRect(); }

QString ItemInterface::text(QAccessible::Text kind) const {
  return kind == QAccessible::Name && isValid() ? canvas_.name(index_) : QString();
}

QAccessible::State ItemInterface::state() const {
  QAccessible::State state;
  state.selectable = state.focusable = true;
  state.invalid = !isValid();
  state.selected = isValid() && canvas_.selection(index_) == canvas_.canvas().selection();
  state.focused = state.selected && canvas_.canvas().hasFocus();
  return state;
}

void ItemInterface::doAction(const QString& name) {
  if (name == pressAction() && isValid()) canvas_.canvas().show_selection(canvas_.selection(index_));
}

}  // namespace

void install_topology_accessibility() { widgets::install_accessible<CanvasInterface, Canvas>(); }

void report_topology_selection(Canvas& canvas) {
  if (!QAccessible::isActive() || !canvas.hasFocus()) return;
  auto* interface = static_cast<CanvasInterface*>(QAccessible::queryAccessibleInterface(&canvas));
  for (int i = 0; interface && i < interface->childCount(); ++i) {
    if (!interface->child(i)->state().selected) continue;
    QAccessibleEvent event(&canvas, QAccessible::Focus);
    event.setChild(i);
    QAccessible::updateAccessibility(&event);
    return;
  }
}

}  // namespace pipedeck::views::topology
