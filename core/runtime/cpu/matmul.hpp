// SPDX-License-Identifier: Apache-2.0
// Matrix products through oneDNN, on the calling thread alone where use_one_thread was called on it.
#pragma once

#include <cstdint>

namespace pipedeck {

/// A row-major matrix in memory; `stride` floats from one row to the next. `transposed`: taken as its transpose.
struct Matrix {
  const float* data;
  std::int64_t stride;
  bool transposed = false;
};
inline Matrix transpose(const float* data, std::int64_t stride) { return {data, stride, true}; }

/// result (rows x columns) = keep * result + scale * left (rows x inner) * right (inner x columns).
void multiply(std::int64_t rows, std::int64_t columns, std::int64_t inner, Matrix left, Matrix right, float* result,
              std::int64_t result_stride, float keep = 0, float scale = 1);

/// oneDNN's thread count is kept a calling thread: a worker stands for one device and uses one core.
void use_one_thread();

}  // namespace pipedeck
