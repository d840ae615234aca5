// SPDX-License-Identifier: Apache-2.0
// The halves of decoder blocks, whole or as a rank's shard (Megatron-LM, arXiv 1909.08053, section 3): products into
// heads or columns are sharded by columns, products out of them by rows. The outputs of the latter are summed, and the
// input gradients of the former.
#pragma once

#include <memory>

#include "core/base/result.hpp"
#include "core/runtime/layers/block_halves.hpp"
#include "core/runtime/layers/sharding.hpp"

namespace pipedeck::runtime::cpu {

/// Each makes the kernel of a layer's sizes; with `sharding`, a rank's shard of it. bad_input names a size that does
/// not fit, or a count that cannot be cut over the ranks.
using MakeHalf = Result<std::unique_ptr<layers::BlockHalf>>(const ModelLayer& layer,
                                                            const layers::LayerSharding* sharding);

/// Grouped heads, rotary positions; some key-value heads on each rank. With `context`: some positions of every sample.
Result<std::unique_ptr<layers::BlockHalf>> make_attention_half(const ModelLayer& layer,
                                                               const layers::LayerSharding* sharding,
                                                               const layers::ContextShard* context = nullptr);
MakeHalf make_latent_attention_half;  ///< some heads on each rank; the narrow vectors are replicated
MakeHalf make_feed_forward_half;      ///< gated; some columns on each rank
MakeHalf make_experts_half;           ///< some columns of each expert on each rank

}  // namespace pipedeck::runtime::cpu
