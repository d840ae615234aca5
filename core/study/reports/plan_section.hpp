// SPDX-License-Identifier: Apache-2.0
// The part of a report that is about one plan.
#pragma once

#include <string>
#include <vector>

#include "core/study/reports/plan_figures.hpp"
#include "core/study/reports/report.hpp"
#include "core/study/reports/translator.hpp"

namespace pipedeck::study::reports {

/// Returns the warnings about the use of the plan; empty: none.
std::vector<std::string> warnings_of(const Translator& words, const Plan& plan, const Simulation& simulation,
                                     const Problem& problem);

/// `name`: of its pictures, "plan-1".
std::vector<Block> plan_section(const Translator& words, const ReportedPlan& reported, const PlanFigures& figures,
                                const Problem& problem, const std::string& name);

}  // namespace pipedeck::study::reports
