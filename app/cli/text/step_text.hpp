// SPDX-License-Identifier: Apache-2.0
// A simulated step in several dimensions of parallelism, as text and JSON.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/mesh/prediction.hpp"
#include "core/model/plan.hpp"
#include "core/model/simulation.hpp"
#include "core/sim/step/imbalance_band.hpp"
#include "core/study/engines/dry_run.hpp"

namespace pipedeck::cli::text {

/// `band`: a line on the runs like it.
std::string step_text(const Plan& plan, const mesh::Prediction& step, const Simulation& simulation,
                      const std::string& band);

/// Returns what the simulation's document does not have (formats.md, "Simulation").
nlohmann::ordered_json step_json(const mesh::Prediction& step);

std::string imbalance_text(const sim::step::ImbalanceBand& band);
nlohmann::ordered_json imbalance_json(const sim::step::ImbalanceBand& band);

/// Returns a table of processes with their predicted peak and that of a log; empty for none.
std::string dry_run_text(const std::vector<study::engines::ProcessPeak>& processes);
nlohmann::ordered_json dry_run_json(const std::vector<study::engines::ProcessPeak>& processes);

}  // namespace pipedeck::cli::text
