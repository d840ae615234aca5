// SPDX-License-Identifier: Apache-2.0
#include "core/cost/collective.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace pipedeck {
namespace {

/// The slowest of some hops: largest latency and smallest bandwidth, not necessarily of the same hop.
struct WorstHop {
  double alpha = 0;  // seconds
  double beta = 0;   // bytes a second; 0: no hop yet

  void add(const Path& path) {
    alpha = std::max(alpha, path.latency.count);
    beta = beta == 0 ? path.bandwidth.count : std::min(beta, path.bandwidth.count);
  }
};

void add_ring(const Network& network, std::span<const DeviceId> ring, WorstHop& worst) {
  if (ring.size() < 2) return;
  for (std::size_t i = 0; i < ring.size(); ++i) worst.add(network.path(ring[i], ring[(i + 1) % ring.size()]));
}

/// 2(n-1)(alpha + b/(n beta)) over n members.
double ring_seconds(std::size_t members, const WorstHop& hop, Bytes bytes) {
  if (members < 2) return 0;
  const auto n = static_cast<double>(members);
  return 2 * (n - 1) * (hop.alpha + static_cast<double>(bytes.count) / (n * hop.beta));
}

std::vector<DeviceId> in_cluster_order(std::span<const DeviceId> devices) {
  std::vector<DeviceId> sorted(devices.begin(), devices.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace

Seconds ring_all_reduce(const Network& network, std::span<const DeviceId> devices, Bytes bytes) {
  if (bytes.count == 0) return {};  // nothing to reduce, nothing is sent
  WorstHop hop;
  add_ring(network, in_cluster_order(devices), hop);
  return Seconds(ring_seconds(devices.size(), hop, bytes));
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
  return Seconds(ring_seconds(most, inside, bytes) + ring_seconds(leaders.size(), outside, bytes));
}

Seconds all_reduce(const Network& network, std::span<const DeviceId> devices, Bytes bytes) {
  return std::min(ring_all_reduce(network, devices, bytes), hierarchical_all_reduce(network, devices, bytes));
}

}  // namespace pipedeck
