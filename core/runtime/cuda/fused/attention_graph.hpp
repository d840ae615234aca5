// SPDX-License-Identifier: Apache-2.0
// Attention as an operation graph of cuDNN. cuDNN recognises the pattern and computes it with one fused kernel a pass:
// the order of operations, and which of their results are in memory, are those that its engines accept. Sizes and
// strides are in the order sample, head, position, value.
#pragma once

#include <vector>

#include "core/runtime/cuda/fused/descriptor.hpp"

namespace pipedeck::runtime::cuda::fused {

/// A shape of attention. Queries, keys and values, and their gradients, are rows of 3 * hidden() values of 16 bits, one
/// for each position of each sample; the output and its gradient are rows of hidden().
struct Shape {
  std::int64_t samples, sequence, heads, head_size;
  bool causal;
  std::int64_t hidden() const { return heads * head_size; }
  std::int64_t rows() const { return samples * sequence; }
};

/// The unique ids of tensors in memory, which an execution binds to addresses. The last three are single floats in the
/// host's memory.
enum Bound : std::int64_t {
  queries = 1,
  keys,
  values,
  out,
  logsumexp,  ///< samples x heads x sequence floats
  out_gradient,
  queries_gradient,
  keys_gradient,
  values_gradient,
  row_sums,     ///< samples x heads x sequence floats, written by backward for itself
  score_scale,  ///< 1 / sqrt(head size)
  unseen,       ///< a masked score
  one
};

/// The alignment of addresses on the GPU, in bytes.
inline constexpr std::int64_t tensor_alignment = 16;

/// A finalised operation graph, with the descriptors that it refers to.
class OperationGraph {
 public:
  /// `handle` may be null if plans are made for a described GPU instead of a present one.
  OperationGraph(std::vector<Descriptor> tensors, std::vector<Descriptor> operations, cudnnHandle_t handle);
  cudnnBackendDescriptor_t get() const { return graph_.get(); }

 private:
  std::vector<Descriptor> tensors_, operations_;
  Descriptor graph_;
};

/// Reads queries, keys and values; writes out and logsumexp. Throws Failure.
OperationGraph forward_graph(const Shape& shape, cudnnHandle_t handle);
/// Reads the same, out, logsumexp and out_gradient; writes row_sums and the three gradients. Every sum has a fixed
/// order. Throws Failure.
OperationGraph backward_graph(const Shape& shape, cudnnHandle_t handle);

}  // namespace pipedeck::runtime::cuda::fused
