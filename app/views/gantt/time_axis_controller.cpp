// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/gantt/time_axis_controller.hpp"

#include <algorithm>

namespace pipedeck::views::gantt {

void TimeAxisController::set_axis(const models::gantt::TimeAxis& axis) {
  if (axis == axis_) return;
  axis_ = axis;
  emit axis_changed();
}

void TimeAxisController::set_full(double full, double fit) {
  full = std::max(full, 1.0);
  if (fit >= full) fit = 0;
  if (full == axis_.full && fit == axis_.fit) return;
  const bool fitted = axis_ == axis_.fitted();
  const models::gantt::TimeAxis axis{axis_.begin, axis_.end, full, fit};
  set_axis(fitted ? axis.fitted() : axis.panned(0));  // panned: keeps the axis within the new span
}

void TimeAxisController::set_cursor(std::optional<double> time) {
  if (time == cursor_) return;
  cursor_ = time;
  emit cursor_changed();
}

void TimeAxisController::set_selection(const std::optional<SelectedOperation>& selection) {
  if (selection == selection_) return;
  selection_ = selection;
  emit selection_changed();
}

void TimeAxisController::set_measure(const std::optional<TimeMeasure>& measure) {
  if (measure == measure_) return;
  measure_ = measure;
  emit measure_changed();
}

void TimeAxisController::mark(double time) {
  time = std::clamp(time, 0.0, axis_.full);
  const bool second = measure_ && !measure_->to && time != measure_->from;
  set_measure(second ? TimeMeasure{measure_->from, time} : TimeMeasure{time, {}});
}

std::optional<std::pair<double, double>> TimeAxisController::span() const {
  if (!measure_ || !measure_->to || *measure_->to == measure_->from) return std::nullopt;
  return std::minmax(measure_->from, *measure_->to);
}

void TimeAxisController::set_zoom_span(const std::optional<std::pair<double, double>>& span) {
  if (span == zoom_span_) return;
  zoom_span_ = span;
  emit measure_changed();
}

void TimeAxisController::set_flags(const std::vector<models::gantt::Flag>& flags) {
  if (flags == flags_) return;
  flags_ = flags;
  emit flags_changed();
}

void TimeAxisController::add_flag(models::gantt::Flag flag) {
  flag.begin = std::clamp(flag.begin, 0.0, axis_.full);
  flag.end = std::clamp(flag.end, flag.begin, axis_.full);
  std::vector<models::gantt::Flag> flags = flags_;
  flags.push_back(flag);
  std::ranges::stable_sort(flags, {}, &models::gantt::Flag::begin);
  emit flags_edited(flags, tr("Add flag"));
}

void TimeAxisController::change_flag(std::size_t index, const std::optional<models::gantt::Flag>& flag) {
  if (index >= flags_.size() || flag == flags_[index]) return;
  std::vector<models::gantt::Flag> flags = flags_;
  if (flag)
    flags[index] = *flag;
  else
    flags.erase(flags.begin() + static_cast<std::ptrdiff_t>(index));
  emit flags_edited(flags, flag ? tr("Note on a flag") : tr("Remove flag"));
}

void TimeAxisController::set_label_width(int width) {
  if (width == label_width_) return;
  label_width_ = width;
  emit label_width_changed();
}

void TimeAxisController::reveal(double begin, double end) {
  if (begin < axis_.begin)
    pan(begin - axis_.begin);
  else if (end > axis_.end)
    pan(std::min(end - axis_.end, begin - axis_.begin));
}

void TimeAxisController::centre(double begin, double end) {
  constexpr double min_share = 1.0 / 500, shown_share = 1.0 / 40;  // of the visible span
  models::gantt::TimeAxis axis = axis_;
  if (end - begin < axis.span() * min_share)
    axis = axis.zoomed(axis.span() * shown_share / std::max(end - begin, 1.0), (begin + end) / 2);
  set_axis(axis.panned((begin + end) / 2 - (axis.begin + axis.end) / 2));
}

}  // namespace pipedeck::views::gantt
