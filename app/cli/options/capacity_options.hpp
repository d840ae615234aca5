// SPDX-License-Identifier: Apache-2.0
// The question of `capacity`: the training, its limits, the clusters and batches, as options with units.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli/options/question.hpp"
#include "core/io/capacity_identity.hpp"
#include "core/model/capacity.hpp"
#include "core/study/capacity/question.hpp"

namespace CLI {
class App;
}

namespace pipedeck::cli::options {

/// --tokens, --samples, --within, --budget.
struct GoalOptions {
  std::string tokens, samples, within, budget;
  void declare(CLI::App& app);
  bool given() const { return !tokens.empty() || !samples.empty(); }
  /// bad_usage names the option. `sample_tokens`: 0 if unknown.
  Result<CapacityGoal> goal(int sample_tokens, const std::string& currency) const;
};

/// For a size that only a transformer has: the shape in its computed profile, if there is one.
Result<study::capacity::Request> of_transformer(study::capacity::Request question);

/// The model, the cluster, and what is looked at.
struct CapacityOptions {
  FileOptions inputs;  ///< the profile may be a transformer's config.json
  SimulationOptionGroup simulation;
  StateOptions state;
  AdapterOptions adapted;
  std::string nodes, model_precision;
  std::vector<std::string> types, prices;
  std::vector<int> global_batches, micro_batches;
  void declare(CLI::App& app);

  /// Reads the files; prints assumptions on standard error.
  Result<study::capacity::Request> question() const;
  /// Tokens of a sample; 0: unknown.
  int sample_tokens(const study::capacity::Request& question) const;
  /// bad_usage names the option.
  Result<study::capacity::Space> space(const study::capacity::Request& question) const;
  /// All inputs of planners except the points.
  io::CapacityAsked asked(const study::capacity::Request& question) const;

 private:
  Result<std::optional<study::capacity::Model>> model() const;
};

}  // namespace pipedeck::cli::options
