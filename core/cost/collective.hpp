// SPDX-License-Identifier: Apache-2.0
// Time of an all-reduce: the less of a flat ring and a hierarchical one (simulator.md, "Communication").
#pragma once

#include <span>

#include "core/cost/network.hpp"

namespace pipedeck {

/// The slowest of a ring's hops: largest latency and smallest bandwidth, not necessarily of the same hop.
struct WorstHop {
  double alpha = 0;  ///< seconds
  double beta = 0;   ///< bytes a second; 0: no hop yet
  bool operator==(const WorstHop&) const = default;

  void add(const Path& path);
  /// Of a ring of `members`; 0 for one.
  double ring_seconds(std::size_t members, Bytes bytes) const;
};

/// The ring with devices in cluster order, for whoever asks about many sizes.
WorstHop worst_hop(const Network& network, std::span<const DeviceId> devices);

/// 2(n-1)(alpha + b/(n beta)) with devices in cluster order, alpha the largest latency and beta the smallest bandwidth
/// of a hop. 0 for one device.
Seconds ring_all_reduce(const Network& network, std::span<const DeviceId> devices, Bytes bytes);

/// 2(p-1)(alpha_in + b/(p beta_in)) + 2(k-1)(alpha_out + b/(k beta_out)) over k nodes of at most p devices each.
Seconds hierarchical_all_reduce(const Network& network, std::span<const DeviceId> devices, Bytes bytes);

/// The less of the two.
Seconds all_reduce(const Network& network, std::span<const DeviceId> devices, Bytes bytes);

}  // namespace pipedeck
