// SPDX-License-Identifier: Apache-2.0
// A simulated step in several dimensions of parallelism, as text and JSON.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/mesh/prediction.hpp"
#include "core/model/plan.hpp"
#include "core/model/simulation.hpp"

namespace pipedeck::cli::text {

std::string step_text(const Plan& plan, const mesh::Prediction& step, const Simulation& simulation);

/// Returns what the simulation's document does not have (formats.md, "Simulation").
nlohmann::ordered_json step_json(const mesh::Prediction& step);

}  // namespace pipedeck::cli::text
