// SPDX-License-Identifier: Apache-2.0
// The three products of a layer's weights: its output, its input's gradient, its weights' gradient. Sums are 32-bit
// floats.
#pragma once

#include "core/runtime/cuda/bf16_copy.hpp"
#include "core/runtime/cuda/device.hpp"

namespace pipedeck::runtime::cuda {

/// The shape of a product: `rows` of `in` values become rows of `out` values, through weights of in x out, row-major.
struct ProductShape {
  std::int64_t rows, in, out;
  std::int64_t out_stride = 0;  ///< from one row of the output to the next; 0: `out`
};

/// output = input * weights + bias. `bias` may be null.
void product(CudaDevice& device, const ProductShape& shape, float* output, const GemmOperand& input,
             const GemmOperand& weights, const float* bias);
/// Overload whose result is rounded to 16 bits.
void product(CudaDevice& device, const ProductShape& shape, Bf16* output, const GemmOperand& input,
             const GemmOperand& weights, const float* bias);
/// input_gradient = output_gradient * transposed weights.
void product_backward(CudaDevice& device, const ProductShape& shape, float* input_gradient,
                      const GemmOperand& output_gradient, const GemmOperand& weights);
void product_backward(CudaDevice& device, const ProductShape& shape, Bf16* input_gradient,
                      const GemmOperand& output_gradient, const GemmOperand& weights);
/// weights_gradient += transposed input * output_gradient.
void add_product_gradient(CudaDevice& device, const ProductShape& shape, float* weights_gradient,
                          const GemmOperand& input, const GemmOperand& output_gradient);
/// sums += the rows of `values`, which are floats or 16-bit values.
template <class T>
void add_bias_gradient(CudaDevice& device, float* sums, const T* values, const MatrixRows& of);

}  // namespace pipedeck::runtime::cuda
