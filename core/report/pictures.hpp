// SPDX-License-Identifier: Apache-2.0
// Pictures of a plan's operations and memory over time. Operations narrower than a pixel are drawn as columns. So a
// picture of a million of them is no larger than one of a thousand.
#pragma once

#include <string>

#include "core/domain/plan.hpp"
#include "core/domain/simulation.hpp"
#include "core/report/document.hpp"
#include "core/report/words.hpp"

namespace pipedeck::reports {

Picture gantt_picture(const Words& words, const std::string& name, const Plan& plan, const Simulation& simulation);

/// Over time against each device's memory, and item by item at the peak.
Picture memory_picture(const Words& words, const std::string& name, const Plan& plan, const Simulation& simulation);

}  // namespace pipedeck::reports
