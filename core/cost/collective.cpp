// SPDX-License-Identifier: Apache-2.0
#include "core/cost/collective.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace pipedeck {
namespace {

void add_ring(const Network& network, std::span<const DeviceId> ring, WorstHop& worst) {
  if (ring.size() < 2) return;
  for (std::size_t i = 0; i < ring.size(); ++i) worst.add(network.path(ring[i], ring[(i + 1) % ring.size()]));
}

std::vector<DeviceId> in_cluster_order(std::span<const DeviceId> devices) {
  std::vector<DeviceId> sorted(devices.begin(), devices.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace

void WorstHop::add(const Path& path) {
  alpha = std::max(alpha, path.latency.count);
  beta = beta == 0 ? path.bandwidth.count : std::min(beta, path.bandwidth.count);
}

double WorstHop::ring_seconds(std::size_t members, Bytes bytes) const {
  if (members < 2 || bytes.count == 0) return 0;  // nothing to reduce, nothing is sent
  const auto n = static_cast<double>(members);
  return 2 * (n - 1) * (alpha + static_cast<double>(bytes.count) / (n * beta));
}

WorstHop worst_hop(const Network& network, std::span<const DeviceId> devices) {
  WorstHop hop;
  add_ring(network, in_cluster_order(devices), hop);
  return hop;
}

Seconds ring_all_reduce(const Network& network, std::span<const DeviceId> devices, Bytes bytes) {
  return Seconds(worst_hop(network, devices).ring_seconds(devices.size(), bytes));
}

Seconds hierarchical_all_reduce(const Network& network, std::span<const DeviceId> devices, Bytes bytes) {
  if (bytes.count == 0) return {};
  std::map<NodeId, std::vector<DeviceId>> nodes;
  for (const DeviceId device : in_cluster_order(devices)) nodes[network.node_of(device)].push_back(device);

  WorstHop inside, outside;
  std::size_t most = 0;  // p
  std::vector<DeviceId> leaders;
  for (const auto& [node, members] : nodes) {
    most = std::max(most, members.size());
    add_ring(network, members, inside);
    leaders.push_back(members.front());
  }
  add_ring(network, leaders, outside);
  return Seconds(inside.ring_seconds(most, bytes) + outside.ring_seconds(leaders.size(), bytes));
}

Seconds all_reduce(const Network& network, std::span<const DeviceId> devices, Bytes bytes) {
  return std::min(ring_all_reduce(network, devices, bytes), hierarchical_all_reduce(network, devices, bytes));
}

}  // namespace pipedeck
