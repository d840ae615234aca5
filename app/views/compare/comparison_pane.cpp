// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/compare/comparison_pane.hpp"

#include <algorithm>
#include <array>

#include <QEvent>
#include <QLabel>
#include <QLayout>
#include <QMetaObject>
#include <QScrollArea>
#include <QScrollBar>

#include "app/views/compare/plan_panel.hpp"
#include "app/views/gantt/chart_search.hpp"
#include "app/views/gantt/difference_view.hpp"
#include "app/views/gantt/legend_view.hpp"
#include "app/views/gantt/minimap_view.hpp"
#include "app/views/gantt/span_panel.hpp"
#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::views::compare {

namespace {

constexpr double right_air = 1.02;  // margin after the longest plan's end

constexpr int min_height_for_overview = 240;

constexpr double asynchronous_view = 1.5;  // iterations of an asynchronous plan that "fit" shows

}  // namespace

Pane::Pane(QWidget* parent) : QWidget(parent), link_(new gantt::TimeAxisController(this)), differing_(this) {
  setObjectName(QStringLiteral("comparison_pane"));
  setAccessibleName(tr("Compared plans"));
  build();
  update_background();
  set_rows({});
  // Selecting an operation also selects its plan.
  connect(link_, &gantt::TimeAxisController::selection_changed, this, [this] {
    const auto& selection = link_->selection();
    if (selection && selected_ != selection->chart) emit plan_clicked(selection->chart);
  });
  connect(link_, &gantt::TimeAxisController::measure_changed, this, &Pane::show_measured);
}

void Pane::update_background() {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  for (QWidget* widget : {column_, header_, footer_, static_cast<QWidget*>(empty_)}) {
    QPalette colors = palette();
    colors.setColor(QPalette::Window, theme.window);
    colors.setColor(QPalette::WindowText, theme.muted);
    widget->setPalette(colors);
    widget->setAutoFillBackground(true);
  }
}

PlanPanel* Pane::panel(int id) const {
  const auto found =
      std::find_if(panels_.begin(), panels_.end(), [id](const PlanPanel* panel) { return panel->plan_id() == id; });
  return found == panels_.end() ? nullptr : *found;
}

PlanPanel* Pane::take_panel(int id) {
  if (PlanPanel* known = panel(id)) return known;
  auto* made = new PlanPanel(link_, column_);
  new_panels_.insert(id);
  made->set_device_names(device_names_);
  made->memory().set_by_item(memory_by_item_);
  gantt::View* chart = &made->gantt();
  chart->set_links_visible(links_visible_);
  connect(made, &PlanPanel::clicked, this, &Pane::plan_clicked);
  connect(chart, &gantt::View::lanes_changed, this, [this, chart] {
    share_scale();
    show_pinned();
    // L toggles the links of this chart only. The common setting follows if there is only one chart.
    if (panels_.size() == 1 && links_visible_ != chart->links_visible())
      emit links_visible_changed(links_visible_ = chart->links_visible());
  });
  connect(chart, &gantt::View::content_changed, this, &Pane::contents_changed, Qt::QueuedConnection);
  connect(chart, &gantt::View::pins_changed, this, &Pane::show_pinned);
  connect(chart, &gantt::View::highlights_changed, this, &Pane::show_pinned);
  connect(chart, &gantt::View::search_requested, this, [this] { search_->open(); });
  connect(chart, &gantt::View::row_shown, this,
          [this, chart](int top, int bottom) { scroll_to_row(chart, top, bottom); });
  return made;
}

void Pane::set_rows(const std::vector<models::compare::PlanRow>& rows) {
  remember_place();
  std::vector<PlanPanel*> wanted;
  for (const models::compare::PlanRow& row : rows) {
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
  for (QWidget* part : {header_, footer_}) part->setVisible(!panels_.empty());
  contents_changed();
  if (place_) QMetaObject::invokeMethod(this, &Pane::keep_place, Qt::QueuedConnection);
}

int Pane::top_of(const PlanPanel& panel) const { return panel.mapTo(column_, QPoint(0, 0)).y(); }

void Pane::remember_place() {
  const PlanPanel* chosen = selected_ ? panel(*selected_) : nullptr;
  if (!place_ && chosen && scroll_->isVisible()) place_ = top_of(*chosen) - scroll_->verticalScrollBar()->value();
}

/// Returns the selected plan to the place that it, or the plan that it was made from, had before the panels changed.
void Pane::keep_place() {
  const PlanPanel* chosen = selected_ ? panel(*selected_) : nullptr;
  if (chosen && place_) scroll_->verticalScrollBar()->setValue(top_of(*chosen) - *place_);
  place_.reset();
}

std::vector<gantt::View*> Pane::charts() const {
  std::vector<gantt::View*> charts;
  for (const PlanPanel* panel : panels_) charts.push_back(&panel->gantt());
  return charts;
}

/// Updates the views that depend on the contents of all charts.
void Pane::contents_changed() {
  show_minimap();
  show_measured();
  show_pinned();
  show_difference();
  search_->refresh();
  emit charts_changed();
}

void Pane::show_minimap() {
  std::vector<std::shared_ptr<const models::gantt::Content>> contents;
  std::vector<std::shared_ptr<const models::gantt::Matches>> matches;
  for (const gantt::View* chart : charts()) {
    contents.push_back(chart->content());
    matches.push_back(chart->matches());
  }
  minimap_->set_contents(contents);
  minimap_->set_matches(matches);
  minimap_->setVisible(overview_visible_ && !panels_.empty() && height() >= min_height_for_overview);
}

void Pane::set_overview_visible(bool on) {
  overview_visible_ = on;
  show_minimap();
}

void Pane::show_measured() {
  const PlanPanel* shown = selected_ ? panel(*selected_) : nullptr;
  if (!shown && !panels_.empty()) shown = panels_.front();
  span_panel_->set_chart(shown ? &shown->gantt() : nullptr,
                         shown ? models::compare::plan_title(shown->row()) : QString());
}

gantt::View* Pane::pinned_lanes(int id) const {
  const auto found = pinned_.find(id);
  return found == pinned_.end() ? nullptr : found->second.lanes;
}

/// Shows the pinned lanes above the charts, plan after plan. Side by side, each chart has its own scale: pins rest.
void Pane::show_pinned() {
  std::map<int, const gantt::View*> wanted;
  if (columns() == 1)
    for (const gantt::View* chart : charts())
      if (!chart->pinned().empty() && chart->content()) wanted[chart->chart_id()] = chart;
  std::erase_if(pinned_, [&](const auto& entry) {
    if (wanted.contains(entry.first)) return false;
    entry.second.title->deleteLater();
    entry.second.lanes->deleteLater();
    return true;
  });
  for (const PlanPanel* panel : panels_) {
    const auto chart = wanted.find(panel->plan_id());
    if (chart == wanted.end()) continue;
    auto& [title, lanes] = pinned_[chart->first];
    if (!lanes) {
      title = new QLabel(header_);
      title->setObjectName(QStringLiteral("pinned_title"));
      title->setFont(widgets::caption_font(font()));
      title->setContentsMargins(widgets::ThemeSizes::margin, 2, 0, 0);
      lanes = new gantt::View(link_, header_);
      lanes->setObjectName(QStringLiteral("pinned_lanes"));
      lanes->setAccessibleName(tr("Pinned lanes"));
      header_->layout()->addWidget(title);
      header_->layout()->addWidget(lanes);
    }
    lanes->show_pinned_of(*chart->second);
    title->setText(models::compare::plan_title(panel->row()));
    title->setVisible(panels_.size() > 1 && !lanes->geometry_of_lanes().rows.empty());
    lanes->setVisible(!lanes->geometry_of_lanes().rows.empty());
  }
}

void Pane::set_links_visible(bool on) {
  if (links_visible_ != on) emit links_visible_changed(on);
  links_visible_ = on;
  for (gantt::View* chart : charts()) chart->set_links_visible(on);
  share_scale();
}

void Pane::set_difference(int from, int to) {
  difference_plans_.reset();
  if (from != to && panel(to)) difference_plans_ = std::pair(from, to);
  show_difference();
}

void Pane::end_difference() {
  differing_.cancel();
  if (difference_)
    for (PlanPanel* panel : panels_)
      if (panel->isAncestorOf(difference_)) panel->set_insert(nullptr);
  difference_ = nullptr;
}

void Pane::show_difference() {
  const PlanPanel* from = difference_plans_ ? panel(difference_plans_->first) : nullptr;
  PlanPanel* to = difference_plans_ ? panel(difference_plans_->second) : nullptr;
  if (!from || !to) return end_difference();
  const auto ready = [](const PlanPanel* panel) {
    const auto& content = panel->gantt().content();
    return content && !content->preview ? content : nullptr;
  };
  const auto first = ready(from), second = ready(to);
  const QString name = models::compare::plan_title(from->row()), other = models::compare::plan_title(to->row());
  if (difference_ && !to->isAncestorOf(difference_)) end_difference();
  if (!difference_) {
    difference_ = new gantt::DifferenceView(link_, to);
    difference_->set_device_names(device_names_);
    connect(difference_, &gantt::DifferenceView::close_requested, this, &Pane::difference_closed);
    difference_->set_difference(nullptr, name, other);
    to->set_insert(difference_);
  }
  const auto& known = difference_->difference();
  if (known && known->from == first && known->to == second) return;
  if (!first || !second) return;
  differing_.start([this, first, second, name, other](const std::stop_token& stop) {
    const auto made = models::gantt::make_difference(first, second, stop);
    return [this, made, name, other] {
      if (difference_) difference_->set_difference(made, name, other);
    };
  });
}

PlanPanel* Pane::panel_at(const QPoint& position) const {
  for (PlanPanel* panel : panels_)
    if (panel->rect().contains(panel->mapFrom(this, position))) return panel;
  return nullptr;
}

void Pane::scroll_to_row(gantt::View* chart, int top, int bottom) {
  const QPoint from = chart->mapTo(column_, QPoint(0, top));
  scroll_->ensureVisible(0, from.y() + (bottom - top) / 2, 0, (bottom - top) / 2 + 12);
}

void Pane::share_scale() {
  double longest = 0, fit = 0;
  int label_width = 0;
  for (const PlanPanel* panel : panels_) {
    label_width = std::max(label_width, panel->gantt().wanted_label_width());
    const auto& content = panel->gantt().content();
    if (!content) continue;
    const auto end = static_cast<double>(content->end);
    longest = std::max(longest, end);
    // An asynchronous plan is simulated over many iterations. Showing all of them would shrink the other plans to
    // slivers.
    const auto iteration = static_cast<double>(panel->row().simulation->iteration.count);
    fit = std::max(fit, panel->row().plan.synchronous() ? end : std::min(end, asynchronous_view * iteration));
  }
  if (longest > 0) link_->set_full(longest * right_air, fit * right_air);
  constexpr int least = 84, most = 170;
  link_->set_label_width(std::clamp(label_width, least, most));
  legend_->set_indent(link_->label_width());
}

void Pane::update_legend() {
  std::array<bool, op_kind_count> seen{};
  int chunks = 1;
  bool tensor_parallel = false;
  for (const PlanPanel* panel : panels_)
    if (const auto& content = panel->gantt().content()) {
      for (std::size_t kind = 0; kind < seen.size(); ++kind) seen[kind] |= content->kinds[kind];
      chunks = std::max(chunks, content->max_chunks());
      tensor_parallel |= !content->tensor_parallel.empty();
    }
  std::vector<OpKind> kinds;
  for (std::size_t kind = 0; kind < seen.size(); ++kind)
    if (seen[kind]) kinds.push_back(static_cast<OpKind>(kind));
  legend_->set_kinds(kinds);
  legend_->set_tensor_parallel(tensor_parallel);
  legend_->set_chunks(chunks);
  update_item_legend();
}

void Pane::update_item_legend() {
  std::array<bool, memory_item_count> seen{};
  for (const PlanPanel* panel : panels_)
    if (const auto& items = panel->memory().items(); items && memory_by_item_)
      for (const MemoryItem item : items->kinds()) seen[static_cast<std::size_t>(item)] = true;
  std::vector<MemoryItem> kinds;
  for (const MemoryItem item : models::memory::stacking_order)
    if (seen[static_cast<std::size_t>(item)]) kinds.push_back(item);
  legend_->set_items(kinds);
}

void Pane::set_memory_by_item(bool on) {
  memory_by_item_ = on;
  for (PlanPanel* panel : panels_) panel->memory().set_by_item(on);
  update_item_legend();
}

void Pane::set_memory_items(int id, const std::shared_ptr<const std::vector<DeviceItems>>& items) {
  PlanPanel* chosen = panel(id);
  if (!chosen) return;
  const auto& old = chosen->memory().items();
  if (old ? old->items == items : !items) return;
  chosen->memory().set_items(models::memory::make_memory_stacks(items));
  update_item_legend();
}

void Pane::set_selected_plan(std::optional<int> id) {
  const bool another = id != selected_;
  selected_ = id;
  for (PlanPanel* panel : panels_) panel->set_selected(id == panel->plan_id());
  // Scroll only on a new choice, and after the layout is done: a refresh keeps the scroll position. A plan that was
  // just made, by an edit, takes the place of the plan before.
  if (!another) return;
  show_measured();
  const bool made_now = id && new_panels_.contains(*id) && place_;
  new_panels_.clear();
  if (id && !made_now) {
    place_.reset();
    QMetaObject::invokeMethod(this, &Pane::scroll_to_selected, Qt::QueuedConnection);
  }
}

/// Scrolls by the least amount that shows title and chart. If they are too high, the title comes first.
void Pane::scroll_to_selected() {
  const PlanPanel* chosen = selected_ ? panel(*selected_) : nullptr;
  if (!chosen) return;
  QScrollBar& bar = *scroll_->verticalScrollBar();
  const int top = top_of(*chosen), page = scroll_->viewport()->height();
  const int bottom = top + chosen->gantt().geometry().bottom() + 1;
  if (top < bar.value() || bottom - top > page)
    bar.setValue(top);
  else if (bottom > bar.value() + page)
    bar.setValue(bottom - page);
}

void Pane::set_ghost(int id, const std::shared_ptr<const Simulation>& old) {
  if (PlanPanel* panel = this->panel(id)) panel->set_ghost(models::gantt::make_gantt_content(old));
}

void Pane::set_device_names(const QStringList& names) {
  device_names_ = names;
  for (PlanPanel* panel : panels_) panel->set_device_names(names);
  if (difference_) difference_->set_device_names(names);
  share_scale();
}

bool Pane::eventFilter(QObject* watched, QEvent* event) {
  // The ruler ends where the plots end, left of the scroll bar.
  if (watched != scroll_->viewport() || event->type() != QEvent::Resize) return QWidget::eventFilter(watched, event);
  if (columns() != placed_columns_ && placed_columns_ > 0) place_panels();
  const int beside = scroll_->width() - scroll_->viewport()->width();
  header_->layout()->setContentsMargins(0, 0, beside, 0);
  footer_->layout()->setContentsMargins(0, 0, beside, 4);
  return QWidget::eventFilter(watched, event);
}

/// Hides everything except the charts in a low window.
void Pane::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  show_minimap();
}

void Pane::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange && column_) update_background();
  // Later: the charts do not have the new font yet.
  if (event->type() == QEvent::FontChange && column_)
    QMetaObject::invokeMethod(this, &Pane::share_scale, Qt::QueuedConnection);
  QWidget::changeEvent(event);
}

}  // namespace pipedeck::views::compare
