// SPDX-License-Identifier: Apache-2.0
#include "core/plan/launch_order.hpp"

#include <algorithm>
#include <cstddef>

namespace pipedeck::plan {

std::vector<DeviceId> devices_by_process(const Plan& plan) {
  std::vector<DeviceId> devices;
  for (const PipelineRank& rank : pipeline_ranks(plan))
    devices.insert(devices.end(), rank.devices.begin(), rank.devices.end());
  return devices;
}

std::optional<int> first_out_of_launch_order(const Plan& plan, const Cluster& cluster) {
  const std::vector<Device> all = devices_of(cluster);
  const std::vector<DeviceId> devices = devices_by_process(plan);
  std::vector<bool> left(cluster.nodes.size(), false);  // nodes whose processes came before those of another node
  for (std::size_t process = 1; process < devices.size(); ++process) {
    const Device &before = all[devices[process - 1].index()], &here = all[devices[process].index()];
    if (here.node == before.node && here.slot > before.slot) continue;
    if (here.node == before.node || left[here.node.index()]) return static_cast<int>(process);
    left[before.node.index()] = true;
  }
  return std::nullopt;
}

std::optional<Plan> in_launch_order(const Plan& plan, const Cluster& cluster) {
  if (plan.chunks || cluster.bandwidth_matrix || cluster.device_types.size() != 1) return std::nullopt;
  if (!first_out_of_launch_order(plan, cluster)) return std::nullopt;
  Plan moved = plan;
  std::int32_t next = 0;
  for (const PipelineRank& rank : pipeline_ranks(plan)) {
    std::vector<DeviceId> devices;
    for (std::size_t d = 0; d < rank.devices.size(); ++d) devices.emplace_back(next++);
    for (const std::size_t chunk : rank.chunks) moved.stages[chunk].devices = devices;
  }
  return moved;
}

}  // namespace pipedeck::plan
