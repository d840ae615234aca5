// SPDX-License-Identifier: Apache-2.0
// Recomputation by module (parallelism.md, section 7): the parts of a block whose saved tensors are discarded after the
// forward and restored before the backward.
#pragma once

#include <set>
#include <span>
#include <string>

#include "core/base/result.hpp"

namespace pipedeck::runtime::layers {

/// A part of a block. Each discards:
enum class RecomputedPart {
  core_attention,     ///< softmaxes of scores, and what attention gathered
  norm,               ///< the norm's output in latent attention and in experts
  latent_up,          ///< queries, keys and values of latent attention
  feed_forward,       ///< all of a dense feed-forward but its input
  experts,            ///< all of a layer of experts but its input
  expert_activation,  ///< the experts' activation
  shared_experts,     ///< all of the part that every token passes but its input
};
using RecomputedParts = std::set<RecomputedPart>;

/// Returns the parts of Megatron-LM's modules. bad_input names one that is unknown, and the known ones.
Result<RecomputedParts> parts_of_modules(std::span<const std::string> modules);

}  // namespace pipedeck::runtime::layers
