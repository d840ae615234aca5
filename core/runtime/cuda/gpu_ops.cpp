// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/gpu_ops.hpp"

#include <utility>

#include "core/runtime/cuda/batch_norm.hpp"
#include "core/runtime/cuda/kernels.hpp"
#include "core/runtime/cuda/products.hpp"

namespace pipedeck::runtime::cuda {

Convolution& ConvolutionPasses::convolution(const tensor::Tensor& where) const {
  return convolutions_.of(CudaDevice::of(where),
                          [&](Context& context) { return std::make_unique<Convolution>(context, shape_); });
}

tensor::Tensor ConvolutionPasses::forward(const tensor::Tensor& input, const float* parameters) const {
  tensor::Tensor output(input.memory(), input.samples(), shape_.out_values());
  const GemmOperand in(input);
  Bf16Copy out(output);
  convolution(input).forward(out.data(), in.data(), parameters, input.samples());
  out.finish();
  if (bias_)
    add_bias(CudaDevice::of(input).stream(), output.data(), parameters + shape_.weights(), output.size() / shape_.out,
             shape_.out);
  return output;
}

tensor::Tensor ConvolutionPasses::backward_input(const tensor::Tensor& output_gradient, const float* parameters) const {
  tensor::Tensor gradient(output_gradient.memory(), output_gradient.samples(), shape_.in_values());
  const GemmOperand out(output_gradient);
  Bf16Copy in(gradient);
  convolution(gradient).backward_input(in.data(), out.data(), parameters, gradient.samples());
  in.finish();
  return gradient;
}

void ConvolutionPasses::backward_weight(const tensor::Tensor& input, const tensor::Tensor& output_gradient,
                                        float* gradients) const {
  const GemmOperand in(input), out(output_gradient);
  convolution(input).backward_weight(gradients, in.data(), out.data(), input.samples());
  if (bias_)
    add_bias_gradient(CudaDevice::of(input), gradients + shape_.weights(), output_gradient.data(),
                      {output_gradient.size() / shape_.out, shape_.out});
}

namespace {

NormShape shape_of(const tensor::Tensor& images, std::int64_t channels) {
  return {images.samples(), images.width() / channels, channels, Element::fp32};
}

}  // namespace

tensor::Tensor BatchNormPasses::forward(const tensor::Tensor& input, const float* parameters,
                                        layers::ColumnStatistics& kept) const {
  kept.mean =
      tensor::Tensor(input.memory(), input.samples(), channels_);  // as on the CPU, though one row would suffice
  kept.inv_std = kept.mean.empty_like();
  tensor::Tensor output = input.empty_like();
  batch_norm(CudaDevice::of(input).context(), output.data(), kept.mean.data(), kept.inv_std.data(), input.data(),
             parameters, parameters + channels_, shape_of(input, channels_));
  return output;
}

tensor::Tensor BatchNormPasses::backward(tensor::Tensor& gradient, const tensor::Tensor& input,
                                         const layers::ColumnStatistics& statistics, const float* parameters) const {
  tensor::Tensor sums = tensor::Tensor::zeros(gradient.memory(), 1, 2 * channels_),
                 input_gradient = gradient.empty_like();
  batch_norm_backward(CudaDevice::of(input).context(), input_gradient.data(), sums.data(), sums.data() + channels_,
                      gradient.data(), input.data(), statistics.mean.data(), statistics.inv_std.data(), parameters,
                      shape_of(input, channels_));
  gradient = std::move(input_gradient);
  return sums;
}

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
  add_bias_gradient(CudaDevice::of(values), sums, values.data(), {values.size() / columns, columns});
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
