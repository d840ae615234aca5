// SPDX-License-Identifier: Apache-2.0
#include "core/sim/compare_timelines.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace pipedeck::sim {
namespace {

struct Totals {
  std::array<int, op_kind_count> count{};
  std::array<std::int64_t, op_kind_count> time{};  // ns
  std::int64_t iteration = 0, idle = 0;            // ns
  int devices = 0;
};

/// Time from the first start: a measured step need not begin at 0.
Totals totals_of(const Timeline& timeline) {
  Totals totals;
  if (timeline.size() == 0) return totals;
  const std::int64_t begin = *std::min_element(timeline.start.begin(), timeline.start.end());
  totals.iteration = timeline.makespan().count - begin;
  for (const TimelineLane& lane : timeline.lanes) {
    if (lane.role == LaneRole::compute) totals.idle += totals.iteration, ++totals.devices;
    for (std::size_t i = lane.begin; i < lane.end; ++i) {
      const auto kind = static_cast<std::size_t>(timeline.kind[i]);
      ++totals.count[kind];
      totals.time[kind] += timeline.duration[i];
      if (lane.role == LaneRole::compute) totals.idle -= timeline.duration[i];
    }
  }
  return totals;
}

std::int64_t busy_time(const Totals& totals) {
  const auto of = [&](OpKind kind) { return totals.time[static_cast<std::size_t>(kind)]; };
  return of(OpKind::forward) + of(OpKind::backward) + of(OpKind::backward_input) + of(OpKind::backward_weight) +
         of(OpKind::recompute) + of(OpKind::optimizer);
}

/// As many operations of each kind as `measured` has, at their mean time.
Totals scale_to_counts(Totals predicted, const Totals& measured) {
  for (std::size_t k = 0; k < op_kind_count; ++k) {
    if (predicted.count[k] == 0) continue;
    predicted.time[k] = std::llround(static_cast<double>(predicted.time[k]) * measured.count[k] / predicted.count[k]);
    predicted.count[k] = measured.count[k];
  }
  return predicted;
}

/// Steps that follow one another so long after each other leave the devices so idle.
void repeat_every(Totals& totals, std::int64_t step, std::int64_t devices) {
  totals.iteration = step;
  totals.idle = std::max<std::int64_t>(0, devices * step - busy_time(totals));
}

TimelineDifference difference(const Totals& a, const Totals& b) {
  TimelineDifference out;
  for (std::size_t k = 0; k < op_kind_count; ++k) {
    if (a.count[k] == 0 && b.count[k] == 0) continue;
    out.kinds.push_back({static_cast<OpKind>(k), a.count[k], b.count[k], to_seconds(Nanoseconds(a.time[k])),
                         to_seconds(Nanoseconds(b.time[k]))});
  }
  out.predicted_idle = to_seconds(Nanoseconds(a.idle));
  out.measured_idle = to_seconds(Nanoseconds(b.idle));
  out.predicted_iteration = to_seconds(Nanoseconds(a.iteration));
  out.measured_iteration = to_seconds(Nanoseconds(b.iteration));
  out.predicted_devices = a.devices;
  out.measured_devices = b.devices;
  return out;
}

}  // namespace

TimelineDifference difference(const Timeline& predicted, const Timeline& measured) {
  return difference(totals_of(predicted), totals_of(measured));
}

TimelineDifference compare_step(const Simulation& predicted, const Timeline& measured, Seconds step) {
  Totals a = totals_of(predicted.timeline), b = totals_of(measured);
  constexpr auto forward = static_cast<std::size_t>(OpKind::forward);
  if (a.count[forward] > b.count[forward]) {
    const auto devices = static_cast<std::int64_t>(predicted.devices.size());
    a = scale_to_counts(a, b);
    repeat_every(a, predicted.iteration.count, devices);
    repeat_every(b, std::llround(step.count * 1e9), devices);
  }
  return difference(a, b);
}

}  // namespace pipedeck::sim
