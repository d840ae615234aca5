// SPDX-License-Identifier: Apache-2.0
// What a device holds of a layer that is cut over several (simulator.md, "Memory of a device over time").
#pragma once

#include "core/domain/plan.hpp"
#include "core/domain/profile.hpp"

namespace pipedeck {

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
