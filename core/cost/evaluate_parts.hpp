// SPDX-License-Identifier: Apache-2.0
// What the evaluations share: a plan with its network, and sums of a stage taken layer by layer.
#pragma once

#include <string>
#include <vector>

#include "core/cost/evaluate.hpp"
#include "core/cost/network.hpp"
#include "core/domain/layer_bytes.hpp"

namespace pipedeck {

struct Evaluation {
  const Problem& problem;
  const Plan& plan;
  const Network& network;
  const EvaluateOptions& options;
  std::vector<LayerId> order;

  const Profile& profile() const { return *problem.profile; }
  const Layer& layer(int position) const { return profile().layers[order[static_cast<std::size_t>(position)].index()]; }
  int stages() const { return static_cast<int>(plan.stages.size()); }
  const Stage& stage(int s) const { return plan.stages[static_cast<std::size_t>(s)]; }
  /// Samples of the replica that has most.
  int most_samples(int s) const;
};

Weights weights_of(const Evaluation& e, int stage);
/// Kept for backward by the stage for `samples` samples.
Bytes saved_by(const Evaluation& e, int stage, int samples);
Bytes largest_workspace(const Evaluation& e, int stage, int samples);
/// What crosses the cut before this stage, for `samples` samples; 0 before the first and behind the last.
Bytes crossing(const Evaluation& e, int stage, int samples);
Bytes smallest_memory(const Evaluation& e, int stage);

/// Objectives of the planners, from their definitions.
Result<Seconds> dapple_objective(const Evaluation& e);
Result<Seconds> pipedream_objective(const Evaluation& e);
Result<Seconds> pipedream_released_objective(const Evaluation& e);
Result<Bytes> capture_objective(const Evaluation& e);
Result<Seconds> amp_objective(const Evaluation& e);
Result<Seconds> whale_objective(const Evaluation& e);

/// The terms of those objectives in words.
std::string dapple_objective_text(const Evaluation& e);
std::string pipedream_objective_text(const Evaluation& e);
std::string capture_objective_text(const Evaluation& e);
std::string amp_objective_text(const Evaluation& e);
std::string whale_objective_text(const Evaluation& e);

/// An internal error naming the stage that is not whole, or does not fit.
Result<void> check_constraints(const Evaluation& e);

}  // namespace pipedeck
