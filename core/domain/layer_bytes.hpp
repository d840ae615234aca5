// SPDX-License-Identifier: Apache-2.0
// What a device holds of a layer that is cut over several (simulator.md, "Memory of a device over time").
#pragma once

#include "core/domain/plan.hpp"
#include "core/domain/profile.hpp"

namespace pipedeck {

/// Weights of some layers: all of them, and what of them each device of a tensor-parallel replica holds whole. The rest
/// is divided over the devices.
struct Weights {
  Bytes all, whole = {};
  Weights& operator+=(const Weights& other);
  Weights operator-(const Weights& other) const { return {all - other.all, whole - other.whole}; }
  auto operator<=>(const Weights&) const = default;
};
Weights weights_of(const Layer& layer);

/// What of the weights is on each of `degree` devices that have them in even parts, rounded up.
Bytes share_of(const Weights& weights, int degree);
/// On a device of that rank of the stage.
Bytes share_of(const Weights& weights, const Stage& stage, int rank);

/// What the profile says of the layer cut over `degree` devices; null where it says nothing.
const TensorParallelPoint* point_of_degree(const Layer& layer, int degree);

/// Kept from forward to backward on each of `degree` devices that have the layer in even parts, a micro-batch of the
/// profile. The profile's figure of that degree; where it has none, the whole layer's: activations count as whole.
Bytes saved_bytes(const Layer& layer, int degree);
/// The same of the scratch memory while it runs.
Bytes workspace_bytes(const Layer& layer, int degree);

/// Whether the layer's output lies in columns on its devices, in the measured chain: nothing is summed or gathered
/// behind it, and it is not one that all devices compute alike, which takes as much of each as of one.
bool output_in_columns(const Layer& layer, int degree);

/// The degree whose figures are those of the stage's devices. Profiles measure even parts: with `shards`, where one
/// device has more, activations count as whole.
int even_parts(const Stage& stage);

}  // namespace pipedeck
