// SPDX-License-Identifier: GPL-3.0-or-later
// Keyboard steps of View: between operations, along the critical path, to the matches of a search.
#include <algorithm>

#include <QKeyEvent>

#include "app/views/gantt/accessible.hpp"
#include "app/views/gantt/view.hpp"
#include "app/views/widgets/hover_card.hpp"

namespace pipedeck::views::gantt {

void View::select(const models::gantt::Hit& hit) {
  const TimelineRow operation = content_->timeline->row(hit.operation);
  selected_row_ = hit.row;
  link().set_selection(SelectedOperation{chart_id_, hit.operation, operation.operation});
  if (selected_ != hit) selection_moved();  // the same operation in another replica's lane
  link().reveal(static_cast<double>(operation.start.count), static_cast<double>(operation.end().count));
}

std::optional<models::gantt::Hit> View::find_selected() const {
  const auto& selection = link().selection();
  if (!selection || !content_ || content_->preview) return std::nullopt;
  if (selection->chart != chart_id_) return models::gantt::find_operation(*content_, geometry_, selection->operation);
  if (const auto row = find_row(selection->position)) return models::gantt::Hit{*row, selection->position};
  return std::nullopt;
}

void View::selection_moved() {
  if (card_of_key_) card_->hide();
  card_of_key_ = false;
  selected_ = find_selected();
  setAccessibleDescription(selected_ ? describe(*selected_).join(QStringLiteral(", "))
                                     : tr("Operations of every device over time. Arrow keys move between operations."));
  if (selected_ && hasFocus()) report_focus(*this, *selected_);
  update();
}

/// Shows the card of the operation that a key selected.
void View::show_selected_card() {
  if (!selected_) return;
  const QRectF box = box_of(*selected_);
  emit row_shown(geometry_.rows[selected_->row].top, geometry_.rows[selected_->row].bottom());
  card_->show_at({std::clamp(box.center().x(), plot().left() * 1.0, plot().right() * 1.0), box.bottom() - 6},
                 describe(*selected_));
  card_of_key_ = true;
}

/// Steps along the critical path while it is shown. Returns true if it stepped or is at the path's end.
bool View::step_critical(models::gantt::Step step) {
  if (critical_.empty() || step == models::gantt::Step::up || step == models::gantt::Step::down) return false;
  const auto at = models::gantt::critical_step(critical_, *content_, selected_, step == models::gantt::Step::next,
                                               link().axis().begin);
  if (at) select({critical_[*at].row, critical_[*at].operation});
  return true;
}

void View::step(models::gantt::Step step) {
  if (!content_ || content_->preview || geometry_.rows.empty()) return;
  step_to(step);
  show_selected_card();
}

void View::step_to(models::gantt::Step step) {
  if (step_critical(step)) return;
  if (selected_) return select(models::gantt::step_from(*content_, geometry_, *selected_, step));
  for (std::size_t row = 0; row < geometry_.rows.size(); ++row) {
    const auto lane = models::gantt::main_lane(*content_, geometry_.rows[row]);
    if (!lane) continue;
    const TimelineLane& operations = content_->timeline->lanes[*lane];
    const std::size_t first = models::gantt::first_ending_after(*content_->timeline, operations, link().axis().begin);
    if (first < operations.end) return select({row, first});
  }
}

/// Unfolds the lane of an operation, selects the operation and centres it.
void View::show_operation(std::size_t operation) {
  if (!content_ || content_->preview || operation >= content_->timeline->size()) return;
  if (!find_row(operation)) uncover(operation);
  const auto row = find_row(operation);
  if (!row) return;
  const TimelineRow told = content_->timeline->row(operation);
  link().set_selection(SelectedOperation{chart_id_, operation, told.operation});
  link().centre(static_cast<double>(told.start.count), static_cast<double>(told.end().count));
  emit row_shown(geometry_.rows[*row].top, geometry_.rows[*row].bottom());
}

bool View::shows(std::size_t row, std::size_t operation) const {
  for (const auto& lane : {models::gantt::main_lane(*content_, geometry_.rows[row]),
                           models::gantt::collective_lane(*content_, geometry_.rows[row])})
    if (lane && operation >= content_->timeline->lanes[*lane].begin && operation < content_->timeline->lanes[*lane].end)
      return true;
  return false;
}

/// Returns the row of an operation. Replicas of an opened group show the same operations; the selected row has
/// priority.
std::optional<std::size_t> View::find_row(std::size_t operation) const {
  if (selected_row_ < geometry_.rows.size() && shows(selected_row_, operation)) return selected_row_;
  for (std::size_t row = 0; row < geometry_.rows.size(); ++row)
    if (shows(row, operation)) return row;
  return std::nullopt;
}

/// Shows the lane of an operation that no row shows.
void View::uncover(std::size_t operation) {
  const auto holds = [&](const std::optional<std::size_t>& lane) {
    return lane && operation >= content_->timeline->lanes[*lane].begin &&
           operation < content_->timeline->lanes[*lane].end;
  };
  for (const models::gantt::Group& group : content_->groups)
    if (holds(group.compute) || holds(group.collective))
      set_opened(content_->groups[group.leader].devices.front(), true);
  for (const models::gantt::TransferLane& of_links : content_->links)
    if (holds(of_links.lane)) set_links_visible(true);
  emit lanes_changed();
}

bool View::key(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
      if (divide_at_pointer(false)) return true;
      step(models::gantt::Step::previous);
      return true;
    case Qt::Key_Right:
      if (divide_at_pointer(true)) return true;
      step(models::gantt::Step::next);
      return true;
    case Qt::Key_Up:
      step(models::gantt::Step::up);
      return true;
    case Qt::Key_Down:
      step(models::gantt::Step::down);
      return true;
    case Qt::Key_L:
      set_links_visible(!links_visible_);
      emit lanes_changed();
      return true;
    case Qt::Key_Slash:
      emit search_requested();
      return true;
    case Qt::Key_Escape:
      card_->hide();
      if (!link().selection()) return false;
      link().set_selection(std::nullopt);
      return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (selected_ && content_) toggle_row(geometry_.rows[selected_->row]);
      return true;
    default:
      return false;
  }
}

}  // namespace pipedeck::views::gantt
