// SPDX-License-Identifier: Apache-2.0
// The few parameters by which a machine differs from its profile and cluster files, fitted from measured runs
// (docs/simulator.md, "Calibration"). The defaults change nothing.
#pragma once

#include "core/base/units.hpp"

namespace pipedeck {

struct Calibration {
  Seconds operation_overhead;   ///< added to each pass of a stage: launch, scheduling, bookkeeping
  double overlap_slowdown = 1;  ///< slowdown of compute while its device communicates; at least 1
  double link_efficiency = 1;   ///< bandwidth that every link reaches, over that in the cluster's file; above 0
  bool operator==(const Calibration&) const = default;
};

}  // namespace pipedeck
