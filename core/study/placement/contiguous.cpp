// SPDX-License-Identifier: Apache-2.0
#include "core/study/placement/contiguous.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/mesh/kinds.hpp"

namespace pipedeck::study::placement {

std::optional<Plan> placed_contiguously(const Plan& plan, const Cluster& cluster) {
  const std::vector<int> kinds = mesh::kinds_of(cluster);
  const int all_kinds = kinds.empty() ? 0 : std::ranges::max(kinds) + 1;
  std::vector<std::vector<DeviceId>> left(static_cast<std::size_t>(all_kinds));  // the next one last
  for (std::size_t d = kinds.size(); d-- > 0;) left[static_cast<std::size_t>(kinds[d])].emplace_back(d);
  std::vector<std::optional<DeviceId>> place(kinds.size());
  Plan placed = plan;
  for (Stage& stage : placed.stages)
    for (DeviceId& device : stage.devices) {
      if (device.index() >= kinds.size()) return {};
      std::optional<DeviceId>& own = place[device.index()];
      std::vector<DeviceId>& kind = left[static_cast<std::size_t>(kinds[device.index()])];
      if (!own) own = kind.back(), kind.pop_back();
      device = *own;
    }
  if (placed.stages == plan.stages) return {};
  placed.objective.reset(), placed.predicted.reset(), placed.certificate.reset(), placed.rationale.clear();
  placed.merits.clear(), placed.truncated = false;
  return placed;
}

}  // namespace pipedeck::study::placement
