// SPDX-License-Identifier: Apache-2.0
#include "core/model/cluster.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace pipedeck {

std::vector<Device> devices_of(const Cluster& cluster) {
  std::vector<Device> devices;
  for (std::size_t n = 0; n < cluster.nodes.size(); ++n) {
    int slot = 0;
    for (const DeviceGroup& group : cluster.nodes[n].devices) {
      const DeviceType* type = find_device_type(cluster, group.type);
      const int index = static_cast<int>(type - cluster.device_types.data());
      for (int i = 0; i < group.count; ++i) devices.push_back({NodeId(n), index, slot++});
    }
  }
  return devices;
}

bool has_nics(const Cluster& cluster) {
  return std::any_of(cluster.nodes.begin(), cluster.nodes.end(), [](const Node& node) { return node.nic.has_value(); });
}

int device_count(const Node& node) {
  int count = 0;
  for (const DeviceGroup& group : node.devices) count += group.count;
  return count;
}

bool is_one_domain(const Cluster& cluster) {
  return !cluster.nodes.empty() && !cluster.nodes.front().domain.empty() &&
         std::ranges::all_of(cluster.nodes,
                             [&](const Node& node) { return node.domain == cluster.nodes.front().domain; });
}

std::string next_domain(const Cluster& cluster) {
  if (cluster.nodes.empty() || cluster.nodes.back().domain.empty()) return {};
  std::map<std::string, int> sizes;
  for (const Node& node : cluster.nodes) ++sizes[node.domain];
  const auto first =
      std::find_if(cluster.nodes.begin(), cluster.nodes.end(), [](const Node& node) { return !node.domain.empty(); });
  const std::string& last = cluster.nodes.back().domain;
  if (sizes[last] < sizes[first->domain]) return last;
  std::size_t number = sizes.size();
  while (sizes.contains("domain " + std::to_string(number))) ++number;
  return "domain " + std::to_string(number);
}

const DeviceType* find_device_type(const Cluster& cluster, const std::string& name) {
  for (const DeviceType& type : cluster.device_types)
    if (type.name == name) return &type;
  return nullptr;
}

}  // namespace pipedeck
