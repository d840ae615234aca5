// SPDX-License-Identifier: Apache-2.0
// Attention whose ranks each have some positions of every sample (docs/parallelism.md, section 3). Without other ranks
// it is attention() over whole samples.
#pragma once

#include <vector>

#include "core/runtime/cpu/attention.hpp"
#include "core/runtime/layers/context.hpp"
#include "core/runtime/tensor/tensor.hpp"

namespace pipedeck::runtime::cpu {

/// Queries, keys and values of a rank, or their gradients: samples x positions x heads x width.
struct AttentionTensors {
  tensor::Tensor queries, keys, values;
};

/// Attention of a group of context ranks, by the group's kind of exchange:
/// - gather: keys and values are all-gathered; the backward reduce-scatters their gradients (arXiv 2407.21783, section
///   3.3.2).
/// - heads: an all-to-all gives each rank all positions of some key-value heads and their query heads, and another
///   gives the contexts back (arXiv 2309.14509).
/// - ring: keys and values pass from rank to rank, with an online softmax. In the backward they pass once more, with
///   their gradients (arXiv 2310.01889). Only the logarithm of each softmax's sum is saved.
/// - heads+ring: consecutive ranks exchange heads, and blocks of them pass keys and values on.
class ContextAttention {
 public:
  /// `shape` is that of whole samples.
  ContextAttention(AttentionShape shape, const layers::ContextShard& context);

  /// Returns the positions of the rank's queries, keys and values.
  const std::vector<std::int64_t>& positions() const { return positions_; }
  /// Returns the contexts of the rank's own queries. `in` and `probability` become the tensors that backward() needs,
  /// the second the softmax of the scores or what it follows from.
  tensor::Tensor forward(AttentionTensors& in, tensor::Tensor& probability) const;
  /// Discards what forward() computed but its contexts, and keys and values of other ranks. A ring has nothing to
  /// discard: it keeps the logarithm of sums alone.
  void discard(tensor::Tensor& keys, tensor::Tensor& values, tensor::Tensor& probability) const;
  /// Restores what discard() took.
  void restore(tensor::Tensor& queries, tensor::Tensor& keys, tensor::Tensor& values,
               tensor::Tensor& probability) const;
  /// Returns the gradients of the rank's own queries, keys and values. `contexts` is the output of forward().
  AttentionTensors backward(tensor::Tensor context_gradient, const tensor::Tensor& contexts, const AttentionTensors& in,
                            const tensor::Tensor& probability) const;

 private:
  bool gathers() const { return context_.degree > 1 && context_.kind == ContextKind::gather; }
  bool exchanges_heads() const { return heads_of_.degree > 1; }
  bool rings() const { return ring_of_.degree > 1 && !gathers(); }
  /// Returns the contexts of the rank's queries and keys, which have been exchanged.
  tensor::Tensor attend(const AttentionTensors& in, tensor::Tensor& probability) const;
  tensor::Tensor ring_forward(const AttentionTensors& in, tensor::Tensor& log_sums) const;
  AttentionTensors ring_backward(const tensor::Tensor& context_gradient, const tensor::Tensor& contexts,
                                 const AttentionTensors& in, const tensor::Tensor& log_sums) const;
  /// Returns the shape of the rank's queries and of the keys that it holds after this many steps of the ring.
  AttentionShape block(int step) const;
  AttentionInputs inputs(const AttentionTensors& in) const { return inputs(in.queries, in.keys, in.values); }
  AttentionInputs inputs(const tensor::Tensor& queries, const tensor::Tensor& keys, const tensor::Tensor& values) const;
  AttentionGradients gradients(AttentionTensors& of) const;
  /// Returns the ranges of each rank in a row of heads of `width` values, with `shared` heads per key-value head.
  std::vector<layers::ShardRange> columns(std::int64_t shared, std::int64_t width) const;
  /// Returns whole samples of the rank's heads, or back.
  tensor::Tensor to_heads(const tensor::Tensor& mine, std::int64_t shared, std::int64_t width) const;
  tensor::Tensor to_positions(const tensor::Tensor& mine, std::int64_t shared, std::int64_t width) const;

  layers::ContextShard context_, heads_of_, ring_of_;
  std::vector<std::int64_t> positions_;
  AttentionShape shape_;                   ///< of the attention that the rank computes
  std::vector<layers::ShardRange> heads_;  ///< the key-value heads of each rank that exchanges them
};

/// Checks that a layer with these key-value heads on a rank has the group's kind of exchange. bad_input names it.
Result<void> check_context_attention(const ModelLayer& layer, std::int64_t key_value_heads,
                                     const layers::ContextShard& context);

}  // namespace pipedeck::runtime::cpu
