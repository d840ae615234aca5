// SPDX-License-Identifier: Apache-2.0
// The part of a report that is about one plan.
#pragma once

#include <string>
#include <vector>

#include "core/report/judged_plan.hpp"
#include "core/report/report.hpp"
#include "core/report/words.hpp"

namespace pipedeck::reports {

/// Returns the warnings about the use of the plan; empty: none.
std::vector<std::string> warnings_of(const Words& words, const Plan& plan, const Simulation& simulation,
                                     const Problem& problem);

/// `name`: of its pictures, "plan-1".
std::vector<Block> plan_section(const Words& words, const ReportedPlan& reported, const JudgedPlan& judged,
                                const Problem& problem, const std::string& name);

}  // namespace pipedeck::reports
