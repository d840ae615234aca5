// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/products.hpp"

#include "core/runtime/cuda/kernels.hpp"

namespace pipedeck::cuda {
namespace {

DeviceMatrix matrix(const float* data, std::int64_t stride, bool transposed = false) {
  return {data, stride, Element::fp32, transposed};
}

}  // namespace

void product(CudaDevice& device, const ProductShape& shape, float* output, const float* input, const float* weights,
             const float* bias) {
  const auto& [rows, in, out] = shape;
  const DeviceMatrix left = matrix(input, in), right = matrix(weights, out);
  const DeviceResult result{output, out, Element::fp32};
  Epilogue added;
  added.bias = bias;
  Products& products = device.products();
  const bool at_once = bias != nullptr && products.possible(rows, out, in, left, right, result, added);
  products.multiply(rows, out, in, left, right, result, 0, 1, at_once ? added : Epilogue());
  if (bias != nullptr && !at_once) add_bias(device.stream(), output, bias, rows, out);
}

void product_backward(CudaDevice& device, const ProductShape& shape, float* input_gradient,
                      const float* output_gradient, const float* weights) {
  const auto& [rows, in, out] = shape;
  device.products().multiply(rows, in, out, matrix(output_gradient, out), matrix(weights, out, true),
                             {input_gradient, in, Element::fp32});
}

void add_product_gradient(CudaDevice& device, const ProductShape& shape, float* weights_gradient, const float* input,
                          const float* output_gradient) {
  const auto& [rows, in, out] = shape;
  device.products().multiply(in, out, rows, matrix(input, in, true), matrix(output_gradient, out),
                             {weights_gradient, out, Element::fp32}, 1);
}

void add_bias_gradient(CudaDevice& device, float* sums, const float* values, std::int64_t rows, std::int64_t columns) {
  add_column_sums(device.stream(), sums, values, device.context().workspace(column_sums_scratch(rows, columns)), rows,
                  columns);
}

}  // namespace pipedeck::cuda
