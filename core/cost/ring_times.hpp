// SPDX-License-Identifier: Apache-2.0
// Time of an all-reduce: the minimum of a flat and a hierarchical ring (simulator.md, "Communication").
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/cost/network.hpp"

namespace pipedeck::cost {

/// A ring's worst hop: largest latency and smallest bandwidth, not necessarily of the same hop.
struct RingBottleneck {
  double alpha = 0;  ///< seconds
  double beta = 0;   ///< bytes/s; 0: no hop yet
  double call = 0;   ///< seconds per collective, in addition to its steps
  bool operator==(const RingBottleneck&) const = default;

  void add(const Path& path);
  /// Returns the time of a ring of `members`; 0 for one.
  double ring_seconds(std::size_t members, Bytes bytes) const;
  /// Returns the time of a double binary tree, call + 2 ceil(log2 n) alpha + 2 b / beta: half of the bytes goes up and
  /// down each tree.
  double tree_seconds(std::size_t members, Bytes bytes) const;
};

/// Returns the devices in the order of their ring: by domain, and inside a domain in cluster order.
std::vector<DeviceId> in_ring_order(const Network& network, std::span<const DeviceId> devices);

/// Returns the worst hop of the ring, for callers that need several sizes.
RingBottleneck ring_bottleneck(const Network& network, std::span<const DeviceId> devices);

/// A group of devices' rings, walked once for any number of sizes.
struct GroupRings {
  RingBottleneck flat;             ///< all devices in ring order
  std::size_t members = 0;         ///< n
  RingBottleneck inside, between;  ///< of the devices of each domain; of the first devices of all domains
  std::size_t most = 0;            ///< p, maximum devices per domain
  std::size_t nodes = 0;           ///< k, number of domains; a node without one counts as one
  bool operator==(const GroupRings&) const = default;

  Seconds flat_seconds(Bytes bytes) const { return Seconds(flat.ring_seconds(members, bytes)); }
  Seconds hierarchical_seconds(Bytes bytes) const {
    return Seconds(inside.ring_seconds(most, bytes) + between.ring_seconds(nodes, bytes));
  }
  Seconds all_reduce_seconds(Bytes bytes) const { return std::min(flat_seconds(bytes), hierarchical_seconds(bytes)); }
};

/// `beside`: groups of as many rings, with this one, on the same nodes at the same time; each has an equal share of the
/// links between nodes and of a bus.
GroupRings rings_of(const Network& network, std::span<const DeviceId> devices, int beside = 1);

/// Returns call + 2(n-1)(alpha + b/(n beta)) with devices in ring order, where alpha is the largest latency and beta
/// the smallest bandwidth of a hop. 0 for one device.
Seconds ring_all_reduce(const Network& network, std::span<const DeviceId> devices, Bytes bytes);

/// Returns call + 2(p-1)(alpha_in + b/(p beta_in)) + 2(k-1)(alpha_out + b/(k beta_out)) over k domains of at most p
/// devices each.
Seconds hierarchical_all_reduce(const Network& network, std::span<const DeviceId> devices, Bytes bytes);

/// Returns call + 2 ceil(log2 n) alpha + 2 b / beta, with alpha and beta of the flat ring.
Seconds tree_all_reduce(const Network& network, std::span<const DeviceId> devices, Bytes bytes);

/// Returns the minimum of the two rings.
Seconds all_reduce(const Network& network, std::span<const DeviceId> devices, Bytes bytes);

}  // namespace pipedeck::cost
