// SPDX-License-Identifier: Apache-2.0
// The passes of a layer, and what hides the collectives in them (parallelism.md).
#pragma once

namespace pipedeck {

enum class Pass { forward, recompute, backward };

/// A compute that runs at the same time as a collective. `nothing`: the collective is exposed.
enum class Behind {
  nothing,
  input_gradient,    ///< of the product of that name
  weight_gradient,   ///< of the product of that name
  attention_pieces,  ///< each of the ring's steps behind one of as many pieces of attention as ranks
  shared_experts,
};

}  // namespace pipedeck
