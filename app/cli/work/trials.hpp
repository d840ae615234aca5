// SPDX-License-Identifier: Apache-2.0
// Real trials (AMP, Li et al. 2022, Algorithm 1, line 8: best_s = run(record, budget)): the best plans by prediction
// are trained for a few steps, and the fastest measured one is the answer.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/cli/work/judge.hpp"
#include "core/model/model.hpp"

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

struct Trial {
  JudgedPlan judged;
  Seconds predicted;  ///< by the overlap that the runtime has
  std::optional<Seconds> measured;
  Seconds lower, upper;  ///< quartiles of the measured steps
  std::string failure;   ///< why there is no measured time
};

/// Each plan alone, one after the other, then the fastest measured first and those that failed last, as they were. A
/// plan that can't be run is a trial that failed. cancelled when stopped; run_failed where no plan ran.
Result<std::vector<Trial>> run_trials(const std::vector<JudgedPlan>& judged, const Judge& judge, const ModelSpec& model,
                                      int steps, const Progress& progress, std::stop_token stop);

std::string trials_table(const std::vector<Trial>& trials);
/// Returns the note of the best one: "the fastest of 4 plans that were tried here ...".
std::string trial_sentence(const std::vector<Trial>& trials, int steps);

}  // namespace pipedeck::cli::work
