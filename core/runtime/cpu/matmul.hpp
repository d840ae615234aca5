// SPDX-License-Identifier: Apache-2.0
// Matrix products through oneDNN, on the calling thread alone if it has called use_one_thread.
#pragma once

#include <cstdint>

namespace pipedeck {

/// A row-major matrix in memory; `stride` floats from one row to the next. If `transposed`, its transpose is used.
struct Matrix {
  const float* data;
  std::int64_t stride;
  bool transposed = false;
};
inline Matrix transpose(const float* data, std::int64_t stride) { return {data, stride, true}; }

/// result (rows x columns) = keep * result + scale * left (rows x inner) * right (inner x columns).
void multiply(std::int64_t rows, std::int64_t columns, std::int64_t inner, Matrix left, Matrix right, float* result,
              std::int64_t result_stride, float keep = 0, float scale = 1);

/// Lets oneDNN generate its kernels, which it does at the first product. Without memory for them it ends the process.
/// Called before other threads allocate memory, this function throws std::bad_alloc instead.
void write_product_kernels();

/// Limits the calling thread to one core: oneDNN's thread count is per calling thread, and a worker represents one
/// device.
void use_one_thread();

}  // namespace pipedeck
