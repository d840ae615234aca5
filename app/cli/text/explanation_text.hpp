// SPDX-License-Identifier: Apache-2.0
// Why a plan takes as long as it does, as text and as JSON.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/model/explanation.hpp"
#include "core/model/plan.hpp"

namespace pipedeck::cli::text {

std::string critical_path_text(const CriticalPath& path, const Plan& plan);
std::string idle_text(const Simulation& simulation);
std::string parts_text(const TimeBreakdown& parts);
/// Links and devices that change something, the largest gain first; those that gain the same are one row.
std::string sensitivity_text(const Sensitivity& found);

nlohmann::ordered_json critical_path_json(const CriticalPath& path);
nlohmann::ordered_json parts_json(const TimeBreakdown& parts);
nlohmann::ordered_json sensitivity_json(const Sensitivity& found);

}  // namespace pipedeck::cli::text
