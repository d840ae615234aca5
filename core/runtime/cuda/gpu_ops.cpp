// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/gpu_ops.hpp"

#include "core/runtime/cuda/kernels.hpp"
#include "core/runtime/cuda/products.hpp"

namespace pipedeck::runtime::cuda {

tensor::Tensor GpuOps::activate(layers::Activation activation, const tensor::Tensor& in) {
  tensor::Tensor out = in.empty_like();
  const auto function = activation == layers::Activation::gelu ? gelu<float> : relu<float>;
  function(CudaDevice::of(in).stream(), out.data(), in.data(), in.size());
  return out;
}

void GpuOps::activate_backward(layers::Activation activation, tensor::Tensor& gradient, const tensor::Tensor& in) {
  const auto function = activation == layers::Activation::gelu ? gelu_backward<float> : relu_backward<float>;
  function(CudaDevice::of(in).stream(), gradient.data(), in.data(), gradient.size());
}

void GpuOps::relu_in_place(tensor::Tensor& values) {
  relu(CudaDevice::of(values).stream(), values.data(), values.data(), values.size());
}

void GpuOps::add_bias(tensor::Tensor& values, const float* bias, std::int64_t columns) {
  cuda::add_bias(CudaDevice::of(values).stream(), values.data(), bias, values.size() / columns, columns);
}

void GpuOps::add_column_sums(float* sums, const tensor::Tensor& values, std::int64_t columns) {
  add_bias_gradient(CudaDevice::of(values), sums, values.data(), values.size() / columns, columns);
}

void GpuOps::multiply(const tensor::Tensor& where, const layers::ProductRows& size, tensor::Matrix left,
                      tensor::Matrix right, float* result, std::int64_t result_stride, float keep) {
  const auto factor = [](const tensor::Matrix& m) {
    return DeviceMatrix{m.data, m.stride, Element::fp32, m.transposed};
  };
  CudaDevice::of(where).gemms().multiply(size.rows, size.columns, size.inner, factor(left), factor(right),
                                         {result, result_stride, Element::fp32}, keep);
}

void GpuOps::lstm_step(const tensor::Tensor& where, const layers::LstmStep& step) {
  cuda::lstm_step(CudaDevice::of(where).stream(), step);
}

void GpuOps::lstm_step_backward(const tensor::Tensor& where, const layers::LstmStepBackward& step) {
  cuda::lstm_step_backward(CudaDevice::of(where).stream(), step);
}

}  // namespace pipedeck::runtime::cuda
