// SPDX-License-Identifier: Apache-2.0
// Normalisations of a position over the hidden width: with its mean, gain and shift (Ba, Kiros, Hinton, 2016), or by
// the root mean square, with a gain (Zhang and Sennrich, arXiv 1910.07467). Batch norm normalises a channel over
// samples.
#include <algorithm>

#include "core/runtime/cpu/cpu_ops.hpp"
#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cpu/rms.hpp"
#include "core/runtime/layers/batch_norm_layer.hpp"
#include "core/runtime/layers/size_reader.hpp"

namespace pipedeck::runtime::cpu {
namespace {

class LayerNorm final : public layers::LayerKernel {
 public:
  LayerNorm(std::int64_t hidden, std::int64_t sequence)
      : layers::LayerKernel(sequence * hidden, sequence * hidden, 2 * hidden), hidden_(hidden), sequence_(sequence) {}

  void initialise(std::span<float> parameters, Random) const override {
    std::fill_n(parameters.data(), hidden_, 1.0f);
    std::fill_n(parameters.data() + hidden_, hidden_, 0.0f);
  }

  tensor::Tensor forward(tensor::Tensor input, std::span<const float> parameters,
                         layers::SavedTensors& saved) const override {
    tensor::Tensor output = input.empty_like();
    tensor::Tensor mean(input.memory(), input.samples(), sequence_), inverse = mean.empty_like();
    layer_norm(output.data(), mean.data(), inverse.data(), input.data(), parameters.data(), parameters.data() + hidden_,
               rows(input), hidden_);
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
    tensor::Tensor sums = tensor::Tensor::zeros(input.memory(), 1, 2 * hidden_);
    tensor::Tensor gradient;
    if (wanted) gradient = tensor::Tensor::zeros(input.memory(), input.samples(), input.width());
    layer_norm_backward(gradient.data(), sums.data(), sums.data() + hidden_, output_gradient.data(), input.data(),
                        saved.tensors[1].data(), saved.tensors[2].data(), parameters.data(), rows(input), hidden_);
    saved.tensors.clear();
    saved.tensors.push_back(std::move(sums));
    return gradient;
  }

  void backward_weight(layers::SavedTensors& saved, std::span<float> gradients) const override {
    add(gradients.data(), saved.tensors[0].data(), 2 * hidden_);
    saved.tensors.clear();
  }

 private:
  std::int64_t rows(const tensor::Tensor& input) const { return input.samples() * sequence_; }

  std::int64_t hidden_, sequence_;
};

}  // namespace

Result<std::unique_ptr<layers::LayerKernel>> make_layer_norm(const ModelLayer& layer) {
  const auto hidden = layers::size_of(layer, "hidden"), sequence = layers::size_of(layer, "sequence");
  for (const auto* size : {&hidden, &sequence})
    if (!*size) return tl::unexpected(size->error());
  return std::make_unique<LayerNorm>(*hidden, *sequence);
}

namespace {

class RmsNorm final : public layers::LayerKernel {
 public:
  RmsNorm(std::int64_t hidden, std::int64_t sequence, float epsilon)
      : layers::LayerKernel(sequence * hidden, sequence * hidden, hidden), norm_(hidden, epsilon) {}

  void initialise(std::span<float> parameters, Random) const override { std::ranges::fill(parameters, 1.0f); }

  tensor::Tensor forward(tensor::Tensor input, std::span<const float> parameters,
                         layers::SavedTensors& saved) const override {
    saved.tensors.resize(2);
    saved.tensors[0] = std::move(input);
    return norm_.forward(saved.tensors[0], parameters.data(), saved.tensors[1]);
  }

  /// Sums the gain's gradient here, where the values that it needs are read anyway.
  tensor::Tensor backward_input(tensor::Tensor output_gradient, std::span<const float> parameters,
                                layers::SavedTensors& saved, bool wanted) const override {
    const tensor::Tensor& input = saved.tensors[0];
    tensor::Tensor sums = tensor::Tensor::zeros(input.memory(), 1, this->parameters());
    tensor::Tensor gradient;
    if (wanted) gradient = tensor::Tensor::zeros(input.memory(), input.samples(), input.width());
    norm_.backward(gradient, sums.data(), output_gradient, input, saved.tensors[1], parameters.data());
    saved.tensors.clear();
    saved.tensors.push_back(std::move(sums));
    return gradient;
  }

  void backward_weight(layers::SavedTensors& saved, std::span<float> gradients) const override {
    add(gradients.data(), saved.tensors[0].data(), parameters());
    saved.tensors.clear();
  }

 private:
  Rms norm_;
};

}  // namespace

Result<std::unique_ptr<layers::LayerKernel>> make_rms_norm(const ModelLayer& layer) {
  layers::SizeReader size(layer);
  const std::int64_t hidden = size("hidden"), sequence = size("sequence");
  const float epsilon = epsilon_of(size("epsilon_billionths"));
  TRY_VOID(size.result());
  return std::make_unique<RmsNorm>(hidden, sequence, epsilon);
}

Result<std::unique_ptr<layers::LayerKernel>> make_batch_norm(const ModelLayer& layer) {
  layers::SizeReader size(layer);
  const std::int64_t channels = size("channels"), height = size("height"), width = size("width");
  const auto activation = static_cast<layers::Activation>(size("activation"));
  size.bounded("values per sample",
               static_cast<double>(channels) * static_cast<double>(height) * static_cast<double>(width));
  TRY_VOID(size.result());
  return std::make_unique<layers::BatchNorm<CpuOps>>(channels, height * width, activation);
}

}  // namespace pipedeck::runtime::cpu
