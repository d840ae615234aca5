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
  std::int64_t in_stride = 0;   ///< does the same for the input's gradient; 0: `in`
};

// T is float, or Bf16 for results that are rounded to 16 bits.

/// output = input * weights + bias. `bias` may be null.
template <class T>
void product(CudaDevice& device, const ProductShape& shape, T* output, const GemmOperand& input,
             const GemmOperand& weights, const float* bias);
/// before = input * weights + bias, after = gelu(before).
template <class T>
void product_gelu(CudaDevice& device, const ProductShape& shape, T* before, T* after, const GemmOperand& input,
                  const GemmOperand& weights, const float* bias);
/// input_gradient = output_gradient * transposed weights. Values between its rows are not written.
template <class T>
void product_backward(CudaDevice& device, const ProductShape& shape, T* input_gradient,
                      const GemmOperand& output_gradient, const GemmOperand& weights);
/// input_gradient = (output_gradient * transposed weights) * gelu'(before), for an input gelu(before).
template <class T>
void product_gelu_backward(CudaDevice& device, const ProductShape& shape, T* input_gradient, const T* before,
                           const GemmOperand& output_gradient, const GemmOperand& weights);
/// weights_gradient += transposed input * output_gradient.
void add_product_gradient(CudaDevice& device, const ProductShape& shape, float* weights_gradient,
                          const GemmOperand& input, const GemmOperand& output_gradient);
/// Does the same, and returns the gradient of the bias: the sums of the rows of the output's gradient, whose values are
/// those of the operand before it was rounded.
template <class T>
tensor::Tensor add_product_gradients(CudaDevice& device, const ProductShape& shape, float* weights_gradient,
                                     const GemmOperand& input, const GemmOperand& output_gradient, const T* values);
/// sums += the rows of `values`, which are floats or 16-bit values.
template <class T>
void add_bias_gradient(CudaDevice& device, float* sums, const T* values, const MatrixRows& of);

}  // namespace pipedeck::runtime::cuda
