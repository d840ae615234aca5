// SPDX-License-Identifier: Apache-2.0
// The independent evaluation of a planner's answer: objective and constraints straight from the definitions, layer by
// layer, sharing no table with any planner. In every build a plan it disagrees with (1e-9 relative) is withheld.
#pragma once

#include <stop_token>
#include <string>

#include "core/domain/plan.hpp"
#include "core/domain/result.hpp"
#include "core/domain/workload.hpp"

namespace pipedeck {

struct EvaluateOptions {
  bool ignore_memory = false;
  bool printed_objective = false;
  bool flat_levels = false;      ///< PipeDream: all devices are one level
  bool paper_in_flight = false;  ///< CAPTURE: every stage keeps one micro-batch, as its paper predicts
  std::stop_token stop{};
};

/// Fine, or an internal error that says which figure disagrees: "objective: planner 12.5 ms, evaluation 12.7 ms";
/// or `cancelled`.
Result<void> evaluate(const Problem& problem, const Plan& plan, const EvaluateOptions& options = {});

/// Each term of the plan's objective with its figure, in a sentence or two; empty where the objective is the simulated
/// time, which has no terms of its own.
Result<std::string> objective_text(const Problem& problem, const Plan& plan, const EvaluateOptions& options = {});

}  // namespace pipedeck
