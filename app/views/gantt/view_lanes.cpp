// SPDX-License-Identifier: GPL-3.0-or-later
// The lanes of View that the user pinned and moved.
#include <algorithm>

#include <QPainter>

#include "app/views/gantt/view.hpp"

namespace pipedeck::views::gantt {

void View::set_pinned(DeviceId lane, bool pinned) {
  if (pinned_.contains(lane) == pinned) return;
  pinned ? void(pinned_.insert(lane)) : void(pinned_.erase(lane));
  emit pins_changed();
  refresh();
}

std::optional<models::gantt::Row> View::row_of_lane(DeviceId lane) const {
  for (const models::gantt::Row& row : geometry_.rows)
    if (models::gantt::lane_key(*content_, row) == lane) return row;
  return std::nullopt;
}

void View::move_lane(DeviceId lane, int by) {
  const auto row = content_ ? row_of_lane(lane) : std::nullopt;
  if (!row) return;
  const DeviceId block = models::gantt::fold_key(*content_, *row);
  const std::vector<DeviceId> blocks = models::gantt::lane_blocks(*content_, choice_);
  const auto at = std::ranges::find(blocks, block) - blocks.begin();
  const auto to = at + (by < 0 ? -1 : 2);  // before the block above, or after the one below
  if (to < 0 || to > static_cast<std::ptrdiff_t>(blocks.size())) return;
  choice_.order = models::gantt::with_block_moved(*content_, choice_, block, static_cast<std::size_t>(to));
  lay_out_again();
  emit lanes_changed();
}

void View::reset_order() {
  if (choice_.order.empty()) return;
  choice_.order.clear();
  lay_out_again();
  emit lanes_changed();
}

std::optional<DeviceId> View::lane_at(const std::optional<QPointF>& position) const {
  if (!content_) return std::nullopt;
  const auto row = position    ? geometry_.row_at(position->y())
                   : selected_ ? std::optional(selected_->row)
                               : std::nullopt;
  if (!row || geometry_.rows[*row].kind == models::gantt::Row::Kind::link) return std::nullopt;
  return models::gantt::lane_key(*content_, geometry_.rows[*row]);
}

QString View::lane_text(DeviceId lane) const {
  const auto row = content_ ? row_of_lane(lane) : std::nullopt;
  return row ? models::gantt::row_name(*content_, *row, device_names_) : QString();
}

void View::show_pinned_of(const View& chart) {
  opened_ = chart.opened_;
  wanted_divided_ = chart.wanted_divided_;
  choice_ = {chart.choice_.order, chart.pinned_};
  chart_id_ = chart.chart_id_;
  device_names_ = chart.device_names_;
  set_content(chart.content_);
  set_ghost(chart.reference_overlay_);
  set_critical(chart.critical_path_);
  set_matches(chart.matches_);
  lay_out_again();
}

bool View::takes_label_drag(const QPointF& at) {
  const auto row = content_ && !choice_.only ? geometry_.row_at(at.y()) : std::nullopt;
  if (!row || geometry_.rows[*row].kind == models::gantt::Row::Kind::link ||
      geometry_.rows[*row].kind == models::gantt::Row::Kind::part)
    return false;
  dragged_block_ = models::gantt::fold_key(*content_, geometry_.rows[*row]);
  return true;
}

std::size_t View::drop_position(double y) const {
  const std::vector<DeviceId> blocks = models::gantt::lane_blocks(*content_, choice_);
  std::size_t position = 0;
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    int top = geometry_.height, bottom = 0;
    for (const models::gantt::Row& row : geometry_.rows) {
      if (row.kind == models::gantt::Row::Kind::link || models::gantt::fold_key(*content_, row) != blocks[block])
        continue;
      top = std::min(top, row.top);
      bottom = std::max(bottom, row.bottom());
    }
    if (y > (top + bottom) / 2.0) position = block + 1;
  }
  return position;
}

void View::label_dragged(const QPointF& at) {
  setCursor(Qt::ClosedHandCursor);
  drop_at_ = drop_position(at.y());
  update();
}

void View::label_dropped(const QPointF& at) {
  const bool cancelled = at.x() < 0 && at.y() < 0;
  if (!cancelled && dragged_block_ && content_) {
    choice_.order = models::gantt::with_block_moved(*content_, choice_, *dragged_block_, drop_position(at.y()));
    lay_out_again();
    emit lanes_changed();
  }
  dragged_block_.reset();
  drop_at_.reset();
  update();
}

/// Draws a line where a dragged lane will be.
void View::draw_drop_place(QPainter& painter) const {
  if (!drop_at_ || !content_) return;
  const std::vector<DeviceId> blocks = models::gantt::lane_blocks(*content_, choice_);
  double y = 1;
  for (const models::gantt::Row& row : geometry_.rows) {
    if (row.kind == models::gantt::Row::Kind::link) continue;
    const auto block = std::ranges::find(blocks, models::gantt::fold_key(*content_, row)) - blocks.begin();
    if (static_cast<std::size_t>(block) < *drop_at_) y = row.bottom() + metrics_.gap / 2.0;
  }
  painter.setPen(QPen(theme().accent, 2));
  painter.drawLine(QPointF(widgets::ThemeSizes::margin, y), QPointF(plot().right(), y));
}

}  // namespace pipedeck::views::gantt
