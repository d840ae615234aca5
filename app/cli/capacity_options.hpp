// SPDX-License-Identifier: Apache-2.0
// The question of `capacity`: the training, its limits, the clusters and batches, as options with units.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli/question.hpp"
#include "core/domain/capacity.hpp"
#include "core/io/capacity_identity.hpp"
#include "core/whatif/capacity_question.hpp"

namespace CLI {
class App;
}

namespace pipedeck::cli {

/// --tokens, --samples, --within, --budget.
struct GoalOptions {
  std::string tokens, samples, within, budget;
  void declare(CLI::App& app);
  bool given() const { return !tokens.empty() || !samples.empty(); }
  /// bad_usage names the option. `sample_tokens`: 0 if unknown.
  Result<CapacityGoal> goal(int sample_tokens, const std::string& currency) const;
};

/// For a size that only a transformer has: the shape in its computed profile, if there is one.
Result<CapacityQuestion> of_transformer(CapacityQuestion question);

/// The model, the cluster, and what is looked at.
struct CapacityOptions {
  InputOptions inputs;  ///< the profile may be a transformer's config.json
  ConventionOptions judged;
  StateOptions state;
  std::string nodes, model_precision;
  std::vector<std::string> types, prices;
  std::vector<int> global_batches, micro_batches;
  int sequence = 0;  ///< tokens of a sample; 0: what the model was made for
  void declare(CLI::App& app);

  /// Reads the files; prints assumptions on standard error.
  Result<CapacityQuestion> question() const;
  /// Tokens of a sample; 0: unknown.
  int sample_tokens(const CapacityQuestion& question) const;
  /// bad_usage names the option.
  Result<CapacitySpace> space(const CapacityQuestion& question) const;
  /// All inputs of planners except the points.
  CapacityAsked asked(const CapacityQuestion& question) const;

 private:
  Result<std::optional<CapacityModel>> model() const;
};

}  // namespace pipedeck::cli
