// SPDX-License-Identifier: Apache-2.0
#include "core/study/reports/picture_rows.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pipedeck::study::reports {
namespace {

constexpr std::size_t max_picture_rows = 24;  // what a page holds, both pictures together

const SimulatedDevice* find_device(const Simulation& simulation, DeviceId device) {
  const auto found = std::ranges::find(simulation.devices, device, &SimulatedDevice::device);
  return found == simulation.devices.end() ? nullptr : &*found;
}

const TimelineLane* compute_lane(const Timeline& timeline, DeviceId device) {
  const auto found = std::ranges::find_if(timeline.lanes, [&](const TimelineLane& lane) {
    return lane.role == LaneRole::compute && lane.device == device;
  });
  return found == timeline.lanes.end() ? nullptr : &*found;
}

/// Returns true for equal operations at equal times and equal memory.
bool alike(const Simulation& simulation, const SimulatedDevice& a, const SimulatedDevice& b) {
  SimulatedDevice other = b;
  other.device = a.device;
  if (a != other) return false;
  const Timeline& timeline = simulation.timeline;
  const TimelineLane *left = compute_lane(timeline, a.device), *right = compute_lane(timeline, b.device);
  if (!left || !right || left->size() != right->size()) return false;
  for (std::size_t i = 0; i < left->size(); ++i)
    if (timeline.row(left->begin + i) != timeline.row(right->begin + i)) return false;
  return true;
}

struct AlikeDevices {
  const SimulatedDevice* first = nullptr;
  std::vector<DeviceId> devices;
};

std::vector<AlikeDevices> grouped(const Simulation& simulation, const PipelineRank& rank) {
  std::vector<AlikeDevices> groups;
  for (const DeviceId device : rank.devices) {
    const SimulatedDevice* simulated = find_device(simulation, device);
    if (!simulated) continue;
    const auto known = std::ranges::find_if(
        groups, [&](const AlikeDevices& group) { return alike(simulation, *group.first, *simulated); });
    if (known == groups.end())
      groups.push_back({simulated, {device}});
    else
      known->devices.push_back(device);
  }
  return groups;
}

/// "G0", "G0–G7", "G0 ×8" where their numbers are not in a row.
std::string name_of(const std::vector<DeviceId>& devices) {
  const int first = devices.front().value, last = devices.back().value;
  if (devices.size() == 1) return fmt::format("G{}", first);
  const bool in_a_row = last - first + 1 == static_cast<int>(devices.size());
  return in_a_row ? fmt::format("G{}\u2013G{}", first, last) : fmt::format("G{} \u00d7{}", first, devices.size());
}

std::string stages_text(const Translator& words, const std::vector<StageCopy>& chunks, const PipelineRank& rank) {
  std::vector<int> stages;
  for (const std::size_t chunk : rank.chunks) stages.push_back(chunks[chunk].stage.value);
  constexpr std::size_t max_named = 3;
  if (stages.size() > max_named) return words("{} stages", stages.size());
  if (stages.size() == 1) return words("stage {}", stages.front());
  return words("stages {}", fmt::format("{}", fmt::join(stages, ", ")));
}

/// Returns true for the first byte of a UTF-8 letter.
bool begins_letter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

}  // namespace

PictureRows picture_rows(const Translator& words, const Plan& plan, const Simulation& simulation) {
  const std::vector<StageCopy> chunks = stage_copies(plan);
  PictureRows made;
  std::size_t left_out = 0;
  for (const PipelineRank& rank : pipeline_ranks(plan)) {
    std::vector<AlikeDevices> groups = grouped(simulation, rank);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (made.rows.size() == max_picture_rows) {
        left_out += groups[g].devices.size();
        continue;
      }
      made.rows.push_back({groups[g].first, g == 0 ? stages_text(words, chunks, rank) : std::string(),
                           name_of(groups[g].devices), g == 0});
    }
  }
  if (left_out > 0) made.left_out = words("Not drawn: {} of {} devices.", left_out, simulation.devices.size());
  return made;
}

void LegendPlaces::next(const std::string& name, double gap, double letter) {
  constexpr double row = 17, narrowest_letter = 5.6;
  const auto letters = static_cast<double>(std::ranges::count_if(name, begins_letter));
  x_ = end_;
  if (x_ > plot_at && x_ + name_beside_swatch + narrowest_letter * letters > picture_width) x_ = plot_at, top_ += row;
  end_ = x_ + gap + letter * letters;
}

double tick_step(double span, int wanted) {
  const double least = span / wanted;
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least) return factor * power;
  return 10 * power;
}

}  // namespace pipedeck::study::reports
