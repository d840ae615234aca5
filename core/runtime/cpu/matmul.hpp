// SPDX-License-Identifier: Apache-2.0
// Matrix products through oneDNN, on the calling thread alone if it has called use_one_thread.
#pragma once

#include <cstdint>

#include "core/runtime/tensor/matrix.hpp"

namespace pipedeck::runtime::cpu {

/// result (rows x columns) = keep * result + scale * left (rows x inner) * right (inner x columns).
void multiply(std::int64_t rows, std::int64_t columns, std::int64_t inner, tensor::Matrix left, tensor::Matrix right,
              float* result, std::int64_t result_stride, float keep = 0, float scale = 1);

/// Lets oneDNN generate its kernels, which it does at the first product. Without memory for them it ends the process.
/// Called before other threads allocate memory, this function throws std::bad_alloc instead.
void write_product_kernels();

/// Limits the calling thread to one core: oneDNN's thread count is per calling thread, and a worker represents one
/// device.
void use_one_thread();

}  // namespace pipedeck::runtime::cpu
