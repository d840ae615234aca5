// SPDX-License-Identifier: Apache-2.0
// An independent verification of a planner's result. It computes objective and constraints from their definitions,
// layer by layer, and shares no table with any planner. This is the common part: a plan with its network, and sums over
// a stage's layers.
#pragma once

#include <functional>
#include <stop_token>
#include <vector>

#include "core/cost/network.hpp"
#include "core/plan/layer_bytes.hpp"

namespace pipedeck::planner::evaluation {

/// The variants of a planner that change its objective or constraints.
struct EvaluateOptions {
  bool ignore_memory = false;
  bool printed_objective = false;
  bool flat_levels = false;      ///< PipeDream: all devices are one level
  bool paper_in_flight = false;  ///< CAPTURE: every stage has one micro-batch in flight, as its paper predicts
  std::stop_token stop{};
  /// Returns true if the plan fits by simulation. Decides where the need that no timing exceeds does not fit.
  std::function<Result<bool>(const Plan&, std::stop_token)> fits{};
};

struct Evaluation {
  const Problem& problem;
  const Plan& plan;
  const cost::Network& network;
  const EvaluateOptions& options;
  std::vector<LayerId> order;

  const Profile& profile() const { return *problem.profile; }
  const Layer& layer(int position) const { return profile().layers[order[static_cast<std::size_t>(position)].index()]; }
  int stages() const { return static_cast<int>(plan.stages.size()); }
  const Stage& stage(int s) const { return plan.stages[static_cast<std::size_t>(s)]; }
  /// Returns the samples of the replica with most samples.
  int max_samples(int s) const;
};

plan::Weights weights_of(const Evaluation& e, int stage);
/// Returns the bytes that the stage saves for backward, for `samples` samples.
Bytes saved_by(const Evaluation& e, int stage, int samples);
Bytes largest_workspace(const Evaluation& e, int stage, int samples);
/// Returns the bytes that cross the cut before this stage, for `samples` samples; 0 before the first stage and after
/// the last.
Bytes crossing(const Evaluation& e, int stage, int samples);
Bytes smallest_memory(const Evaluation& e, int stage);

/// Returns an internal error that names the stage that is incomplete or does not fit.
Result<void> check_constraints(const Evaluation& e);

/// Returns an internal error if a plan of format version 2 uses other devices than all, breaks a rule of degrees, or
/// does not fit by simulation.
Result<void> check_mesh_constraints(const Evaluation& e);

}  // namespace pipedeck::planner::evaluation
