// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/memory/accessible.hpp"

#include <map>
#include <memory>

#include <QAccessible>
#include <QAccessibleWidget>
#include <QPointer>

#include "app/views/memory/view.hpp"
#include "app/views/widgets/accessible_factory.hpp"

namespace pipedeck::views::memory {

namespace {

/// A device of a memory chart, or several with the same curve.
class CurvePart : public QAccessibleInterface {
 public:
  CurvePart(View* view, std::size_t curve) : view_(view), curves_(view->curves()), curve_(curve) {}
  bool isValid() const override { return view_ && view_->curves() == curves_; }
  QObject* object() const override { return nullptr; }
  QWindow* window() const override { return view_ ? view_->window()->windowHandle() : nullptr; }
  void setText(QAccessible::Text, const QString&) override {}
  QAccessible::Role role() const override { return QAccessible::ListItem; }
  QAccessible::State state() const override { return {}; }
  QRect rect() const override {
    return {view_->mapToGlobal(view_->curve_box(curve_).topLeft().toPoint()), view_->curve_box(curve_).size().toSize()};
  }
  QString text(QAccessible::Text kind) const override {
    const QStringList lines = view_->peak_lines(curve_);
    if (kind == QAccessible::Name) return lines.value(0);
    return kind == QAccessible::Description ? lines.mid(1).join(QStringLiteral(", ")) : QString();
  }
  QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(view_); }
  int childCount() const override { return 0; }
  QAccessibleInterface* child(int) const override { return nullptr; }
  QAccessibleInterface* childAt(int, int) const override { return nullptr; }
  int indexOfChild(const QAccessibleInterface*) const override { return -1; }
  std::size_t curve() const { return curve_; }

 private:
  QPointer<View> view_;
  std::shared_ptr<const models::memory::Curves> curves_;
  std::size_t curve_;
};

class AccessibleMemory : public QAccessibleWidget {
 public:
  explicit AccessibleMemory(View* view) : QAccessibleWidget(view, QAccessible::Chart), view_(view) {}
  ~AccessibleMemory() override { forget(); }

  int childCount() const override { return view_->curves() ? static_cast<int>(view_->curves()->curves.size()) : 0; }
  QAccessibleInterface* child(int index) const override {
    if (seen_ != view_->curves()) forget();
    seen_ = view_->curves();
    if (index < 0 || index >= childCount()) return nullptr;
    if (const auto known = parts_.find(index); known != parts_.end())
      return QAccessible::accessibleInterface(known->second);
    auto* made = new CurvePart(view_, static_cast<std::size_t>(index));
    parts_[index] = QAccessible::registerAccessibleInterface(made);
    return made;
  }
  int indexOfChild(const QAccessibleInterface* child) const override {
    const auto* part = dynamic_cast<const CurvePart*>(child);
    return part ? static_cast<int>(part->curve()) : -1;
  }
  QAccessibleInterface* childAt(int x, int y) const override {
    const auto curve = view_->part_at(view_->mapFromGlobal(QPointF(x, y)));
    return curve ? child(static_cast<int>(*curve)) : nullptr;
  }

 private:
  void forget() const {
    for (const auto& [index, id] : parts_) QAccessible::deleteAccessibleInterface(id);
    parts_.clear();
  }

  View* view_;
  mutable std::shared_ptr<const models::memory::Curves> seen_;
  mutable std::map<int, QAccessible::Id> parts_;
};

}  // namespace

void install_accessible_memory() { widgets::install_accessible<AccessibleMemory, View>(); }

}  // namespace pipedeck::views::memory
