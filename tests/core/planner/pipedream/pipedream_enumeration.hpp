// SPDX-License-Identifier: Apache-2.0
// Every PipeDream partition of a small problem, one by one: all nested sets of layers, all shapes over the levels, each
// evaluated from its definition. Exponential.
#pragma once

#include <optional>
#include <vector>

#include "core/cost/evaluate.hpp"
#include "core/model/plan.hpp"

namespace pipedeck {

struct PipedreamShape {
  std::vector<int> components;    ///< of each level, lowest first
  std::vector<DeviceId> devices;  ///< in component order
  std::string objective;          ///< its name
};

/// The plan of the quickest slowest stage that fits and honours the problem's pins.
std::optional<Plan> enumerate_pipedream(const Problem& problem, const PipedreamShape& shape, int micro_batch,
                                        const cost::EvaluateOptions& options);

}  // namespace pipedeck
