// SPDX-License-Identifier: Apache-2.0
// The few figures by which a machine differs from its profile and cluster files, fitted from measured runs
// (docs/simulator.md, "Calibration"). The defaults change nothing.
#pragma once

#include "core/domain/units.hpp"

namespace pipedeck {

struct Calibration {
  Seconds operation_overhead;   ///< added to each pass of a stage: launch, scheduling, bookkeeping
  double overlap_slowdown = 1;  ///< at least 1: how many times longer compute takes while its device communicates
  double link_efficiency = 1;   ///< above 0: what every link moves, over the bandwidth in the cluster's file
  bool operator==(const Calibration&) const = default;
};

}  // namespace pipedeck
