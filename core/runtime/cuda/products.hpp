// SPDX-License-Identifier: Apache-2.0
// The three products of a layer's weights: its output, its input's gradient, its weights' gradient.
#pragma once

#include "core/runtime/cuda/cuda_device.hpp"

namespace pipedeck::cuda {

/// `rows` of `in` values each become rows of `out` values, through weights of in x out, row-major floats.
struct ProductShape {
  std::int64_t rows, in, out;
};

/// output = input * weights + bias. `bias` may be null.
void product(CudaDevice& device, const ProductShape& shape, float* output, const float* input, const float* weights,
             const float* bias);
/// input_gradient = output_gradient * transposed weights.
void product_backward(CudaDevice& device, const ProductShape& shape, float* input_gradient,
                      const float* output_gradient, const float* weights);
/// weights_gradient += transposed input * output_gradient.
void add_product_gradient(CudaDevice& device, const ProductShape& shape, float* weights_gradient, const float* input,
                          const float* output_gradient);
/// sums += the rows of `values`.
void add_bias_gradient(CudaDevice& device, float* sums, const float* values, std::int64_t rows, std::int64_t columns);

}  // namespace pipedeck::cuda
