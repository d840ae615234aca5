// SPDX-License-Identifier: Apache-2.0
// Sends of a group's members to each other, all at the same time: all-to-all, and a step of a ring exchange. They end
// when the busiest of these has passed its bytes: each member's port inside its domain or its node's bus, each member's
// network card, each direction of a link between nodes. Messages take the path of the network (network.hpp).
#pragma once

#include <span>

#include "core/cost/network.hpp"

namespace pipedeck::cost {

/// A pattern of sends. Times are proportional to a number of bytes: of one member's part for an all-to-all, of a block
/// for a ring.
struct DirectSends {
  Seconds latency_inside, latency_between;  ///< longest of a path in a domain, and between two; 0: no such path
  double inside = 0, between = 0;           ///< seconds per byte, of the busiest in a domain and between domains
  double kept_inside = 0, leaving = 0;      ///< of a byte, what a member sends in its domain and out of it, on average
  bool operator==(const DirectSends&) const = default;

  /// Returns the larger latency and the time of the busiest.
  Seconds time(Bytes bytes) const;
  /// Returns the time where the bytes that a member sends inside its domain and out of it are given instead: tokens
  /// that are sent once to each domain and copied inside (DeepEP, HybridEP; parallelism.md, section 4). Copies run
  /// while further tokens arrive, so only latencies add up. `between` must be 0 if no member leaves its domain, else
  /// above 0, unless nothing is sent.
  Seconds hierarchical_time(double inside_bytes, double between_bytes) const;
};

/// Returns an all-to-all in which each member sends 1/N of its part to every other. `beside`: as for Collective.
DirectSends all_to_all_sends(const Network& network, std::span<const DeviceId> devices, int beside = 1);

/// Returns a step in which each member sends a block to the next one in the given order, the last to the first.
DirectSends ring_sends(const Network& network, std::span<const DeviceId> devices, int beside = 1);

}  // namespace pipedeck::cost
