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

/// oneDNN writes its kernels when it is first asked for a product, and ends the process where there is no memory for
/// them. Called before there are threads that take memory at the same time, this throws std::bad_alloc instead.
void write_product_kernels();

/// Limits the calling thread to one core: oneDNN's thread count is per calling thread, and a worker represents one
/// device.
void use_one_thread();

}  // namespace pipedeck
