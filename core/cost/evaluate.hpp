// SPDX-License-Identifier: Apache-2.0
// An independent verification of a planner's result. Computes objective and constraints from their definitions, layer
// by layer, and shares no table with any planner. In every build, plans with a deviation above 1e-9 relative are
// withheld.
#pragma once

#include <stop_token>
#include <string>

#include "core/base/result.hpp"
#include "core/model/plan.hpp"
#include "core/model/workload.hpp"

namespace pipedeck::cost {

struct EvaluateOptions {
  bool ignore_memory = false;
  bool printed_objective = false;
  bool flat_levels = false;      ///< PipeDream: all devices are one level
  bool paper_in_flight = false;  ///< CAPTURE: every stage has one micro-batch in flight, as its paper predicts
  std::stop_token stop{};
};

/// Returns an internal error that names a value that differs: "objective: planner 12.5 ms, evaluation 12.7 ms". May
/// also return `cancelled`.
Result<void> evaluate(const Problem& problem, const Plan& plan, const EvaluateOptions& options = {});

/// Returns each term of the plan's objective with its value, in a sentence or two. Empty if the objective is the
/// simulated time, which has no terms.
Result<std::string> objective_text(const Problem& problem, const Plan& plan, const EvaluateOptions& options = {});

}  // namespace pipedeck::cost
