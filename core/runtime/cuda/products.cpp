// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/products.hpp"

#include <type_traits>

#include "core/runtime/cuda/kernels.hpp"

namespace pipedeck::runtime::cuda {
namespace {

template <class T>
DeviceResult result_of(T* data, std::int64_t stride) {
  return {data, stride, std::is_same_v<T, float> ? Element::fp32 : Element::bf16};
}

/// cublasLt adds a bias of the result's element, but parameters are floats.
template <class T>
void multiply_and_add(CudaDevice& device, const ProductShape& shape, T* output, const GemmOperand& input,
                      const GemmOperand& weights, const float* bias) {
  const auto& [rows, in, out] = shape;
  const DeviceMatrix left = input.matrix(in), right = weights.matrix(out);
  const DeviceResult result = result_of(output, out);
  Epilogue added;
  added.bias = bias;
  GemmRunner& products = device.gemms();
  const bool at_once =
      bias != nullptr && std::is_same_v<T, float> && products.has_algorithm(rows, out, in, left, right, result, added);
  products.multiply(rows, out, in, left, right, result, 0, 1, at_once ? added : Epilogue());
  if (bias != nullptr && !at_once) add_bias(device.stream(), output, bias, rows, out);
}

template <class T>
void multiply_back(CudaDevice& device, const ProductShape& shape, T* input_gradient, const GemmOperand& output_gradient,
                   const GemmOperand& weights) {
  const auto& [rows, in, out] = shape;
  device.gemms().multiply(rows, in, out, output_gradient.matrix(out), weights.transposed(out),
                          result_of(input_gradient, in));
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
  const auto& [rows, in, out] = shape;
  device.gemms().multiply(in, out, rows, input.transposed(in), output_gradient.matrix(out),
                          result_of(weights_gradient, out), 1);
}

template <class T>
void add_bias_gradient(CudaDevice& device, float* sums, const T* values, std::int64_t rows, std::int64_t columns) {
  add_column_sums(device.stream(), sums, values, device.context().workspace(column_sums_scratch(rows, columns)), rows,
                  columns);
}
template void add_bias_gradient<float>(CudaDevice&, float*, const float*, std::int64_t, std::int64_t);
template void add_bias_gradient<Bf16>(CudaDevice&, float*, const Bf16*, std::int64_t, std::int64_t);

}  // namespace pipedeck::runtime::cuda
