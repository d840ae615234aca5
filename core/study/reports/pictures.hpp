// SPDX-License-Identifier: Apache-2.0
// Pictures of a plan's operations and memory over time. Operations narrower than a pixel are drawn as columns. So a
// picture of a million of them is no larger than one of a thousand.
#pragma once

#include <string>

#include "core/model/plan.hpp"
#include "core/model/simulation.hpp"
#include "core/study/reports/document.hpp"
#include "core/study/reports/translator.hpp"

namespace pipedeck::study::reports {

Picture gantt_picture(const Translator& words, const std::string& name, const Plan& plan, const Simulation& simulation);

/// Over time against each device's memory, and item by item at the peak.
Picture memory_picture(const Translator& words, const std::string& name, const Plan& plan,
                       const Simulation& simulation);

}  // namespace pipedeck::study::reports
