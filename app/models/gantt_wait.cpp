// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/gantt_wait.hpp"

#include <algorithm>

namespace pipedeck::app {

namespace {

std::int64_t end_of(const Timeline& timeline, std::size_t i) { return timeline.start[i] + timeline.duration[i]; }

/// The group that runs `stage`, other than that of the waiting lane; of several the one whose named operation ends last
/// before `time` (that is the one that was waited for).
std::optional<std::size_t> producer(const GanttContent& content, int stage, int micro_batch, bool forward,
                                    std::int64_t time) {
  const Timeline& timeline = *content.timeline;
  std::optional<std::size_t> best;
  std::int64_t best_end = -1;
  for (std::size_t group = 0; group < content.groups.size(); ++group) {
    if (!content.groups[group].compute) continue;
    const TimelineLane& lane = timeline.lanes[*content.groups[group].compute];
    // Back from the waiting operation: the one that fed it ended shortly before.
    for (std::size_t i = first_starting_from(timeline, lane, static_cast<double>(time)); i-- > lane.begin;) {
      if (timeline.stage[i] != stage || timeline.micro_batch[i] != micro_batch) continue;
      const bool is_forward = timeline.kind[i] == OpKind::forward;
      const bool is_backward = timeline.kind[i] == OpKind::backward || timeline.kind[i] == OpKind::backward_input;
      if (!(forward ? is_forward : is_backward)) continue;
      if (end_of(timeline, i) > best_end && end_of(timeline, i) <= time) best = group, best_end = end_of(timeline, i);
      break;
    }
  }
  return best;
}

/// The start of the lane's idle time before `operation`.
std::int64_t idle_since(const Timeline& timeline, const TimelineLane& lane, std::size_t operation) {
  return operation == lane.begin ? 0 : end_of(timeline, operation - 1);
}

}  // namespace

GanttWait wait_of(const GanttContent& content, std::size_t lane_index, std::size_t operation) {
  const Timeline& timeline = *content.timeline;
  const TimelineLane& lane = timeline.lanes[lane_index];
  const std::int64_t start = timeline.start[operation];
  GanttWait wait;
  wait.idle = Nanoseconds(start - idle_since(timeline, lane, operation));
  if (wait.idle.count <= 0) return {};
  const int stage = timeline.stage[operation], micro_batch = timeline.micro_batch[operation];
  switch (timeline.kind[operation]) {
    case OpKind::forward:
      wait.group = producer(content, stage - 1, micro_batch, true, start);
      if (wait.group) wait.cause = WaitFor::activation;
      break;
    case OpKind::backward:
    case OpKind::backward_input:
    case OpKind::recompute:
      wait.group = producer(content, stage + 1, micro_batch, false, start);
      if (wait.group) wait.cause = WaitFor::gradient;
      break;
    case OpKind::optimizer:
      wait.cause = WaitFor::all_reduce;
      break;
    default:
      break;
  }
  return wait;
}

}  // namespace pipedeck::app
