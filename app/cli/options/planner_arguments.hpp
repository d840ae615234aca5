// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/planner/planner.hpp"
#include "core/study/whatif/best_plan.hpp"

namespace pipedeck::cli::options {

/// Parses the rest of the command line as options of the planner: --flag, --name VALUE or --name=VALUE. A name that is
/// not in the planner's table and a value that it does not take are bad_usage.
Result<planner::PlannerOptions> planner_options(const planner::PlannerInfo& planner,
                                                const std::vector<std::string>& arguments);

/// The planners of these names, each once, in this order.
Result<std::vector<const planner::PlannerInfo*>> parse_planners(const std::vector<std::string>& names);
/// As above, without options of their own; without names `usual`.
Result<std::vector<study::PlannerRequest>> asked_planners(const std::vector<std::string>& names,
                                                          std::vector<study::PlannerRequest> usual);

/// A help paragraph on the options of every planner.
std::string planner_options_help();

}  // namespace pipedeck::cli::options
