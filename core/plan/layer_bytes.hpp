// SPDX-License-Identifier: Apache-2.0
// The bytes that each device holds of a sharded layer (simulator.md, "Memory of a device over time").
#pragma once

#include "core/model/plan.hpp"
#include "core/model/profile.hpp"

namespace pipedeck::plan {

/// A sum of some layers' weights: all of them, and the part that each device of a tensor-parallel replica holds whole.
/// The rest is sharded.
struct Weights {
  Bytes all, whole = {};
  RankStates states = {};  ///< of a profile's rank; without weights: the profile has whole layers
  Bytes copies = {};       ///< that a device holds of them between passes (LayerMemory::weight_copy)
  Weights& operator+=(const Weights& other);
  Weights operator-(const Weights& other) const {
    return {all - other.all, whole - other.whole, states - other.states, copies - other.copies};
  }
  auto operator<=>(const Weights&) const = default;
};
Weights weights_of(const Layer& layer);
/// Returns the weights whose gradients are reduced at the end of a step, and those that the optimizer updates on a
/// device.
Weights reduced_weights(const Layer& layer);
Weights updated_weights(const Weights& weights);

/// Returns the bytes of the weights on each of `degree` devices with even shards, rounded up.
Bytes share_of(const Weights& weights, int degree);
/// Returns the bytes of the weights on the device of that rank of the stage.
Bytes share_of(const Weights& weights, const Stage& stage, int rank);

/// Returns the profile's point of the layer sharded over `degree` devices; null if it has none.
const TensorParallelPoint* point_of_degree(const Layer& layer, int degree);

/// Returns the bytes saved for backward per profile micro-batch, on each of `degree` devices with even shards. Uses the
/// profile's value of that degree; without one, activations count as replicated.
Bytes saved_bytes(const Layer& layer, int degree);
/// Returns the bytes of the workspace during a pass, by the rules of saved_bytes.
Bytes workspace_bytes(const Layer& layer, int degree);

/// Returns true if the layer's output is column-sharded in the measured chain: nothing is reduced or gathered after it.
/// False for layers that every device computes in full, since they take as much of each device as of one.
bool output_in_columns(const Layer& layer, int degree);

/// Returns the degree whose values apply to the stage's devices. Profiles measure even shards: with `shards`, where one
/// device has more, activations count as replicated.
int even_parts(const Stage& stage);

}  // namespace pipedeck::plan
