// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/runs/run_report.hpp"

#include <algorithm>

#include "core/model/step_times.hpp"

namespace pipedeck::session::runs {

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

/// Returns the median step, or the only step of a run.
Seconds median_step_time(const std::vector<RunEvent>& events) {
  if (const auto median = median_step(events)) return *median;
  for (const RunEvent& event : events)
    if (const auto* done = std::get_if<StepDone>(&event)) return done->duration;
  return {};
}

}  // namespace

std::optional<sim::TimelineDifference> differences_of(const Simulation* predicted,
                                                      const std::vector<RunEvent>& events) {
  const MeasuredTimeline* measured = typical_timeline(events);
  if (!predicted || !measured) return std::nullopt;
  return sim::compare_step(*predicted, measured->timeline, median_step_time(events));
}

}  // namespace pipedeck::session::runs
