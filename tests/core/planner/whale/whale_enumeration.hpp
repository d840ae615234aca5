// SPDX-License-Identifier: Apache-2.0
// Enumerates all whole-sample shares, and all partitions with all shares, of small problems. An oracle for Whale's
// balance. Exponential.
#pragma once

#include <limits>
#include <vector>

#include "core/planner/whale/layout.hpp"

namespace pipedeck {

struct Shares {
  std::vector<int> samples;
  double slowest = std::numeric_limits<double>::infinity(), imbalance = slowest;
};

/// One entry a device: its time, and equation 1 over all of them.
Shares judged_shares(const std::vector<planner::whale::Replicas>& devices, const std::vector<int>& samples);

/// The quickest slowest device, then the least sum of equation 1, of all whole-sample shares within the limits;
/// infinite where there are none. Each group is one device.
Shares best_shares(const std::vector<planner::whale::Replicas>& devices, int samples);

/// The quickest slowest replica of all cuts of the layout's TaskGraphs that fit with these warm-ups, with or
/// without recomputation; not for split ones.
double best_cuts(planner::whale::WhaleCosts& costs, const planner::whale::Layout& layout,
                 const std::vector<int>& warmups, int samples, bool recompute);

}  // namespace pipedeck
