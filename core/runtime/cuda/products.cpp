// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/products.hpp"

#include <algorithm>
#include <type_traits>

#include "core/base/result.hpp"
#include "core/runtime/cuda/kernels.hpp"

namespace pipedeck::runtime::cuda {
namespace {

/// cublasLt adds a bias of the result's element, but parameters are floats. A product that also writes the values
/// between the output's rows, which are 0, has no bias for them.
template <class T>
void multiply_and_add(CudaDevice& device, const ProductShape& shape, T* output, const GemmOperand& input,
                      const GemmOperand& weights, const float* bias) {
  GemmResult<T> result(input.memory(), output, {shape.rows, shape.out, shape.out_stride});
  const std::int64_t columns = result.columns();
  ensure(columns <= weights.pitch(), "weights have values for every column of the result");
  const DeviceMatrix left = input.matrix(), right = weights.matrix();
  Epilogue added;
  added.bias = bias;
  GemmRunner& products = device.gemms();
  const bool at_once = bias != nullptr && std::is_same_v<T, float> && columns == shape.out &&
                       products.has_algorithm(shape.rows, columns, shape.in, left, right, result.matrix(), added);
  products.multiply(shape.rows, columns, shape.in, left, right, result.matrix(), 0, 1, at_once ? added : Epilogue());
  result.finish();
  if (bias != nullptr && !at_once) add_bias(device.stream(), output, bias, shape.rows, shape.out, shape.out_stride);
}

/// Sums over the columns of the output, or over those between its rows as well, which are 0 in both factors.
template <class T>
void multiply_back(CudaDevice& device, const ProductShape& shape, T* input_gradient, const GemmOperand& output_gradient,
                   const GemmOperand& weights) {
  const std::int64_t inner = output_gradient.pitch() == weights.pitch() ? weights.pitch() : shape.out;
  GemmResult<T> result(weights.memory(), input_gradient, {shape.rows, shape.in});
  device.gemms().multiply(shape.rows, shape.in, inner, output_gradient.matrix(), weights.transposed(), result.matrix());
  result.finish();
}

}  // namespace

void product(CudaDevice& device, const ProductShape& shape, float* output, const GemmOperand& input,
             const GemmOperand& weights, const float* bias) {
  multiply_and_add(device, shape, output, input, weights, bias);
}
void product(CudaDevice& device, const ProductShape& shape, Bf16* output, const GemmOperand& input,
             const GemmOperand& weights, const float* bias) {
  multiply_and_add(device, shape, output, input, weights, bias);
}

void product_backward(CudaDevice& device, const ProductShape& shape, float* input_gradient,
                      const GemmOperand& output_gradient, const GemmOperand& weights) {
  multiply_back(device, shape, input_gradient, output_gradient, weights);
}
void product_backward(CudaDevice& device, const ProductShape& shape, Bf16* input_gradient,
                      const GemmOperand& output_gradient, const GemmOperand& weights) {
  multiply_back(device, shape, input_gradient, output_gradient, weights);
}

void add_product_gradient(CudaDevice& device, const ProductShape& shape, float* weights_gradient,
                          const GemmOperand& input, const GemmOperand& output_gradient) {
  GemmResult<float> result(input.memory(), weights_gradient, {shape.in, shape.out}, true);
  const std::int64_t columns = std::min(result.columns(), output_gradient.pitch());
  device.gemms().multiply(shape.in, columns, shape.rows, input.transposed(), output_gradient.matrix(), result.matrix(),
                          result.keep());
  result.finish();
}

template <class T>
void add_bias_gradient(CudaDevice& device, float* sums, const T* values, const MatrixRows& of) {
  add_column_sums(device.stream(), sums, values, device.context().workspace(column_sums_scratch(of.rows, of.width)),
                  of.rows, of.width, of.stride);
}
template void add_bias_gradient<float>(CudaDevice&, float*, const float*, const MatrixRows&);
template void add_bias_gradient<Bf16>(CudaDevice&, float*, const Bf16*, const MatrixRows&);

}  // namespace pipedeck::runtime::cuda
