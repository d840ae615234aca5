// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/planner/planner.hpp"

namespace pipedeck::cli {

/// What the command line left over, as options of the planner: --flag, --name VALUE or --name=VALUE. A name that is not
/// in the planner's table and a value it does not take are bad usage.
Result<PlannerOptions> planner_options(const PlannerInfo& planner, const std::vector<std::string>& arguments);

/// A help paragraph on the options of every planner.
std::string planner_options_help();

}  // namespace pipedeck::cli
