// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/gantt/accessible.hpp"

#include <deque>
#include <map>
#include <utility>

#include <QAccessible>
#include <QAccessibleWidget>
#include <QPointer>

#include "app/views/gantt/view.hpp"
#include "app/views/widgets/accessible_factory.hpp"

namespace pipedeck::views::gantt {

namespace {

constexpr std::size_t max_kept = 2048;  // operations

/// Returns the lanes of a row: its main lane, then its all-reduces.
std::vector<TimelineLane> lanes_of_row(const View& view, std::size_t row) {
  std::vector<TimelineLane> lanes;
  const models::gantt::Content& content = *view.content();
  for (const auto& lane : {models::gantt::main_lane(content, view.geometry_of_lanes().rows[row]),
                           models::gantt::collective_lane(content, view.geometry_of_lanes().rows[row])})
    if (lane) lanes.push_back(content.timeline->lanes[*lane]);
  return lanes;
}

QRect on_screen(const QWidget& view, const QRectF& box) {
  return {view.mapToGlobal(box.topLeft().toPoint()), box.size().toSize()};
}

/// A base class of all parts of a chart.
class ChartPart : public QAccessibleInterface {
 public:
  explicit ChartPart(View* view) : view_(view), content_(view->content()) {}
  bool isValid() const override { return view_ && view_->content() == content_ && there(); }
  QObject* object() const override { return nullptr; }
  QWindow* window() const override { return view_ ? view_->window()->windowHandle() : nullptr; }
  void setText(QAccessible::Text, const QString&) override {}
  QAccessibleInterface* childAt(int, int) const override { return nullptr; }

 protected:
  virtual bool there() const = 0;
  View& view() const { return *view_; }

 private:
  QPointer<View> view_;
  std::shared_ptr<const models::gantt::Content> content_;
};

class OperationPart;

class AccessibleGantt : public QAccessibleWidget {
 public:
  explicit AccessibleGantt(View* view) : QAccessibleWidget(view, QAccessible::Chart), view_(view) {}
  ~AccessibleGantt() override { forget(); }

  int childCount() const override { return ready() ? static_cast<int>(rows().size()) : 0; }
  QAccessibleInterface* child(int index) const override {
    return index >= 0 && index < childCount() ? lane(static_cast<std::size_t>(index)) : nullptr;
  }
  int indexOfChild(const QAccessibleInterface* child) const override;
  QAccessibleInterface* childAt(int x, int y) const override;
  QAccessibleInterface* focusChild() const override {
    return view_->hasFocus() && view_->selected() ? operation(*view_->selected()) : nullptr;
  }

  QAccessibleInterface* lane(std::size_t row) const;
  QAccessibleInterface* operation(const models::gantt::Hit& hit) const;

 private:
  const std::vector<models::gantt::Row>& rows() const { return view_->geometry_of_lanes().rows; }
  /// Returns true if there is content. Discards the parts of earlier content.
  bool ready() const {
    if (seen_ != view_->content() || !(seen_rows_ == rows())) {
      forget();
      seen_ = view_->content();
      seen_rows_ = rows();
    }
    return seen_ && !seen_->preview;
  }
  void forget() const {
    for (const auto& [row, id] : lanes_) QAccessible::deleteAccessibleInterface(id);
    for (const auto& [at, id] : operations_) QAccessible::deleteAccessibleInterface(id);
    lanes_.clear();
    operations_.clear();
    latest_.clear();
  }

  View* view_;
  mutable std::shared_ptr<const models::gantt::Content> seen_;
  mutable std::vector<models::gantt::Row> seen_rows_;
  mutable std::map<std::size_t, QAccessible::Id> lanes_;
  mutable std::map<std::pair<std::size_t, std::size_t>, QAccessible::Id> operations_;
  mutable std::deque<std::pair<std::size_t, std::size_t>> latest_;
};

AccessibleGantt* chart_of(View& view) {
  return static_cast<AccessibleGantt*>(QAccessible::queryAccessibleInterface(&view));
}

class LanePart : public ChartPart {
 public:
  LanePart(View* view, std::size_t row) : ChartPart(view), row_(row) {}

  QAccessible::Role role() const override { return QAccessible::List; }
  QAccessible::State state() const override { return {}; }
  QRect rect() const override {
    const models::gantt::Row& row = view().geometry_of_lanes().rows[row_];
    return on_screen(view(), QRectF(view().plot().left(), row.top, view().plot().width(), row.height));
  }
  QString text(QAccessible::Text kind) const override {
    if (kind == QAccessible::Name) return view().row_text(row_);
    return kind == QAccessible::Description ? View::tr("%L1 operations").arg(childCount()) : QString();
  }
  QAccessibleInterface* parent() const override { return chart_of(view()); }
  int childCount() const override {
    std::size_t count = 0;
    for (const TimelineLane& lane : lanes_of_row(view(), row_)) count += lane.size();
    return static_cast<int>(count);
  }
  QAccessibleInterface* child(int index) const override {
    auto at = static_cast<std::size_t>(std::max(0, index));
    if (index < 0) return nullptr;
    for (const TimelineLane& lane : lanes_of_row(view(), row_)) {
      if (at < lane.size()) return chart_of(view())->operation({row_, lane.begin + at});
      at -= lane.size();
    }
    return nullptr;
  }
  int indexOfChild(const QAccessibleInterface* child) const override;
  QAccessibleInterface* childAt(int x, int y) const override { return chart_of(view())->childAt(x, y); }
  std::size_t row() const { return row_; }

 protected:
  bool there() const override { return row_ < view().geometry_of_lanes().rows.size(); }

 private:
  std::size_t row_;
};

class OperationPart : public ChartPart, public QAccessibleActionInterface {
 public:
  OperationPart(View* view, const models::gantt::Hit& hit) : ChartPart(view), hit_(hit) {}

  QAccessible::Role role() const override { return QAccessible::ListItem; }
  QAccessible::State state() const override {
    QAccessible::State state;
    state.focusable = state.selectable = true;
    state.selected = view().selected() == hit_;
    state.focused = state.selected && view().hasFocus();
    const TimelineRow row = view().content()->timeline->row(hit_.operation);
    const models::gantt::TimeAxis& axis = view().link().axis();
    state.offscreen =
        static_cast<double>(row.end().count) < axis.begin || static_cast<double>(row.start.count) > axis.end;
    return state;
  }
  QRect rect() const override { return on_screen(view(), view().box_of(hit_)); }
  QString text(QAccessible::Text kind) const override {
    return kind == QAccessible::Name ? view().spoken(hit_) : QString();
  }
  QAccessibleInterface* parent() const override { return chart_of(view())->lane(hit_.row); }
  int childCount() const override { return 0; }
  QAccessibleInterface* child(int) const override { return nullptr; }
  int indexOfChild(const QAccessibleInterface*) const override { return -1; }
  void* interface_cast(QAccessible::InterfaceType type) override {
    return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this) : nullptr;
  }
  QStringList actionNames() const override { return {pressAction(), setFocusAction()}; }
  void doAction(const QString&) override {
    view().setFocus();
    view().show_operation(hit_.operation);
  }
  QStringList keyBindingsForAction(const QString&) const override { return {}; }
  const models::gantt::Hit& hit() const { return hit_; }

 protected:
  bool there() const override {
    if (hit_.row >= view().geometry_of_lanes().rows.size()) return false;
    for (const TimelineLane& lane : lanes_of_row(view(), hit_.row))
      if (hit_.operation >= lane.begin && hit_.operation < lane.end) return true;
    return false;
  }

 private:
  models::gantt::Hit hit_;
};

int LanePart::indexOfChild(const QAccessibleInterface* child) const {
  const auto* operation = dynamic_cast<const OperationPart*>(child);
  if (!operation || operation->hit().row != row_) return -1;
  std::size_t before = 0;
  for (const TimelineLane& lane : lanes_of_row(view(), row_)) {
    if (operation->hit().operation >= lane.begin && operation->hit().operation < lane.end)
      return static_cast<int>(before + operation->hit().operation - lane.begin);
    before += lane.size();
  }
  return -1;
}

QAccessibleInterface* AccessibleGantt::lane(std::size_t row) const {
  if (!ready() || row >= rows().size()) return nullptr;
  if (const auto known = lanes_.find(row); known != lanes_.end())
    return QAccessible::accessibleInterface(known->second);
  auto* made = new LanePart(view_, row);
  lanes_[row] = QAccessible::registerAccessibleInterface(made);
  return made;
}

QAccessibleInterface* AccessibleGantt::operation(const models::gantt::Hit& hit) const {
  if (!ready()) return nullptr;
  const auto key = std::pair(hit.row, hit.operation);
  if (const auto known = operations_.find(key); known != operations_.end())
    return QAccessible::accessibleInterface(known->second);
  if (latest_.size() >= max_kept) {
    QAccessible::deleteAccessibleInterface(operations_[latest_.front()]);
    operations_.erase(latest_.front());
    latest_.pop_front();
  }
  auto* made = new OperationPart(view_, hit);
  operations_[key] = QAccessible::registerAccessibleInterface(made);
  latest_.push_back(key);
  return made;
}

int AccessibleGantt::indexOfChild(const QAccessibleInterface* child) const {
  const auto* lane = dynamic_cast<const LanePart*>(child);
  return lane ? static_cast<int>(lane->row()) : -1;
}

QAccessibleInterface* AccessibleGantt::childAt(int x, int y) const {
  if (!ready()) return nullptr;
  const QPointF at = view_->mapFromGlobal(QPointF(x, y));
  if (const auto hit = view_->hit(at)) return operation(*hit);
  const auto row = view_->geometry_of_lanes().row_at(at.y());
  return row ? lane(*row) : nullptr;
}

}  // namespace

void install_accessible_gantt() { widgets::install_accessible<AccessibleGantt, View>(); }

void report_focus(View& view, const models::gantt::Hit& hit) {
  if (!QAccessible::isActive()) return;
  QAccessibleInterface* operation = chart_of(view)->operation(hit);
  if (!operation) return;
  QAccessibleEvent event(operation, QAccessible::Focus);
  QAccessible::updateAccessibility(&event);
}

}  // namespace pipedeck::views::gantt
