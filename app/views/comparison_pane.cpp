// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/comparison_pane.hpp"

#include <algorithm>
#include <array>

#include <QEvent>
#include <QLabel>
#include <QMetaObject>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include "app/views/legend_view.hpp"
#include "app/views/plan_panel.hpp"
#include "app/views/ruler_view.hpp"

namespace pipedeck::app {

namespace {

constexpr double right_air = 1.02;  // after the longest plan's end

constexpr double asynchronous_view = 1.5;  // iterations of an asynchronous plan that "fit" shows

/// What is left below the last plan: the cursor runs through it down to the ruler.
class CursorSpace : public TimeView {
 public:
  CursorSpace(TimeLink* link, QWidget* parent) : TimeView(link, parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setFocusPolicy(Qt::NoFocus);
  }

 protected:
  void draw_content(QPainter&, QImage&) override {}
};

}  // namespace

ComparisonPane::ComparisonPane(QWidget* parent) : QWidget(parent), link_(new TimeLink(this)) {
  setObjectName(QStringLiteral("comparison_pane"));
  setAccessibleName(tr("Compared plans"));
  build();
  update_background();
  set_rows({});
  // Who picks an operation means its plan.
  connect(link_, &TimeLink::selection_changed, this, [this] {
    const auto& selection = link_->selection();
    if (selection && selected_ != selection->chart) emit plan_clicked(selection->chart);
  });
}

void ComparisonPane::build() {
  column_ = new QWidget;
  column_->setObjectName(QStringLiteral("comparison_column"));
  layout_ = new QVBoxLayout(column_);
  layout_->setContentsMargins(0, 4, 0, 0);
  layout_->setSpacing(0);
  layout_->addWidget(new CursorSpace(link_, column_), 1);
  scroll_ = new QScrollArea(this);
  scroll_->setObjectName(QStringLiteral("comparison_scroll"));
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setWidgetResizable(true);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setWidget(column_);
  scroll_->viewport()->installEventFilter(this);
  empty_ = new QLabel(tr("Tick plans in the table to compare their charts here."), this);
  empty_->setObjectName(QStringLiteral("comparison_empty"));
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  footer_ = new QWidget(this);
  footer_->setObjectName(QStringLiteral("comparison_footer"));
  ruler_ = new RulerView(link_, footer_);
  legend_ = new LegendView(footer_);
  auto* footer = new QVBoxLayout(footer_);
  footer->setContentsMargins(0, 0, 0, 4);
  footer->setSpacing(0);
  footer->addWidget(ruler_);
  footer->addWidget(legend_);
  auto* whole = new QVBoxLayout(this);
  whole->setContentsMargins(0, 0, 0, 0);
  whole->setSpacing(0);
  whole->addWidget(scroll_, 1);
  whole->addWidget(empty_, 1);
  whole->addWidget(footer_);
}

void ComparisonPane::update_background() {
  const Theme& theme = Theme::of(palette());
  for (QWidget* widget : {column_, footer_, static_cast<QWidget*>(empty_)}) {
    QPalette colors = palette();
    colors.setColor(QPalette::Window, theme.window);
    colors.setColor(QPalette::WindowText, theme.muted);
    widget->setPalette(colors);
    widget->setAutoFillBackground(true);
  }
}

PlanPanel* ComparisonPane::panel(int id) const {
  const auto found =
      std::find_if(panels_.begin(), panels_.end(), [id](const PlanPanel* panel) { return panel->plan_id() == id; });
  return found == panels_.end() ? nullptr : *found;
}

PlanPanel* ComparisonPane::take_panel(int id) {
  if (PlanPanel* known = panel(id)) return known;
  auto* made = new PlanPanel(link_, column_);
  made->set_device_names(device_names_);
  made->memory().set_by_item(memory_by_item_);
  connect(made, &PlanPanel::clicked, this, &ComparisonPane::plan_clicked);
  connect(&made->gantt(), &GanttView::lanes_changed, this, &ComparisonPane::share_scale);
  return made;
}

void ComparisonPane::set_rows(const std::vector<PlanRow>& rows) {
  std::vector<PlanPanel*> wanted;
  for (const PlanRow& row : rows) {
    if (!row.ticked) continue;
    PlanPanel* panel = take_panel(row.id);
    panel->set_row(row);
    panel->set_selected(selected_ == row.id);
    wanted.push_back(panel);
  }
  arrange(wanted);
  share_scale();
  update_legend();
  empty_->setVisible(panels_.empty());
  scroll_->setVisible(!panels_.empty());
  footer_->setVisible(!panels_.empty());
}

void ComparisonPane::arrange(const std::vector<PlanPanel*>& wanted) {
  if (wanted == panels_) return;
  for (PlanPanel* panel : panels_) {
    layout_->removeWidget(panel);
    if (std::find(wanted.begin(), wanted.end(), panel) != wanted.end()) continue;
    panel->hide();
    panel->deleteLater();
  }
  panels_ = wanted;
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    layout_->insertWidget(static_cast<int>(i), panels_[i]);
    panels_[i]->show();
  }
}

void ComparisonPane::share_scale() {
  double longest = 0, fit = 0;
  int label_width = 0;
  for (const PlanPanel* panel : panels_) {
    label_width = std::max(label_width, panel->gantt().wanted_label_width());
    const auto& content = panel->gantt().content();
    if (!content) continue;
    const auto end = static_cast<double>(content->end);
    longest = std::max(longest, end);
    // An asynchronous plan is simulated over many iterations: all of them would make one of the others a sliver.
    const auto iteration = static_cast<double>(panel->row().simulation->iteration.count);
    fit = std::max(fit, panel->row().plan.synchronous() ? end : std::min(end, asynchronous_view * iteration));
  }
  if (longest > 0) link_->set_full(longest * right_air, fit * right_air);
  constexpr int least = 84, most = 170;
  link_->set_label_width(std::clamp(label_width, least, most));
  legend_->set_indent(link_->label_width());
}

void ComparisonPane::update_legend() {
  std::array<bool, op_kind_count> seen{};
  int chunks = 1;
  for (const PlanPanel* panel : panels_)
    if (const auto& content = panel->gantt().content()) {
      for (std::size_t kind = 0; kind < seen.size(); ++kind) seen[kind] |= content->kinds[kind];
      chunks = std::max(chunks, content->most_chunks());
    }
  std::vector<OpKind> kinds;
  for (std::size_t kind = 0; kind < seen.size(); ++kind)
    if (seen[kind]) kinds.push_back(static_cast<OpKind>(kind));
  legend_->set_kinds(kinds);
  legend_->set_chunks(chunks);
  update_item_legend();
}

void ComparisonPane::update_item_legend() {
  std::array<bool, memory_item_count> seen{};
  for (const PlanPanel* panel : panels_)
    if (const auto& items = panel->memory().items(); items && memory_by_item_)
      for (const MemoryItem item : items->kinds()) seen[static_cast<std::size_t>(item)] = true;
  std::vector<MemoryItem> kinds;
  for (const MemoryItem item : stacking_order)
    if (seen[static_cast<std::size_t>(item)]) kinds.push_back(item);
  legend_->set_items(kinds);
}

void ComparisonPane::set_memory_by_item(bool on) {
  memory_by_item_ = on;
  for (PlanPanel* panel : panels_) panel->memory().set_by_item(on);
  update_item_legend();
}

void ComparisonPane::set_memory_items(int id, const std::shared_ptr<const std::vector<DeviceItems>>& items) {
  PlanPanel* chosen = panel(id);
  if (!chosen) return;
  const auto& old = chosen->memory().items();
  if (old ? old->items == items : !items) return;
  chosen->memory().set_items(make_memory_stacks(items));
  update_item_legend();
}

void ComparisonPane::set_selected_plan(std::optional<int> id) {
  const bool another = id != selected_;
  selected_ = id;
  for (PlanPanel* panel : panels_) panel->set_selected(id == panel->plan_id());
  // Only a new choice scrolls, and after the layout has its places: a refresh leaves the reader where he is.
  if (another && id) QMetaObject::invokeMethod(this, &ComparisonPane::scroll_to_selected, Qt::QueuedConnection);
}

void ComparisonPane::scroll_to_selected() {
  PlanPanel* chosen = selected_ ? panel(*selected_) : nullptr;
  if (chosen)
    scroll_->ensureWidgetVisible(&chosen->title(), 0, 0), scroll_->ensureWidgetVisible(&chosen->gantt(), 0, 0);
}

void ComparisonPane::set_ghost(int id, const std::shared_ptr<const Simulation>& old) {
  if (PlanPanel* panel = this->panel(id)) panel->set_ghost(make_gantt_content(old));
}

void ComparisonPane::set_device_names(const QStringList& names) {
  device_names_ = names;
  for (PlanPanel* panel : panels_) panel->set_device_names(names);
  share_scale();
}

bool ComparisonPane::eventFilter(QObject* watched, QEvent* event) {
  // The ruler ends where the plots end, left of the scroll bar.
  if (watched == scroll_->viewport() && event->type() == QEvent::Resize)
    footer_->layout()->setContentsMargins(0, 0, scroll_->width() - scroll_->viewport()->width(), 4);
  return QWidget::eventFilter(watched, event);
}

void ComparisonPane::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange && column_) update_background();
  QWidget::changeEvent(event);
}

}  // namespace pipedeck::app
