// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/on_gpu.hpp"

#include "core/runtime/cuda/kernels.hpp"
#include "core/runtime/cuda/products.hpp"

namespace pipedeck::cuda {

Tensor OnGpu::activate(Activation activation, const Tensor& in) {
  Tensor out = in.like();
  const auto function = activation == Activation::gelu ? gelu<float> : relu<float>;
  function(CudaDevice::of(in).stream(), out.data(), in.data(), in.size());
  return out;
}

void OnGpu::activate_backward(Activation activation, Tensor& gradient, const Tensor& in) {
  const auto function = activation == Activation::gelu ? gelu_backward<float> : relu_backward<float>;
  function(CudaDevice::of(in).stream(), gradient.data(), in.data(), gradient.size());
}

void OnGpu::relu_in_place(Tensor& values) {
  relu(CudaDevice::of(values).stream(), values.data(), values.data(), values.size());
}

void OnGpu::add_bias(Tensor& values, const float* bias, std::int64_t columns) {
  cuda::add_bias(CudaDevice::of(values).stream(), values.data(), bias, values.size() / columns, columns);
}

void OnGpu::add_column_sums(float* sums, const Tensor& values, std::int64_t columns) {
  add_bias_gradient(CudaDevice::of(values), sums, values.data(), values.size() / columns, columns);
}

void OnGpu::multiply(const Tensor& where, const ProductRows& size, Matrix left, Matrix right, float* result,
                     std::int64_t result_stride, float keep) {
  const auto factor = [](const Matrix& m) { return DeviceMatrix{m.data, m.stride, Element::fp32, m.transposed}; };
  CudaDevice::of(where).products().multiply(size.rows, size.columns, size.inner, factor(left), factor(right),
                                            {result, result_stride, Element::fp32}, keep);
}

void OnGpu::lstm_step(const Tensor& where, const LstmStep& step) {
  cuda::lstm_step(CudaDevice::of(where).stream(), step);
}

void OnGpu::lstm_step_backward(const Tensor& where, const LstmStepBackward& step) {
  cuda::lstm_step_backward(CudaDevice::of(where).stream(), step);
}

}  // namespace pipedeck::cuda
