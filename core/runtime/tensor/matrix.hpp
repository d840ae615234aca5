// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace pipedeck::runtime::tensor {

/// A row-major matrix in memory; `stride` floats from one row to the next. If `transposed`, its transpose is used.
struct Matrix {
  const float* data;
  std::int64_t stride;
  bool transposed = false;
};
inline tensor::Matrix transpose(const float* data, std::int64_t stride) { return {data, stride, true}; }

}  // namespace pipedeck::runtime::tensor
