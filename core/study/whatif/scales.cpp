// SPDX-License-Identifier: Apache-2.0
#include "core/study/whatif/scales.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "core/base/limits.hpp"

namespace pipedeck::study::whatif {
namespace {

void take_least(std::optional<BytesPerSecond>& least, BytesPerSecond bandwidth) {
  least = least ? std::min(*least, bandwidth) : bandwidth;
}

BytesPerSecond scaled(BytesPerSecond bandwidth, double factor) {
  return BytesPerSecond(std::clamp(bandwidth.count * factor, limits::min_bytes_per_second, limits::bytes_per_second));
}

/// Calls visit(cell, same node) for every pair of devices of a matrix.
template <class Matrix, class Visit>
void for_cells(const Cluster& cluster, Matrix& matrix, const Visit& visit) {
  const std::vector<Device> devices = devices_of(cluster);
  for (std::size_t i = 0; i < devices.size(); ++i)
    for (std::size_t j = 0; j < devices.size(); ++j)
      if (i != j) visit(matrix[i][j], devices[i].node, devices[j].node);
}

/// "n1" -> "n2", "n3", ...: the first that nothing in the cluster has.
std::string next_name(const Cluster& cluster, const std::string& name) {
  std::set<std::string> taken;
  for (const Node& node : cluster.nodes) taken.insert(node.name);
  for (const Switch& one : cluster.switches) taken.insert(one.name);
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  const bool numbered = digits < name.size() && name.size() - digits < 9;
  const std::string stem = numbered ? name.substr(0, digits) : name + " ";
  for (int number = numbered ? std::stoi(name.substr(digits)) + 1 : 2;; ++number)
    if (std::string next = fmt::format("{}{}", stem, number); !taken.contains(next)) return next;
}

/// Copies the rows and columns of devices: the path between the last node and its copy is that between the last two
/// nodes.
void copy_last_in_matrix(Cluster& cluster) {
  auto& matrix = *cluster.bandwidth_matrix;
  const auto count_of = [](const Node& node) {
    std::size_t count = 0;
    for (const DeviceGroup& group : node.devices) count += static_cast<std::size_t>(group.count);
    return count;
  };
  const std::size_t devices = matrix.size(), own = count_of(cluster.nodes.back()), first = devices - own;
  const BytesPerSecond apart = first > 0 ? matrix[first][first - 1] : default_link().bandwidth;
  for (auto& row : matrix) row.resize(devices + own);
  matrix.resize(devices + own, std::vector<BytesPerSecond>(devices + own));
  for (std::size_t c = 0; c < own; ++c)
    for (std::size_t d = 0; d < devices; ++d)
      matrix[devices + c][d] = matrix[d][devices + c] = d < first ? matrix[first + c][d] : apart;
  for (std::size_t c = 0; c < own; ++c)
    for (std::size_t d = 0; d < own; ++d) matrix[devices + c][devices + d] = matrix[first + c][first + d];
}

/// A cluster of one node may have nothing that a second one could be joined to.
void join_to_switch(Cluster& cluster) {
  const bool linked = std::any_of(cluster.links.begin(), cluster.links.end(), [&](const NetworkLink& link) {
    return link.from == cluster.nodes.back().name || link.to == cluster.nodes.back().name;
  });
  if (linked || cluster.bandwidth_matrix) return;
  const std::string name = next_name(cluster, "switch");
  cluster.switches.push_back({name});
  for (const Node& node : cluster.nodes) cluster.links.push_back({node.name, name, default_link()});
}

void add_node(Cluster& cluster) {
  if (cluster.bandwidth_matrix) copy_last_in_matrix(cluster);
  Node copy = cluster.nodes.back();
  const std::string last = copy.name;
  copy.name = next_name(cluster, last);
  copy.domain = next_domain(cluster);
  const std::size_t before = cluster.links.size();
  for (std::size_t l = 0; l < before; ++l) {
    const NetworkLink link = cluster.links[l];
    if (link.from == last) cluster.links.push_back({copy.name, link.to, link.link});
    if (link.to == last) cluster.links.push_back({link.from, copy.name, link.link});
  }
  cluster.nodes.push_back(std::move(copy));
}

void drop_last_node(Cluster& cluster) {
  const std::string last = cluster.nodes.back().name;
  cluster.nodes.pop_back();
  std::erase_if(cluster.links, [&](const NetworkLink& link) { return link.from == last || link.to == last; });
  if (!cluster.bandwidth_matrix) return;
  const std::size_t left = devices_of(cluster).size();
  cluster.bandwidth_matrix->resize(left);
  for (auto& row : *cluster.bandwidth_matrix) row.resize(left);
}

}  // namespace

ClusterScales scales_of(const Cluster& cluster) {
  ClusterScales scales;
  scales.nodes = static_cast<int>(cluster.nodes.size());
  if (cluster.bandwidth_matrix) {
    for_cells(cluster, *cluster.bandwidth_matrix, [&](BytesPerSecond bandwidth, NodeId a, NodeId b) {
      take_least(a == b ? scales.inside : scales.between, bandwidth);
    });
  } else {
    for (const Node& node : cluster.nodes)
      if (node.link) take_least(scales.inside, node.link->bandwidth);
    for (const NetworkLink& link : cluster.links) take_least(scales.between, link.link.bandwidth);
  }
  std::set<std::string> types;
  for (const Device& device : devices_of(cluster)) {
    const DeviceType& type = cluster.device_types[static_cast<std::size_t>(device.type)];
    scales.memory = types.empty() ? type.memory : std::min(scales.memory, type.memory);
    types.insert(type.name);
  }
  if (types.size() == 1) scales.type = *types.begin();
  return scales;
}

Link default_link() { return {BytesPerSecond(12.5e9), microseconds(5)}; }

Cluster with_node_count(const Cluster& cluster, int count) {
  Cluster changed = cluster;
  const auto wanted = static_cast<std::size_t>(std::max(1, count));
  while (changed.nodes.size() > wanted) drop_last_node(changed);
  if (changed.nodes.size() < wanted) join_to_switch(changed);
  while (changed.nodes.size() < wanted) add_node(changed);
  return changed;
}

void scale_inside(Cluster& cluster, double factor) {
  for (Node& node : cluster.nodes)
    if (node.link) node.link->bandwidth = scaled(node.link->bandwidth, factor);
  if (!cluster.bandwidth_matrix) return;
  for_cells(cluster, *cluster.bandwidth_matrix, [&](BytesPerSecond& bandwidth, NodeId a, NodeId b) {
    if (a == b) bandwidth = scaled(bandwidth, factor);
  });
}

void scale_between(Cluster& cluster, double factor) {
  for (NetworkLink& link : cluster.links) link.link.bandwidth = scaled(link.link.bandwidth, factor);
  for (Node& node : cluster.nodes)
    if (node.nic) node.nic = scaled(*node.nic, factor);
  if (!cluster.bandwidth_matrix) return;
  for_cells(cluster, *cluster.bandwidth_matrix, [&](BytesPerSecond& bandwidth, NodeId a, NodeId b) {
    if (a != b) bandwidth = scaled(bandwidth, factor);
  });
}

void scale_link(Cluster& cluster, const LinkScale& scale) {
  const auto joins = [&](const std::string& a, const std::string& b) {
    return (a == scale.from && b == scale.to) || (a == scale.to && b == scale.from);
  };
  if (cluster.bandwidth_matrix) {
    for_cells(cluster, *cluster.bandwidth_matrix, [&](BytesPerSecond& bandwidth, NodeId a, NodeId b) {
      if (joins(cluster.nodes[a.index()].name, cluster.nodes[b.index()].name))
        bandwidth = scaled(bandwidth, scale.factor);
    });
    return;
  }
  for (Node& node : cluster.nodes)
    if (node.link && joins(node.name, node.name)) node.link->bandwidth = scaled(node.link->bandwidth, scale.factor);
  for (NetworkLink& link : cluster.links)
    if (joins(link.from, link.to)) link.link.bandwidth = scaled(link.link.bandwidth, scale.factor);
  if (scale.from == scale.to) return;
  for (Node& node : cluster.nodes)  // with its cards
    if (node.nic && (node.name == scale.from || node.name == scale.to)) node.nic = scaled(*node.nic, scale.factor);
}

void scale_memory(Cluster& cluster, double factor) {
  for (DeviceType& type : cluster.device_types) {
    const double bytes = std::round(static_cast<double>(type.memory.count) * factor);
    type.memory = Bytes(static_cast<std::int64_t>(std::clamp(bytes, 1.0, static_cast<double>(limits::bytes))));
  }
}

void swap_devices(Cluster& cluster, std::span<const DeviceId> devices, const DeviceType& type) {
  const std::set<DeviceId> swapped(devices.begin(), devices.end());
  DeviceId device;
  for (Node& node : cluster.nodes) {
    std::vector<DeviceGroup> groups;
    for (const DeviceGroup& group : node.devices)
      for (int i = 0; i < group.count; ++i, ++device.value) {
        const std::string& name = swapped.contains(device) ? type.name : group.type;
        if (!groups.empty() && groups.back().type == name)
          ++groups.back().count;
        else
          groups.push_back({name, 1});
      }
    node.devices = std::move(groups);
  }
  const auto known = std::find_if(cluster.device_types.begin(), cluster.device_types.end(),
                                  [&](const DeviceType& one) { return one.name == type.name; });
  if (known == cluster.device_types.end()) cluster.device_types.push_back(type);
}

void drop_unused_types(Cluster& cluster, const std::string& kept) {
  std::set<std::string> used{kept};
  for (const Node& node : cluster.nodes)
    for (const DeviceGroup& group : node.devices) used.insert(group.type);
  std::erase_if(cluster.device_types, [&](const DeviceType& type) { return !used.contains(type.name); });
}

}  // namespace pipedeck::study::whatif
