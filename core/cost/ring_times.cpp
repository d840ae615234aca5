// SPDX-License-Identifier: Apache-2.0
#include "core/cost/ring_times.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <vector>

namespace pipedeck::cost {
namespace {

using Members = std::map<int, Network::RingEnd>;  // by domain

/// Returns the bandwidth that groups on the same nodes have together between two devices, or nothing if they share
/// none: ports and network cards belong to their device, a matrix's values to a pair.
std::optional<BytesPerSecond> shared_bandwidth(const Network& network, DeviceId from, DeviceId to) {
  const NodeId node = network.node_of(from), other = network.node_of(to);
  if (!network.is_node_uniform() || (network.in_one_domain(node, other) && !network.bus(node))) return {};
  return network.widest_ring_path(from, to).bandwidth;
}

/// Adds the hops of a ring of devices, or of the leaders of domains, in a group with these members per domain.
void add_ring(const Network& network, std::span<const DeviceId> ring, const Members& members, int beside,
              RingBottleneck& worst) {
  if (ring.size() < 2) return;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const DeviceId from = ring[i], to = ring[(i + 1) % ring.size()];
    Path hop = network.ring_path(from, to, members.at(network.domain_of(from)), members.at(network.domain_of(to)));
    if (beside > 1)
      if (const auto shared = shared_bandwidth(network, from, to))
        hop.bandwidth = std::min(hop.bandwidth, *shared / beside);
    worst.add(hop);
  }
}

/// Takes devices in ring order, in which those of a node are consecutive.
Members members_of(const Network& network, std::span<const DeviceId> sorted) {
  Members members;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const bool first = i == 0 || network.node_of(sorted[i]) != network.node_of(sorted[i - 1]);
    Network::RingEnd& end = members.try_emplace(network.domain_of(sorted[i]), Network::RingEnd{0, 0}).first->second;
    ++end.devices;
    if (first) ++end.nodes;
  }
  return members;
}

/// Returns the worst hop as fast as collectives of the group reach; devices are in ring order.
RingBottleneck reached(const Network& network, std::span<const DeviceId> sorted, RingBottleneck ring) {
  if (sorted.empty()) return ring;
  const Network::Reached by = network.reached(network.node_of(sorted.front()),
                                              network.domain_of(sorted.front()) != network.domain_of(sorted.back()));
  return {ring.alpha / by.share, ring.beta * by.share, by.call.count};
}

}  // namespace

void RingBottleneck::add(const Path& path) {
  alpha = std::max(alpha, path.latency.count);
  beta = beta == 0 ? path.bandwidth.count : std::min(beta, path.bandwidth.count);
}

double RingBottleneck::ring_seconds(std::size_t members, Bytes bytes) const {
  if (members < 2 || bytes.count == 0) return 0;  // nothing to reduce, nothing is sent
  const auto n = static_cast<double>(members);
  return call + 2 * (n - 1) * (alpha + static_cast<double>(bytes.count) / (n * beta));
}

double RingBottleneck::tree_seconds(std::size_t members, Bytes bytes) const {
  if (members < 2) return 0;
  const auto levels = static_cast<double>(std::bit_width(members - 1));
  return call + 2 * levels * alpha + 2 * static_cast<double>(bytes.count) / beta;
}

std::vector<DeviceId> in_ring_order(const Network& network, std::span<const DeviceId> devices) {
  std::vector<DeviceId> sorted(devices.begin(), devices.end());
  std::sort(sorted.begin(), sorted.end(), [&](DeviceId a, DeviceId b) {
    const int one = network.domain_of(a), other = network.domain_of(b);
    return one != other ? one < other : a < b;
  });
  return sorted;
}

RingBottleneck ring_bottleneck(const Network& network, std::span<const DeviceId> devices) {
  const std::vector<DeviceId> sorted = in_ring_order(network, devices);
  RingBottleneck hop;
  add_ring(network, sorted, members_of(network, sorted), 1, hop);
  return reached(network, sorted, hop);
}

GroupRings rings_of(const Network& network, std::span<const DeviceId> devices, int beside) {
  const std::vector<DeviceId> sorted = in_ring_order(network, devices);
  const Members members = members_of(network, sorted);
  GroupRings rings;
  rings.members = sorted.size();
  add_ring(network, sorted, members, beside, rings.flat);
  std::vector<DeviceId> leaders;
  for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {  // devices of a domain are consecutive
    while (end < sorted.size() && network.domain_of(sorted[end]) == network.domain_of(sorted[begin])) ++end;
    rings.most = std::max(rings.most, end - begin);
    add_ring(network, std::span(sorted).subspan(begin, end - begin), members, beside, rings.inside);
    leaders.push_back(sorted[begin]);
  }
  add_ring(network, leaders, members, beside, rings.between);
  rings.nodes = leaders.size();
  for (RingBottleneck* const ring : {&rings.flat, &rings.inside, &rings.between})
    *ring = reached(network, sorted, *ring);
  if (rings.nodes > 1) rings.inside.call = 0;  // both parts are one call
  return rings;
}

Seconds ring_all_reduce(const Network& network, std::span<const DeviceId> devices, Bytes bytes) {
  return rings_of(network, devices).flat_seconds(bytes);
}

Seconds hierarchical_all_reduce(const Network& network, std::span<const DeviceId> devices, Bytes bytes) {
  return rings_of(network, devices).hierarchical_seconds(bytes);
}

Seconds tree_all_reduce(const Network& network, std::span<const DeviceId> devices, Bytes bytes) {
  if (bytes.count == 0) return {};
  return Seconds(rings_of(network, devices).flat.tree_seconds(devices.size(), bytes));
}

Seconds all_reduce(const Network& network, std::span<const DeviceId> devices, Bytes bytes) {
  return rings_of(network, devices).all_reduce_seconds(bytes);
}

}  // namespace pipedeck::cost
