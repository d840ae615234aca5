// SPDX-License-Identifier: Apache-2.0
// Declarations shared by the evaluations: a plan with its network, and sums over a stage's layers.
#pragma once

#include <string>
#include <vector>

#include "core/cost/evaluate.hpp"
#include "core/cost/network.hpp"
#include "core/plan/layer_bytes.hpp"

namespace pipedeck::cost {

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
  /// Returns the samples of the replica with most samples.
  int most_samples(int s) const;
};

plan::Weights weights_of(const Evaluation& e, int stage);
/// Returns the bytes that the stage saves for backward, for `samples` samples.
Bytes saved_by(const Evaluation& e, int stage, int samples);
Bytes largest_workspace(const Evaluation& e, int stage, int samples);
/// Returns the bytes that cross the cut before this stage, for `samples` samples; 0 before the first stage and after
/// the last.
Bytes crossing(const Evaluation& e, int stage, int samples);
Bytes smallest_memory(const Evaluation& e, int stage);

/// The planners' objectives, computed from their definitions.
Result<Seconds> dapple_objective(const Evaluation& e);
Result<Seconds> pipedream_objective(const Evaluation& e);
Result<Seconds> pipedream_released_objective(const Evaluation& e);
Result<Bytes> capture_objective(const Evaluation& e);
Result<Seconds> amp_objective(const Evaluation& e);
Result<Seconds> whale_objective(const Evaluation& e);

/// The terms of these objectives as text.
std::string dapple_objective_text(const Evaluation& e);
std::string pipedream_objective_text(const Evaluation& e);
std::string capture_objective_text(const Evaluation& e);
std::string amp_objective_text(const Evaluation& e);
std::string whale_objective_text(const Evaluation& e);

/// Returns an internal error that names the stage that is incomplete or does not fit.
Result<void> check_constraints(const Evaluation& e);

}  // namespace pipedeck::cost
