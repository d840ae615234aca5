// SPDX-License-Identifier: Apache-2.0
// Batch normalisation through cuDNN: every channel gets mean 0 and variance 1 over all pixels of the available samples,
// then a gain and a shift (core/runtime/cpu/cpu_ops.hpp).
#pragma once

#include <cstdint>

#include "core/runtime/cuda/context.hpp"

namespace pipedeck::runtime::cuda {

/// Images of `element` with `channels` contiguous; values per channel are 32-bit floats.
struct NormShape {
  std::int64_t samples, pixels, channels;  ///< pixels per sample
  Element element;
};

/// Stores mean and 1 / sqrt(variance + 1e-5) of each channel for the backward pass. `out` is another image than `in`.
void batch_norm(Context& context, void* out, float* mean, float* inverse, const void* in, const float* gain,
                const float* shift, const NormShape& shape);

/// in_gradient = the input's gradient, in another image than the rest; gain_gradient and shift_gradient += theirs.
void batch_norm_backward(Context& context, void* in_gradient, float* gain_gradient, float* shift_gradient,
                         const void* out_gradient, const void* in, const float* mean, const float* inverse,
                         const float* gain, const NormShape& shape);

}  // namespace pipedeck::runtime::cuda
