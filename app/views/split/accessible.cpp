// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/split/accessible.hpp"

#include <map>

#include <QAccessible>
#include <QAccessibleWidget>

#include "app/views/split/editor.hpp"
#include "app/views/widgets/accessible_factory.hpp"

namespace pipedeck::views::split {

namespace {

/// An item at one index of the editor's list. It queries the editor each time.
class ItemAccessible : public QAccessibleInterface {
 public:
  ItemAccessible(Editor* editor, std::size_t index) : editor_(editor), index_(index) {}

  bool isValid() const override { return index_ < editor_->items().size(); }
  QObject* object() const override { return nullptr; }
  QAccessibleInterface* childAt(int, int) const override { return nullptr; }
  QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(editor_); }
  QAccessibleInterface* child(int) const override { return nullptr; }
  int childCount() const override { return 0; }
  int indexOfChild(const QAccessibleInterface*) const override { return -1; }
  QString text(QAccessible::Text text) const override {
    return text == QAccessible::Name && isValid() ? editor_->item_text(item()) : QString();
  }
  void setText(QAccessible::Text, const QString&) override {}
  QRect rect() const override {
    if (!isValid()) return {};
    const QRect rect = editor_->item_rect(item()).toRect();
    return {editor_->mapToGlobal(rect.topLeft()), rect.size()};
  }
  QAccessible::Role role() const override {
    if (!isValid()) return QAccessible::NoRole;
    const models::split::Part part = item().part;
    return part == models::split::Part::cut    ? QAccessible::Splitter
           : part == models::split::Part::chip ? QAccessible::Button
                                               : QAccessible::ListItem;
  }
  QAccessible::State state() const override {
    QAccessible::State state;
    state.invalid = !isValid();
    state.focusable = state.selectable = true;
    state.focused = state.selected = isValid() && editor_->hasFocus() && editor_->focused() == item();
    return state;
  }

 private:
  models::split::Item item() const { return editor_->items()[index_]; }

  Editor* editor_;
  std::size_t index_;
};

class EditorAccessible : public QAccessibleWidget {
 public:
  explicit EditorAccessible(Editor* editor) : QAccessibleWidget(editor, QAccessible::List), editor_(editor) {}
  ~EditorAccessible() override {
    for (const auto& [index, id] : ids_) QAccessible::deleteAccessibleInterface(id);
  }

  int childCount() const override { return static_cast<int>(editor_->items().size()); }
  QAccessibleInterface* child(int index) const override {
    if (index < 0 || index >= childCount()) return nullptr;
    const auto known = ids_.find(index);
    if (known != ids_.end()) return QAccessible::accessibleInterface(known->second);
    auto* made = new ItemAccessible(editor_, static_cast<std::size_t>(index));
    ids_[index] = QAccessible::registerAccessibleInterface(made);
    return made;
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

 private:
  Editor* editor_;
  mutable std::map<int, QAccessible::Id> ids_;
};

}  // namespace

void install_split_accessible() { widgets::install_accessible<EditorAccessible, Editor>(); }

}  // namespace pipedeck::views::split
