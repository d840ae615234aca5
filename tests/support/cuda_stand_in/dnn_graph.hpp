// SPDX-License-Identifier: Apache-2.0
// cuDNN's graph interface in the stand-in: what a finalised operation graph computes.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "tests/support/cuda_stand_in/dnn.hpp"

namespace cuda_stand_in {

/// Four sizes or four places: sample, head, position, value.
using Four = std::array<std::int64_t, 4>;

struct GraphTensor {
  std::int64_t id = 0, alignment = 0;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  Four sizes{}, strides{};
  bool inner = false;     ///< in no memory
  bool by_value = false;  ///< one number in the host's memory
  std::int64_t values() const { return sizes[0] * sizes[1] * sizes[2] * sizes[3]; }
  /// From the first value to behind the last, in values.
  std::int64_t span() const;
  bool operator==(const GraphTensor&) const = default;
};

struct GraphOperation {
  enum class Kind { product, pointwise, reduction, reshape } kind = Kind::product;
  cudnnPointwiseMode_t mode = CUDNN_POINTWISE_ADD;
  std::int64_t axis = 0;
  cudnnReduceTensorOp_t reduction = CUDNN_REDUCE_TENSOR_ADD;
  std::vector<GraphTensor> from;  ///< in the order left, right, condition
  GraphTensor to;
};

/// The operations of a graph, each behind those whose results it reads.
struct GraphProgram {
  std::vector<GraphOperation> operations;
  std::map<std::int64_t, GraphTensor> bound;  ///< tensors in memory, and numbers, by their unique ids
  std::size_t products() const;
};

/// Refuses operands that do not fit the operation.
void check_operation(const GraphOperation& operation);
/// Computes the operations one after the other, in 32-bit floats; results in no memory are rounded to their type.
void compute(const GraphProgram& program, const std::map<std::int64_t, void*>& addresses,
             const std::map<std::int64_t, float>& numbers);

}  // namespace cuda_stand_in
