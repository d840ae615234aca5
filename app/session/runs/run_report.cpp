// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/runs/run_report.hpp"

#include <algorithm>
#include <set>

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

std::shared_ptr<const Simulation> on_measured_devices(const std::shared_ptr<const Simulation>& predicted,
                                                      const std::vector<RunEvent>& events) {
  const MeasuredTimeline* measured = typical_timeline(events);
  if (!predicted || !measured) return predicted;
  std::set<DeviceId> devices;
  for (const TimelineLane& lane : measured->timeline.lanes)
    if (lane.role != LaneRole::link) devices.insert(lane.device);
  const auto known = [&](const TimelineLane& lane) {
    return devices.contains(lane.device) && (lane.role != LaneRole::link || devices.contains(lane.to));
  };
  if (std::ranges::all_of(predicted->timeline.lanes, known)) return predicted;
  auto part = std::make_shared<Simulation>(*predicted);
  part->timeline = {};
  for (const TimelineLane& lane : predicted->timeline.lanes) {
    if (!known(lane)) continue;
    std::vector<TimelineRow> rows;
    for (std::size_t i = lane.begin; i < lane.end; ++i) rows.push_back(predicted->timeline.row(i));
    part->timeline.append_lane(lane, rows);
  }
  std::erase_if(part->devices, [&](const SimulatedDevice& device) { return !devices.contains(device.device); });
  return part;
}

std::optional<sim::TimelineDifference> differences_of(const Simulation* predicted,
                                                      const std::vector<RunEvent>& events) {
  const MeasuredTimeline* measured = typical_timeline(events);
  if (!predicted || !measured) return std::nullopt;
  return sim::compare_step(*predicted, measured->timeline, median_step_time(events));
}

}  // namespace pipedeck::session::runs
