// SPDX-License-Identifier: GPL-3.0-or-later
// The memory of training besides activations, as set by the user: values of a workload that decide whether a plan fits.
// They affect no time except the optimizer's.
#pragma once

#include "app/session/project/state.hpp"
#include "core/model/device_model.hpp"
#include "core/model/simulation.hpp"

namespace pipedeck::session::project {

struct TrainingState {
  Optimizer optimizer = Optimizer::adam;
  Precision precision = Precision::fp32;
  int zero = 0;           ///< stage, 0 to 3
  Adapters adapters{};    ///< trained in place of the weights, by plans of meshes
  Bytes reserve{};        ///< per device, not for the model
  Bytes communication{};  ///< buffers per communicator on each of its devices
  double fragmentation = 0;
  MemoryDefaults usual{};  ///< of the cluster's devices, to show and to go back to
  bool operator==(const TrainingState&) const = default;
};

/// Returns the question's, with the defaults of its cluster.
TrainingState training_state_of(const State& state);

/// Returns the memory of the weights, gradients and optimizer state on one device, or on each of `replicas` over which
/// ZeRO shards them.
MemoryBreakdown model_state_bytes(const Profile& profile, const TrainingState& training, int replicas = 1);

/// Returns the least memory of the model's frozen weights.
Bytes frozen_weight_bytes(const Profile& profile, const TrainingState& training);

/// Returns the state with these settings in the question and in the plans that answer it.
State with_training_state(State state, const TrainingState& training);

/// Returns the state with this cluster in the question. The network model follows the cluster's default if that
/// changes. Memory that is not the model's follows the defaults of the cluster's devices (presets::memory_defaults),
/// unless the user changed those of the last cluster.
State with_selected_cluster(State state, int cluster);

/// Sets the workload to that of the plan: its batch and training settings.
void load_setup_from_plan(Workload& workload, const Plan& plan);

/// Returns the state with this profile in the question. If its weights have another type than those of the last one,
/// the question gets the default precision for it (weight_type.hpp).
State with_selected_profile(State state, int profile);

}  // namespace pipedeck::session::project
