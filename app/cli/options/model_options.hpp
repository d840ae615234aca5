// SPDX-License-Identifier: Apache-2.0
// Transformers and ONNX models into profiles: the options for what their files leave open.
#pragma once

#include <string>
#include <vector>

#include "app/cli/options/command.hpp"
#include "core/analytic/analytic_profile.hpp"
#include "core/analytic/graph/profile.hpp"

namespace pipedeck::cli::options {

class ModelOptions {
 public:
  void declare(CLI::App& app);
  bool given() const { return given_any_; }
  bool explain() const { return explain_; }
  /// How a transformer's configuration is read.
  bool as_llama() const { return as_llama_; }
  bool multi_token() const { return multi_token_; }
  /// On a device type of the catalogue; empty: one is assumed, with a note.
  Result<analytic::AnalyticProfile> profile(const ParsedTransformer& model, const std::string& device) const;
  Result<analytic::AnalyticProfile> profile(const OperatorGraph& graph, const std::string& device) const;

 private:
  AnalyticOptions options_;
  EfficiencyFactors reached_;
  std::vector<const CLI::Option*> of_reached_;  ///< that set a fraction
  std::optional<int> micro_batch_;
  std::vector<std::string> dimensions_;              ///< NAME=VALUE
  std::vector<const CLI::Option*> of_transformers_;  ///< that mean nothing to a graph
  std::string precision_, attention_ = "fused", name_;
  bool no_dropout_ = false, no_sequence_parallel_ = false;
  bool explain_ = false, as_llama_ = false, multi_token_ = false, given_any_ = false;
};

/// Prints layer by layer: weights, saved bytes, times; then, on request, every formula. `letters`: the formulas use
/// transformers' sizes, which are printed.
std::string profile_table(const analytic::AnalyticProfile& made, bool explain, bool letters);

}  // namespace pipedeck::cli::options
