// SPDX-License-Identifier: GPL-3.0-or-later
// What a device keeps besides activations while it trains, as the user says it: the figures of a workload that decide
// whether a plan fits, and none of its time but the optimizer's.
#pragma once

#include "app/session/project_state.hpp"
#include "core/domain/simulation.hpp"

namespace pipedeck::app {

struct TrainingState {
  Optimizer optimizer = Optimizer::adam;
  Precision precision = Precision::fp32;
  int zero = 0;           ///< stage, 0 to 3
  Bytes reserve{};        ///< of every device, not the model's
  Bytes communication{};  ///< buffers of one communicator, on each of its devices
  double fragmentation = 0;
  bool operator==(const TrainingState&) const = default;
};

TrainingState training_state_of(const Workload& workload);

/// What the model's weights, gradients and optimizer state take on one device, or on each of `replicas`, over which
/// ZeRO divides them.
MemoryParts whole_state(const Profile& profile, const TrainingState& training, int replicas = 1);

/// The question and the plans that answer it, with this state.
ProjectState with_training_state(ProjectState state, const TrainingState& training);

/// The question that the plan answers: its batch and what it keeps.
void ask_as_plan(Workload& workload, const Plan& plan);

/// The profile as the question's. Where its weights are of another type than the last one's, the question's precision
/// becomes the usual one for it (weight_type.hpp).
ProjectState with_profile_asked(ProjectState state, int profile);

}  // namespace pipedeck::app
