// SPDX-License-Identifier: Apache-2.0
#include "core/model/sensitivity_groups.hpp"

#include <algorithm>
#include <map>

namespace pipedeck {

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
