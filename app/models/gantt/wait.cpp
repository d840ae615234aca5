// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/gantt/wait.hpp"

#include <algorithm>

namespace pipedeck::models::gantt {

namespace {

std::int64_t end_of(const Timeline& timeline, std::size_t i) { return timeline.start[i] + timeline.duration[i]; }

/// Returns the last operation of `lane` before `time` that produces the output of (stage, micro-batch). Only operations
/// shortly before are searched, since the awaited one must be among them.
std::optional<std::size_t> last_producer(const Timeline& timeline, const TimelineLane& lane, int stage, int micro_batch,
                                         bool forward, std::int64_t time) {
  constexpr std::size_t reach = 4096;
  const std::size_t after = first_starting_from(timeline, lane, static_cast<double>(time));
  const std::size_t before = after - std::min(reach, after - lane.begin);
  for (std::size_t i = after; i-- > before;) {
    if (timeline.stage[i] != stage || timeline.micro_batch[i] != micro_batch || end_of(timeline, i) > time) continue;
    const OpKind kind = timeline.kind[i];
    if (forward ? kind == OpKind::forward : kind == OpKind::backward || kind == OpKind::backward_input) return i;
  }
  return std::nullopt;
}

/// Returns the group whose operation for (stage, micro-batch) ended last before `time`; the wait was for that one.
std::optional<std::size_t> producer(const Content& content, int stage, int micro_batch, bool forward,
                                    std::int64_t time) {
  const Timeline& timeline = *content.timeline;
  std::optional<std::size_t> best;
  std::int64_t best_end = -1;
  for (std::size_t group = 0; group < content.groups.size(); ++group) {
    if (!content.groups[group].compute) continue;
    const TimelineLane& lane = timeline.lanes[*content.groups[group].compute];
    const auto maker = last_producer(timeline, lane, stage, micro_batch, forward, time);
    if (!maker || end_of(timeline, *maker) <= best_end) continue;
    best = group;
    best_end = end_of(timeline, *maker);
  }
  return best;
}

/// Returns the start of the lane's idle time before `operation`.
std::int64_t idle_since(const Timeline& timeline, const TimelineLane& lane, std::size_t operation) {
  return operation == lane.begin ? 0 : end_of(timeline, operation - 1);
}

}  // namespace

Wait wait_reason(const Content& content, std::size_t lane_index, std::size_t operation) {
  const Timeline& timeline = *content.timeline;
  const TimelineLane& lane = timeline.lanes[lane_index];
  const std::int64_t start = timeline.start[operation];
  Wait wait;
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

}  // namespace pipedeck::models::gantt
