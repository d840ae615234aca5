// SPDX-License-Identifier: Apache-2.0
// The levels of a cluster for the verification of PipeDream's plans: single devices, nodes, groups of nodes by
// bandwidth of the paths between them, all devices. Computed without the planner's code.
#pragma once

#include <vector>

#include "core/planner/evaluation/evaluation.hpp"

namespace pipedeck::planner::pipedream {

/// A level: the component of each device, and the level's bandwidth (0 at the lowest level, single devices).
struct EvaluationLevel {
  std::vector<int> component;
  double bandwidth = 0;

  int of(DeviceId device) const { return component[device.index()]; }
};

/// Returns the levels, lowest first; `flat`: only single devices and all devices. The result is invalid after a stop
/// request.
std::vector<EvaluationLevel> evaluation_levels(const evaluation::Evaluation& e, bool flat);

}  // namespace pipedeck::planner::pipedream
