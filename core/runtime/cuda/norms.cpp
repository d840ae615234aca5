// SPDX-License-Identifier: Apache-2.0
// Normalisations of a position over the hidden width: with its mean, gain and shift, or by the root mean square, with a
// gain.
#include <utility>

#include "core/runtime/cuda/kernels.hpp"
#include "core/runtime/cuda/layers.hpp"

namespace pipedeck::runtime::cuda {
namespace {

class LayerNorm final : public CudaLayer {
 public:
  LayerNorm(const ModelLayer& layer, std::unique_ptr<layers::LayerKernel> on_processor)
      : CudaLayer(std::move(on_processor)), hidden_(layer.size("hidden")), sequence_(layer.size("sequence")) {}

  tensor::Tensor forward(tensor::Tensor input, std::span<const float> parameters,
                         layers::SavedTensors& saved) const override {
    tensor::Tensor output = input.empty_like();
    tensor::Tensor mean(input.memory(), input.samples(), sequence_), inverse = mean.empty_like();
    layer_norm(CudaDevice::of(input).stream(), output.data(), mean.data(), inverse.data(), input.data(),
               parameters.data(), parameters.data() + hidden_, rows(input), hidden_);
    saved.tensors.push_back(std::move(input));
    saved.tensors.push_back(std::move(mean));
    saved.tensors.push_back(std::move(inverse));
    return output;
  }

  /// The weight gradient consists of two sums over values that the input gradient reads anyway: computed here, added
  /// there.
  tensor::Tensor backward_input(tensor::Tensor output_gradient, std::span<const float> parameters,
                                layers::SavedTensors& saved, bool wanted) const override {
    const tensor::Tensor& input = saved.tensors[0];
    CudaDevice& device = CudaDevice::of(input);
    tensor::Tensor sums = tensor::Tensor::zeros(input.memory(), 1, 2 * hidden_);
    tensor::Tensor gradient;
    if (wanted) gradient = input.empty_like();
    const float* const no_other = nullptr;
    layer_norm_backward(
        device.stream(), gradient.data(), no_other, sums.data(), sums.data() + hidden_, output_gradient.data(),
        input.data(), saved.tensors[1].data(), saved.tensors[2].data(), parameters.data(),
        device.context().workspace(layer_norm_backward_scratch(rows(input), hidden_)), rows(input), hidden_);
    saved.tensors.clear();
    saved.tensors.push_back(std::move(sums));
    return gradient;
  }

  void backward_weight(layers::SavedTensors& saved, std::span<float> gradients) const override {
    CudaDevice::of(saved.tensors[0]).add(gradients.data(), saved.tensors[0].data(), 2 * hidden_);
    saved.tensors.clear();
  }

 private:
  std::int64_t rows(const tensor::Tensor& input) const { return input.samples() * sequence_; }

  std::int64_t hidden_, sequence_;
};

}  // namespace

std::unique_ptr<layers::LayerKernel> make_layer_norm(const ModelLayer& layer,
                                                     std::unique_ptr<layers::LayerKernel> on_processor) {
  return std::make_unique<LayerNorm>(layer, std::move(on_processor));
}

namespace {

class RmsNorm final : public CudaLayer {
 public:
  RmsNorm(const ModelLayer& layer, std::unique_ptr<layers::LayerKernel> on_processor)
      : CudaLayer(std::move(on_processor)),
        hidden_(layer.size("hidden")),
        sequence_(layer.size("sequence")),
        epsilon_(epsilon_of(layer)) {}

  tensor::Tensor forward(tensor::Tensor input, std::span<const float> parameters,
                         layers::SavedTensors& saved) const override {
    tensor::Tensor output = input.empty_like(), inverse(input.memory(), input.samples(), sequence_);
    rms_norm(CudaDevice::of(input).stream(), output.data(), inverse.data(), std::as_const(input).data(),
             parameters.data(), epsilon_, rows(input), hidden_);
    saved.tensors.push_back(std::move(input));
    saved.tensors.push_back(std::move(inverse));
    return output;
  }

  /// Sums the gain's gradient here, where the values that it needs are read anyway.
  tensor::Tensor backward_input(tensor::Tensor output_gradient, std::span<const float> parameters,
                                layers::SavedTensors& saved, bool wanted) const override {
    const tensor::Tensor& input = saved.tensors[0];
    CudaDevice& device = CudaDevice::of(input);
    tensor::Tensor sums = tensor::Tensor::zeros(input.memory(), 1, hidden_), gradient;
    if (wanted) gradient = input.empty_like();
    const float* const no_other = nullptr;
    rms_norm_backward(device.stream(), gradient.data(), no_other, sums.data(), std::as_const(output_gradient).data(),
                      input.data(), saved.tensors[1].data(), parameters.data(),
                      device.context().workspace(column_sums_scratch(rows(input), hidden_)), rows(input), hidden_);
    saved.tensors.clear();
    saved.tensors.push_back(std::move(sums));
    return gradient;
  }

  void backward_weight(layers::SavedTensors& saved, std::span<float> gradients) const override {
    CudaDevice::of(saved.tensors[0]).add(gradients.data(), saved.tensors[0].data(), hidden_);
    saved.tensors.clear();
  }

 private:
  std::int64_t rows(const tensor::Tensor& input) const { return input.samples() * sequence_; }

  std::int64_t hidden_, sequence_;
  float epsilon_;
};

}  // namespace

float epsilon_of(const ModelLayer& layer) {
  return static_cast<float>(1e-9 * static_cast<double>(layer.size("epsilon_billionths")));
}

std::unique_ptr<layers::LayerKernel> make_rms_norm(const ModelLayer& layer,
                                                   std::unique_ptr<layers::LayerKernel> on_processor) {
  return std::make_unique<RmsNorm>(layer, std::move(on_processor));
}

}  // namespace pipedeck::runtime::cuda
