// SPDX-License-Identifier: Apache-2.0
// Enumerates every PipeDream partition of a small problem: all nested sets of layers, all shapes over the levels, each
// evaluated by its definition. Exponential.
#pragma once

#include <optional>
#include <vector>

#include "core/model/plan.hpp"
#include "core/planner/evaluation/evaluation.hpp"

namespace pipedeck {

struct PipedreamShape {
  std::vector<int> components;    ///< of each level, lowest first
  std::vector<DeviceId> devices;  ///< in component order
  std::string objective;          ///< its name
};

/// Returns the fitting plan of the quickest slowest stage that honours the problem's pins.
std::optional<Plan> enumerate_pipedream(const Problem& problem, const PipedreamShape& shape, int micro_batch,
                                        const planner::evaluation::EvaluateOptions& options);

}  // namespace pipedeck
