// SPDX-License-Identifier: GPL-3.0-or-later
// Keyboard steps of GanttView: between operations, along the critical path, to the matches of a search.
#include <algorithm>

#include <QKeyEvent>

#include "app/views/gantt_accessible.hpp"
#include "app/views/gantt_view.hpp"
#include "app/views/hover_card.hpp"

namespace pipedeck::app {

void GanttView::select(const GanttHit& hit) {
  const TimelineRow operation = content_->timeline->row(hit.operation);
  selected_row_ = hit.row;
  link().set_selection(OperationSelection{chart_id_, hit.operation, operation.operation});
  if (selected_ != hit) selection_moved();  // the same operation in another replica's lane
  link().reveal(static_cast<double>(operation.start.count), static_cast<double>(operation.end().count));
}

std::optional<GanttHit> GanttView::find_selected() const {
  const auto& selection = link().selection();
  if (!selection || !content_ || content_->preview) return std::nullopt;
  if (selection->chart != chart_id_) return find_operation(*content_, geometry_, selection->operation);
  if (const auto row = find_row(selection->position)) return GanttHit{*row, selection->position};
  return std::nullopt;
}

void GanttView::selection_moved() {
  if (card_of_key_) card_->hide();
  card_of_key_ = false;
  selected_ = find_selected();
  setAccessibleDescription(
      selected_ ? describe(*selected_).join(QStringLiteral(", "))
                : tr("Operations of every device over time. Arrow keys go from operation to operation."));
  if (selected_ && hasFocus()) tell_focus(*this, *selected_);
  update();
}

/// Shows the card of the operation that a key selected.
void GanttView::show_selected_card() {
  if (!selected_) return;
  const QRectF box = box_of(*selected_);
  emit row_shown(geometry_.rows[selected_->row].top, geometry_.rows[selected_->row].bottom());
  card_->show_at({std::clamp(box.center().x(), plot().left() * 1.0, plot().right() * 1.0), box.bottom() - 6},
                 describe(*selected_));
  card_of_key_ = true;
}

/// Steps along the critical path while it is shown. Returns true if it stepped or is at the path's end.
bool GanttView::step_critical(GanttStep step) {
  if (critical_.empty() || step == GanttStep::up || step == GanttStep::down) return false;
  const auto at = critical_step(critical_, *content_, selected_, step == GanttStep::next, link().axis().begin);
  if (at) select({critical_[*at].row, critical_[*at].operation});
  return true;
}

void GanttView::step(GanttStep step) {
  if (!content_ || content_->preview || geometry_.rows.empty()) return;
  step_to(step);
  show_selected_card();
}

void GanttView::step_to(GanttStep step) {
  if (step_critical(step)) return;
  if (selected_) return select(step_from(*content_, geometry_, *selected_, step));
  for (std::size_t row = 0; row < geometry_.rows.size(); ++row) {
    const auto lane = main_lane(*content_, geometry_.rows[row]);
    if (!lane) continue;
    const TimelineLane& operations = content_->timeline->lanes[*lane];
    const std::size_t first = first_ending_after(*content_->timeline, operations, link().axis().begin);
    if (first < operations.end) return select({row, first});
  }
}

/// Unfolds the lane of an operation, selects the operation and centres it.
void GanttView::show_operation(std::size_t operation) {
  if (!content_ || content_->preview || operation >= content_->timeline->size()) return;
  if (!find_row(operation)) uncover(operation);
  const auto row = find_row(operation);
  if (!row) return;
  const TimelineRow told = content_->timeline->row(operation);
  link().set_selection(OperationSelection{chart_id_, operation, told.operation});
  link().centre(static_cast<double>(told.start.count), static_cast<double>(told.end().count));
  emit row_shown(geometry_.rows[*row].top, geometry_.rows[*row].bottom());
}

bool GanttView::shows(std::size_t row, std::size_t operation) const {
  for (const auto& lane : {main_lane(*content_, geometry_.rows[row]), collective_lane(*content_, geometry_.rows[row])})
    if (lane && operation >= content_->timeline->lanes[*lane].begin && operation < content_->timeline->lanes[*lane].end)
      return true;
  return false;
}

/// Returns the row of an operation. Replicas of an opened group show the same operations; the selected row has
/// priority.
std::optional<std::size_t> GanttView::find_row(std::size_t operation) const {
  if (selected_row_ < geometry_.rows.size() && shows(selected_row_, operation)) return selected_row_;
  for (std::size_t row = 0; row < geometry_.rows.size(); ++row)
    if (shows(row, operation)) return row;
  return std::nullopt;
}

/// Shows the lane of an operation that no row shows.
void GanttView::uncover(std::size_t operation) {
  const auto holds = [&](const std::optional<std::size_t>& lane) {
    return lane && operation >= content_->timeline->lanes[*lane].begin &&
           operation < content_->timeline->lanes[*lane].end;
  };
  for (const GanttGroup& group : content_->groups)
    if (holds(group.compute) || holds(group.collective))
      set_opened(content_->groups[group.leader].devices.front(), true);
  for (const GanttLink& of_links : content_->links)
    if (holds(of_links.lane)) set_links_visible(true);
  emit lanes_changed();
}

bool GanttView::key(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
      step(GanttStep::previous);
      return true;
    case Qt::Key_Right:
      step(GanttStep::next);
      return true;
    case Qt::Key_Up:
      step(GanttStep::up);
      return true;
    case Qt::Key_Down:
      step(GanttStep::down);
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

}  // namespace pipedeck::app
