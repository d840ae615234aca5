// SPDX-License-Identifier: Apache-2.0
// The levels of a cluster for the evaluation of PipeDream's plans: single devices, nodes, groups of nodes by the width
// of the paths between them, all. Found without the planner's code.
#pragma once

#include <vector>

#include "core/cost/evaluate_parts.hpp"

namespace pipedeck {

/// By device: which component of the level it is in, and the level's bandwidth (0 at the lowest, single devices).
struct EvaluationLevel {
  std::vector<int> component;
  double bandwidth = 0;

  int of(DeviceId device) const { return component[device.index()]; }
};

/// Lowest first; `flat`: single devices and all. Of no use once a stop was requested.
std::vector<EvaluationLevel> evaluation_levels(const Evaluation& e, bool flat);

}  // namespace pipedeck
