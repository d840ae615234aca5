// SPDX-License-Identifier: Apache-2.0
// The difference between two plans' iterations, part by part, as text and as JSON. The parts add up exactly, and are
// shown to the nanosecond so that a reader can check it.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/model/explanation.hpp"
#include "core/model/workload.hpp"

namespace pipedeck::cli::commands {

std::string waterfall_text(const Waterfall& steps, const SimulationOptions& simulation);
nlohmann::ordered_json waterfall_json(const Waterfall& steps, const SimulationOptions& simulation);

}  // namespace pipedeck::cli::commands
