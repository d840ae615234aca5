// SPDX-License-Identifier: Apache-2.0
// A planning problem as a document, for planners that are programs of their own (formats.md, "Question").
#pragma once

#include <string>

#include "core/planner/planner.hpp"

namespace pipedeck::planner::program {

std::string question_to_json(const Problem& problem, const PlannerContext& context);

}  // namespace pipedeck::planner::program
