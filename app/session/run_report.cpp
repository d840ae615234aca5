// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/run_report.hpp"

#include <algorithm>

namespace pipedeck::app {

const MeasuredTimeline* typical_timeline(const std::vector<RunEvent>& events) {
  std::vector<const MeasuredTimeline*> measured;
  for (const RunEvent& event : events) {
    if (const auto* timeline = std::get_if<MeasuredTimeline>(&event)) measured.push_back(timeline);
  }
  if (measured.empty()) return nullptr;
  if (measured.size() > 1) measured.erase(measured.begin());
  std::ranges::stable_sort(measured, {}, [](const MeasuredTimeline* m) { return m->timeline.makespan(); });
  return measured[(measured.size() - 1) / 2];
}

namespace {

/// Without the first, which warms caches up, where there are others.
Seconds median_step(const std::vector<RunEvent>& events) {
  std::vector<Seconds> durations;
  for (const RunEvent& event : events) {
    if (const auto* done = std::get_if<StepDone>(&event)) durations.push_back(done->duration);
  }
  if (durations.empty()) return {};
  if (durations.size() > 1) durations.erase(durations.begin());
  std::ranges::sort(durations);
  return durations[durations.size() / 2];
}

}  // namespace

std::optional<TimelineDifference> differences_of(const Simulation* predicted, const std::vector<RunEvent>& events) {
  const MeasuredTimeline* measured = typical_timeline(events);
  if (!predicted || !measured) return std::nullopt;
  return difference_of_a_step(*predicted, measured->timeline, median_step(events));
}

}  // namespace pipedeck::app
