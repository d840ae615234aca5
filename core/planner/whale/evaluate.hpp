// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/planner/evaluation/evaluation.hpp"

namespace pipedeck::planner::whale {

/// Returns the objective of a finished plan, computed from its definition.
Result<Seconds> whale_objective(const evaluation::Evaluation& e);

/// Returns each term of the objective with its value, in a sentence or two.
std::string whale_objective_text(const evaluation::Evaluation& e);

}  // namespace pipedeck::planner::whale
