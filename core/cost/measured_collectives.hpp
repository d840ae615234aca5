// SPDX-License-Identifier: Apache-2.0
// Collectives that nccl-tests measured: the latency and the bandwidth that fit them, and the model's times next to
// them.
#pragma once

#include <vector>

#include "core/base/result.hpp"
#include "core/cost/network.hpp"
#include "core/model/efficiency.hpp"
#include "core/model/found_machine.hpp"

namespace pipedeck::cost {

/// Returns the time that a collective takes of its time at the bandwidths of the cluster. Data sheets are reached to
/// the device type's share, with its overhead for each call. Measured links have both in themselves.
Seconds reached_time(Seconds time, bool leaves, bool measured, const DeviceEfficiency& reached);

/// A straight line through the measured times: latency + bytes sent / bus bandwidth.
struct CollectiveFit {
  Seconds latency;
  BytesPerSecond bus;
  double error = 0;  ///< median relative difference of the line from the measured times
};

/// Minimises the squares of relative differences. The latency is at least 0. Without several sizes it is 0. Test: at
/// least one point.
CollectiveFit fit_of(const MeasuredCollective& test);

/// Returns the link of a ring that takes as long: the bus bandwidth, and the latency of one of its steps.
Link link_of(const MeasuredCollective& test);

/// A measured time next to the model's.
struct ComparedCollective {
  double bytes = 0;
  BytesPerSecond bus;
  Seconds measured, predicted;
};

/// Predicts a test on the first devices of a cluster, ring by ring. bad_input if the cluster has fewer devices.
Result<std::vector<ComparedCollective>> compared(const MeasuredCollective& test, const Network& network,
                                                 const DeviceEfficiency& reached);

}  // namespace pipedeck::cost
