// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/widgets/accessible_items.hpp"

#include <deque>
#include <map>
#include <utility>

#include <QAccessible>
#include <QAccessibleWidget>
#include <QPointer>
#include <QWidget>

namespace pipedeck::views::widgets {

namespace {

constexpr std::size_t max_kept = 2048;  ///< for charts with very many parts

class ItemAccessible : public QAccessibleInterface, public QAccessibleActionInterface {
 public:
  ItemAccessible(QWidget* view, AccessibleItems* items, int item) : view_(view), items_(items), item_(item) {}

  bool isValid() const override { return view_ && item_ < items_->item_count(); }
  QObject* object() const override { return nullptr; }
  QWindow* window() const override { return view_ ? view_->window()->windowHandle() : nullptr; }
  QAccessibleInterface* childAt(int, int) const override { return nullptr; }
  QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(view_); }
  QAccessibleInterface* child(int) const override { return nullptr; }
  int childCount() const override { return 0; }
  int indexOfChild(const QAccessibleInterface*) const override { return -1; }
  QString text(QAccessible::Text text) const override {
    return text == QAccessible::Name && isValid() ? items_->item_text(item_) : QString();
  }
  void setText(QAccessible::Text, const QString&) override {}
  QRect rect() const override {
    if (!isValid()) return {};
    const QRect rect = items_->item_rect(item_);
    return rect.isNull() ? QRect() : QRect(view_->mapToGlobal(rect.topLeft()), rect.size());
  }
  QAccessible::Role role() const override { return QAccessible::ListItem; }
  QAccessible::State state() const override {
    QAccessible::State state;
    state.invalid = !isValid();
    state.selectable = isValid() && items_->items_can_be_pressed();
    state.offscreen = isValid() && items_->item_rect(item_).isNull();
    state.selected = isValid() && items_->item_selected(item_);
    return state;
  }
  void* interface_cast(QAccessible::InterfaceType type) override {
    const bool acts = type == QAccessible::ActionInterface && isValid() && items_->items_can_be_pressed();
    return acts ? static_cast<QAccessibleActionInterface*>(this) : nullptr;
  }
  QStringList actionNames() const override { return {pressAction()}; }
  void doAction(const QString& action) override {
    if (isValid() && action == pressAction()) items_->press_item(item_);
  }
  QStringList keyBindingsForAction(const QString&) const override { return {}; }

 private:
  QPointer<QWidget> view_;
  AccessibleItems* items_;
  int item_;
};

class ViewAccessible : public QAccessibleWidget {
 public:
  ViewAccessible(QWidget* view, AccessibleItems* items)
      : QAccessibleWidget(view, QAccessible::Chart), view_(view), items_(items) {}
  ~ViewAccessible() override {
    for (const auto& [item, id] : ids_) QAccessible::deleteAccessibleInterface(id);
  }

  int childCount() const override { return items_->item_count(); }
  QAccessibleInterface* child(int item) const override {
    if (item < 0 || item >= childCount()) return nullptr;
    if (const auto known = ids_.find(item); known != ids_.end()) return QAccessible::accessibleInterface(known->second);
    auto* made = new ItemAccessible(view_, items_, item);
    ids_[item] = QAccessible::registerAccessibleInterface(made);
    kept_.push_back(item);
    if (kept_.size() > max_kept) {
      QAccessible::deleteAccessibleInterface(ids_.at(kept_.front()));
      ids_.erase(kept_.front());
      kept_.pop_front();
    }
    return made;
  }
  int indexOfChild(const QAccessibleInterface* child) const override {
    for (const auto& [item, id] : ids_)
      if (QAccessible::accessibleInterface(id) == child) return item;
    return -1;
  }
  QAccessibleInterface* childAt(int x, int y) const override {
    const QPoint at = view_->mapFromGlobal(QPoint(x, y));
    for (int item = childCount() - 1; item >= 0; --item)
      if (items_->item_rect(item).contains(at)) return child(item);
    return nullptr;
  }

 private:
  QWidget* view_;
  AccessibleItems* items_;
  mutable std::map<int, QAccessible::Id> ids_;
  mutable std::deque<int> kept_;
};

}  // namespace

void install_accessible_items() {
  static const bool once = [] {
    QAccessible::installFactory([](const QString&, QObject* object) -> QAccessibleInterface* {
      auto* items = dynamic_cast<AccessibleItems*>(object);
      return items ? new ViewAccessible(static_cast<QWidget*>(object), items) : nullptr;
    });
    return true;
  }();
  (void)once;
}

}  // namespace pipedeck::views::widgets
