// SPDX-License-Identifier: Apache-2.0
// Exchanges between context ranks, each of which has some positions of every sample (context.hpp). All ranks of the
// group call them in the same order. Rows are those of one position.
#pragma once

#include <span>

#include "core/runtime/layers/context.hpp"
#include "core/runtime/tensor/tensor.hpp"

namespace pipedeck::runtime::layers {

/// Returns whole samples (samples x sequence x row), from each rank's own positions (samples x positions x row).
tensor::Tensor gather_context(const tensor::Tensor& mine, const ContextShard& context);

/// Returns the rank's own positions of whole samples.
tensor::Tensor scatter_context(const tensor::Tensor& whole, const ContextShard& context);

/// Sums whole samples over the ranks, and returns the rank's own positions of the sum.
tensor::Tensor reduce_scatter_context(const tensor::Tensor& partial, const ContextShard& context);

/// Returns the rank's own columns at all positions, from all columns at its own positions. `columns`: the range of each
/// rank in a row.
tensor::Tensor positions_to_columns(const tensor::Tensor& mine, std::span<const ShardRange> columns,
                                    const ContextShard& context);

/// Returns all columns at the rank's own positions, from its own columns at all positions.
tensor::Tensor columns_to_positions(const tensor::Tensor& mine, std::span<const ShardRange> columns,
                                    const ContextShard& context);

/// A pair of sums of numbers that each chunk of a sample has: of the chunks before each of the rank's own two, and of
/// all chunks.
struct ChunkSums {
  tensor::Tensor before;  ///< samples x (2 x numbers)
  tensor::Tensor all;     ///< samples x numbers
};
/// Returns the sums from each rank's own numbers, samples x (2 x numbers). Without other ranks these are of two ranges.
ChunkSums sum_chunks(const tensor::Tensor& own, const ContextShard& context);

/// Returns the tensor of the rank before, and sends the next one `mine`. All have the same size.
tensor::Tensor pass_on(const tensor::Tensor& mine, const ContextShard& context);

}  // namespace pipedeck::runtime::layers
