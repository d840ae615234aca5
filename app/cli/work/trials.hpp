// SPDX-License-Identifier: Apache-2.0
// Real trials on the threads of this process.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/model/model.hpp"
#include "core/study/plan_simulator.hpp"
#include "core/study/trial.hpp"

namespace CLI {
class App;
}

namespace pipedeck::cli::work {

/// --trials, --trial-steps, --model, --backend.
struct TrialOptions {
  int plans = 0;  ///< 0: no trials
  int steps = 6;  ///< of each, the first one not counted
  std::string model, backend;
  void declare(CLI::App& app);
  bool asked() const { return plans > 0; }
  /// bad_usage where they don't go together.
  Result<void> check() const;
  /// The model, which must have the profile's layers, and data that can be read.
  Result<ModelSpec> open(const Profile& profile) const;
};

/// Trains the plans one after another and sorts the trials, fastest first. A trial's number is the plan's position.
/// Predictions are for the runtime's overlap. A plan that cannot be run is a failed trial. Returns cancelled if it is
/// stopped, and run_failed if no plan ran.
Result<std::vector<study::Trial>> run_trials(const std::vector<study::SimulatedPlan>& simulated_plans,
                                             const sim::Simulator& simulator, const ModelSpec& model, int steps,
                                             const Progress& progress, std::stop_token stop);

std::string trials_table(const std::vector<study::Trial>& trials,
                         const std::vector<study::SimulatedPlan>& simulated_plans);
/// Returns the note of the best one: "The fastest of 4 plans trained ...".
std::string trial_text(const std::vector<study::Trial>& trials, int steps);

}  // namespace pipedeck::cli::work
