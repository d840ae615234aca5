// SPDX-License-Identifier: Apache-2.0
// The graphs compute FlashAttention-2 (Dao, 2023), section 2.2, with the score matrix S, the weights P and their
// gradients dS, dP.
#include "core/runtime/cuda/fused/attention_graph.hpp"

#include <array>
#include <optional>
#include <utility>

namespace pipedeck::runtime::cuda::fused {
namespace {

/// A tensor of a graph: the address of its descriptor, which the builder owns.
using Node = cudnnBackendDescriptor_t;

/// Sizes and strides of a tensor, in values.
struct Layout {
  std::array<std::int64_t, 4> sizes, strides;
  Layout transposed() const {
    return {{sizes[0], sizes[1], sizes[3], sizes[2]}, {strides[0], strides[1], strides[3], strides[2]}};
  }
};

/// The layouts of a shape.
struct Layouts {
  explicit Layouts(const Shape& s)
      : packed{{s.samples, s.heads, s.sequence, s.head_size},
               {s.sequence * 3 * s.hidden(), s.head_size, 3 * s.hidden(), 1}},
        plain{packed.sizes, {s.sequence * s.hidden(), s.head_size, s.hidden(), 1}},
        scores{{s.samples, s.heads, s.sequence, s.sequence},
               {s.heads * s.sequence * s.sequence, s.sequence * s.sequence, s.sequence, 1}},
        rows{{s.samples, s.heads, s.sequence, 1}, {s.heads * s.sequence, s.sequence, 1, 1}} {}
  Layout packed;  ///< queries, keys or values, and their gradients: every third run of `hidden` values
  Layout plain;   ///< the output and its gradient
  Layout scores, rows;
};
constexpr Layout single{{1, 1, 1, 1}, {1, 1, 1, 1}};

constexpr auto f32 = CUDNN_DATA_FLOAT, bf16 = CUDNN_DATA_BFLOAT16;

class Builder {
 public:
  Node in_memory(Bound id, const Layout& layout, cudnnDataType_t type) {
    return tensor(id, layout, type, false, false);
  }
  /// Returns a float of the host's memory.
  Node number(Bound id) { return tensor(id, single, f32, false, true); }
  /// Returns a result that exists within the fused kernel only.
  Node inner(const Layout& layout, cudnnDataType_t type = f32) {
    return tensor(++inner_id_, layout, type, true, false);
  }

  /// to = left right, by sample and head.
  Node multiply(Node left, Node right, Node to) {
    Descriptor how(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
    how.set(CUDNN_ATTR_MATMUL_COMP_TYPE, f32);
    how.finalise();
    Descriptor operation(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
    operation.set(CUDNN_ATTR_OPERATION_MATMUL_ADESC, left);
    operation.set(CUDNN_ATTR_OPERATION_MATMUL_BDESC, right);
    operation.set(CUDNN_ATTR_OPERATION_MATMUL_CDESC, to);
    return add(std::move(how), std::move(operation), CUDNN_ATTR_OPERATION_MATMUL_DESC, to);
  }

  /// to = mode(left, right). `right` may be null.
  Node apply(cudnnPointwiseMode_t mode, Node left, Node right, Node to, cudnnDataType_t type = f32) {
    return pointwise(mode, type, {}, left, right, nullptr, to);
  }
  /// to = the index of each score along `axis`.
  Node index(Node of, std::int64_t axis, Node to) {
    return pointwise(CUDNN_POINTWISE_GEN_INDEX, CUDNN_DATA_INT32, axis, of, nullptr, nullptr, to);
  }
  /// to = condition ? left : right.
  Node select(Node condition, Node left, Node right, Node to) {
    return pointwise(CUDNN_POINTWISE_BINARY_SELECT, f32, {}, left, right, condition, to);
  }

  /// Reduces over each dimension in which `to` has one value.
  Node reduce(cudnnReduceTensorOp_t operator_, Node from, Node to) {
    Descriptor how(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
    how.set(CUDNN_ATTR_REDUCTION_OPERATOR, operator_);
    how.set(CUDNN_ATTR_REDUCTION_COMP_TYPE, f32);
    how.finalise();
    Descriptor operation(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
    operation.set(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, from);
    operation.set(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, to);
    return add(std::move(how), std::move(operation), CUDNN_ATTR_OPERATION_REDUCTION_DESC, to);
  }

  /// Gives values another order of dimensions: `to` has the strides of `from`, in its own order.
  Node reshape(Node from, Node to) {
    Descriptor operation(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);
    operation.set(CUDNN_ATTR_OPERATION_RESHAPE_XDESC, from);
    operation.set(CUDNN_ATTR_OPERATION_RESHAPE_YDESC, to);
    return add(std::move(operation), to);
  }

  OperationGraph finish(cudnnHandle_t handle) { return {std::move(parts_), std::move(operations_), handle}; }

 private:
  Node tensor(std::int64_t id, const Layout& layout, cudnnDataType_t type, bool inner, bool by_value) {
    Descriptor made(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    made.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, id);
    made.set(CUDNN_ATTR_TENSOR_DATA_TYPE, type);
    made.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, tensor_alignment);
    made.set(CUDNN_ATTR_TENSOR_DIMENSIONS, std::span<const std::int64_t>(layout.sizes));
    made.set(CUDNN_ATTR_TENSOR_STRIDES, std::span<const std::int64_t>(layout.strides));
    made.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, inner);
    made.set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, by_value);
    made.finalise();
    return parts_.emplace_back(std::move(made)).get();
  }

  Node pointwise(cudnnPointwiseMode_t mode, cudnnDataType_t type, std::optional<std::int64_t> axis, Node left,
                 Node right, Node condition, Node to) {
    Descriptor how(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    how.set(CUDNN_ATTR_POINTWISE_MODE, mode);
    how.set(CUDNN_ATTR_POINTWISE_MATH_PREC, type);
    if (axis) how.set(CUDNN_ATTR_POINTWISE_AXIS, *axis);
    how.finalise();
    Descriptor operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, left);
    if (right) operation.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, right);
    if (condition) operation.set(CUDNN_ATTR_OPERATION_POINTWISE_TDESC, condition);
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, to);
    return add(std::move(how), std::move(operation), CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, to);
  }

  Node add(Descriptor how, Descriptor operation, cudnnBackendAttributeName_t name, Node to) {
    operation.set(name, how.get());
    parts_.push_back(std::move(how));
    return add(std::move(operation), to);
  }
  Node add(Descriptor operation, Node to) {
    operation.finalise();
    operations_.push_back(std::move(operation));
    return to;
  }

  std::int64_t inner_id_ = 100;  ///< above those of Bound
  std::vector<Descriptor> parts_, operations_;
};

/// Returns the scores with those of later keys replaced: key > query.
Node masked(Builder& graph, Node scores, const Layout& layout) {
  const Node row = graph.index(scores, 2, graph.inner(layout, CUDNN_DATA_INT32));
  const Node column = graph.index(scores, 3, graph.inner(layout, CUDNN_DATA_INT32));
  const Node seen =
      graph.apply(CUDNN_POINTWISE_CMP_GE, row, column, graph.inner(layout, CUDNN_DATA_BOOLEAN), CUDNN_DATA_BOOLEAN);
  return graph.select(seen, scores, graph.number(unseen), graph.inner(layout));
}

}  // namespace

OperationGraph::OperationGraph(std::vector<Descriptor> tensors, std::vector<Descriptor> operations,
                               cudnnHandle_t handle)
    : tensors_(std::move(tensors)),
      operations_(std::move(operations)),
      graph_(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR) {
  std::vector<cudnnBackendDescriptor_t> addresses;
  for (const Descriptor& operation : operations_) addresses.push_back(operation.get());
  if (handle) graph_.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, handle);
  graph_.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, std::span<const cudnnBackendDescriptor_t>(addresses));
  graph_.finalise();
}

OperationGraph forward_graph(const Shape& shape, cudnnHandle_t handle) {
  const Layouts at(shape);
  Builder graph;
  const Node q = graph.in_memory(queries, at.packed, bf16), k = graph.in_memory(keys, at.packed.transposed(), bf16),
             v = graph.in_memory(values, at.packed, bf16);
  // S = Q K^T / sqrt(head size)
  Node s = graph.multiply(q, k, graph.inner(at.scores));
  s = graph.apply(CUDNN_POINTWISE_MUL, s, graph.number(score_scale), graph.inner(at.scores));
  if (shape.causal) s = masked(graph, s, at.scores);
  // P = softmax(S), L = log of each row's sum of exp(S). The second product takes 16-bit weights.
  const Node most = graph.reduce(CUDNN_REDUCE_TENSOR_MAX, s, graph.inner(at.rows));
  const Node below = graph.apply(CUDNN_POINTWISE_SUB, s, most, graph.inner(at.scores));
  const Node e = graph.apply(CUDNN_POINTWISE_EXP, below, nullptr, graph.inner(at.scores));
  const Node sum = graph.reduce(CUDNN_REDUCE_TENSOR_ADD, e, graph.inner(at.rows));
  const Node log_sum = graph.apply(CUDNN_POINTWISE_LOG, sum, nullptr, graph.inner(at.rows));
  graph.apply(CUDNN_POINTWISE_ADD, most, log_sum, graph.in_memory(logsumexp, at.rows, f32));
  const Node p = graph.apply(CUDNN_POINTWISE_DIV, e, sum, graph.inner(at.scores, bf16));
  // O = P V
  graph.multiply(p, v, graph.in_memory(out, at.plain, bf16));
  return graph.finish(handle);
}

OperationGraph backward_graph(const Shape& shape, cudnnHandle_t handle) {
  const Layouts at(shape);
  const Layout across = at.scores.transposed();
  Builder graph;
  const Node q = graph.in_memory(queries, at.packed, bf16), kt = graph.in_memory(keys, at.packed.transposed(), bf16),
             vt = graph.in_memory(values, at.packed.transposed(), bf16), o = graph.in_memory(out, at.plain, bf16),
             l = graph.in_memory(logsumexp, at.rows, f32), d_out = graph.in_memory(out_gradient, at.plain, bf16);
  // D = rowsum(dO * O). The factor of 1 is part of the pattern: dropout's is there otherwise.
  const Node products = graph.apply(CUDNN_POINTWISE_MUL, d_out, o, graph.inner(at.plain));
  const Node sums = graph.reduce(CUDNN_REDUCE_TENSOR_ADD, products, graph.inner(at.rows));
  const Node d = graph.apply(CUDNN_POINTWISE_MUL, sums, graph.number(one), graph.in_memory(row_sums, at.rows, f32));
  // P = exp(S - L), zero where a key is not seen
  const Node scale = graph.number(score_scale);
  Node s = graph.multiply(q, kt, graph.inner(at.scores));
  s = graph.apply(CUDNN_POINTWISE_MUL, s, scale, graph.inner(at.scores));
  s = graph.apply(CUDNN_POINTWISE_SUB, s, l, graph.inner(at.scores));
  if (shape.causal) s = masked(graph, s, at.scores);
  const Node p = graph.apply(CUDNN_POINTWISE_EXP, s, nullptr, graph.inner(at.scores));
  // dV = P^T dO
  const Node pt = graph.reshape(p, graph.inner(across, bf16));
  graph.multiply(pt, d_out, graph.in_memory(values_gradient, at.packed, bf16));
  // dP = dO V^T, dS = P * (dP - D) / sqrt(head size)
  Node ds = graph.multiply(d_out, vt, graph.inner(at.scores));
  ds = graph.apply(CUDNN_POINTWISE_SUB, ds, d, graph.inner(at.scores));
  ds = graph.apply(CUDNN_POINTWISE_MUL, ds, p, graph.inner(at.scores));
  ds = graph.apply(CUDNN_POINTWISE_MUL, ds, scale, graph.inner(at.scores));
  // dK = dS^T Q
  const Node dst = graph.reshape(ds, graph.inner(across, bf16));
  graph.multiply(dst, q, graph.in_memory(keys_gradient, at.packed, bf16));
  // dQ = dS K. Written at once, not added up in memory: cuDNN then keeps dS in its workspace, and the sums' order.
  const Node k = graph.reshape(kt, graph.inner(at.packed, bf16));
  graph.multiply(ds, k, graph.in_memory(queries_gradient, at.packed, bf16));
  return graph.finish(handle);
}

}  // namespace pipedeck::runtime::cuda::fused
