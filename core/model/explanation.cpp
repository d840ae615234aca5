// SPDX-License-Identifier: Apache-2.0
#include "core/model/explanation.hpp"

#include <algorithm>
#include <map>

namespace pipedeck {

CriticalShares shares_of(const CriticalPath& path, std::size_t stages) {
  CriticalShares shares;
  shares.by_stage.resize(stages);
  for (const CriticalSegment& link : path.links) {
    const Nanoseconds time = link.end - link.begin;
    shares.by_kind[static_cast<std::size_t>(link.operation.kind)] += time;
    if (link.operation.stage.index() < stages) shares.by_stage[link.operation.stage.index()] += time;
    ++shares.causes[static_cast<std::size_t>(link.cause)];
    shares.slowed += link.slowed;
  }
  return shares;
}

Waterfall waterfall(const TimeBreakdown& a, const TimeBreakdown& b) {
  Waterfall steps{a, b, {}};
  for (std::size_t i = 0; i < steps.change.times.size(); ++i) steps.change.times[i] = b.times[i] - a.times[i];
  return steps;
}

std::vector<DeviceId> SensitivityGroup::devices() const {
  std::vector<DeviceId> devices;
  for (const SensitivityEntry& entry : entries) devices.push_back(entry.device);
  return devices;
}

std::vector<SensitivityGroup> grouped(const Sensitivity& sensitivity) {
  std::vector<SensitivityGroup> groups;
  std::map<std::pair<SensitivityKind, Nanoseconds>, std::size_t> known;
  for (const SensitivityEntry& entry : sensitivity.entries) {
    const auto [place, is_new] = known.emplace(std::pair(entry.kind, entry.gain), groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].entries.push_back(entry);
  }
  for (SensitivityGroup& group : groups)
    std::stable_sort(group.entries.begin(), group.entries.end(),
                     [](const SensitivityEntry& a, const SensitivityEntry& b) { return a.device < b.device; });
  return groups;
}

}  // namespace pipedeck
