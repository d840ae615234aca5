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

/// oneDNN writes its kernels when it is first asked for a product, and ends the process where there is no memory for
/// them. Called before there are threads that take memory at the same time, this throws std::bad_alloc instead.
void write_product_kernels();

/// oneDNN's thread count is kept a calling thread: a worker stands for one device and uses one core.
void use_one_thread();

}  // namespace pipedeck
