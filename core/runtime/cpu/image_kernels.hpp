// SPDX-License-Identifier: Apache-2.0
// Plain loops over images, which are stored row by row, pixel by pixel, with contiguous channels.
#pragma once

#include <cstdint>

#include "core/runtime/layers/shapes.hpp"

namespace pipedeck::runtime::cpu {

void max_pool(float* out, const float* in, const layers::PoolShape& shape, std::int64_t samples);
/// in_gradient += each output's gradient at its window's largest value; ties go to the first, row by row. `scratch`
/// holds two pixels.
void max_pool_backward(float* in_gradient, const float* out_gradient, const float* in, float* scratch,
                       const layers::PoolShape& shape, std::int64_t samples);
/// Computes the mean of the window's part inside the image: padding does not count.
void average_pool(float* out, const float* in, const layers::PoolShape& shape, std::int64_t samples);
/// in_gradient += each output's gradient, divided evenly over its window's part inside the image.
void average_pool_backward(float* in_gradient, const float* out_gradient, const layers::PoolShape& shape,
                           std::int64_t samples);

/// Computes the mean and 1 / sqrt(variance + 1e-5) of every column.
void column_statistics(float* mean, float* inverse, const float* in, std::int64_t rows, std::int64_t columns);
/// out = (in - mean) * inverse * gain + shift; `out` may be `in`.
void normalise_columns(float* out, const float* in, const float* mean, const float* inverse, const float* gain,
                       const float* shift, std::int64_t rows, std::int64_t columns);
/// gain_gradient and shift_gradient += their gradients; out_gradient is replaced by the input's gradient. Both sums
/// must be 0 before, because the input's gradient is computed from them.
void normalise_columns_backward(float* out_gradient, float* gain_gradient, float* shift_gradient, const float* in,
                                const float* mean, const float* inverse, const float* gain, std::int64_t rows,
                                std::int64_t columns);

}  // namespace pipedeck::runtime::cpu
