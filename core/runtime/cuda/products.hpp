// SPDX-License-Identifier: Apache-2.0
// The three products of a layer's weights: its output, its input's gradient, its weights' gradient. Sums are 32-bit
// floats. Also the products of low-rank adapters.
#pragma once

#include "core/runtime/cuda/bf16_copy.hpp"
#include "core/runtime/cuda/device.hpp"
#include "core/runtime/layers/adapters.hpp"

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

// ---- low-rank adapters (layers/adapters.hpp) on rows of a matrix: v = x A, y += s v B and, from the gradient dy of
// the output, u = s dy B^T, dx += u A^T, dA = x^T u, dB = s v^T dy. Narrow rows v and u are floats for every precision,
// so that ranks can sum them. A place has a single product.

/// The adapters of a product, and all adapters of its kernel in device memory.
struct AdapterWeights {
  const layers::AdapterPlace& place;
  const float* adapters;
};

/// The rows of a product's input or output: `count` of them, those of all samples.
struct SampleRows {
  int samples;
  std::int64_t count;
};

/// Returns v, of `narrow()` values a row.
tensor::Tensor narrow_rows(CudaDevice& device, const AdapterWeights& of, const GemmOperand& in, const SampleRows& rows);
/// Adds s v B to the product's output. To is float or Bf16.
template <class To>
void add_adapted(CudaDevice& device, const AdapterWeights& of, To* out, const tensor::Tensor& v, std::int64_t rows);
/// Returns u, of `narrow()` values a row.
tensor::Tensor narrow_gradient(CudaDevice& device, const AdapterWeights& of, const GemmOperand& dy,
                               const SampleRows& rows);
/// Adds u A^T to the gradient of the product's input. To is float or Bf16.
template <class To>
void add_adapter_input_gradient(CudaDevice& device, const AdapterWeights& of, To* dx, const tensor::Tensor& u,
                                std::int64_t rows);
/// Adds the gradients of A and B, from the product's input, the gradient of its output, v and u.
void add_adapter_gradients(CudaDevice& device, const layers::AdapterPlace& place, float* gradients,
                           const GemmOperand& in, const GemmOperand& dy, const tensor::Tensor& v,
                           const tensor::Tensor& u, std::int64_t rows);

}  // namespace pipedeck::runtime::cuda
