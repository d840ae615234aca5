// SPDX-License-Identifier: Apache-2.0
// Root-mean-square normalisation over the hidden width, with a gain (Zhang and Sennrich, arXiv 1910.07467).
#include <algorithm>

#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cpu/rms.hpp"
#include "core/runtime/layers/size_reader.hpp"

namespace pipedeck::runtime::cpu {
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

}  // namespace pipedeck::runtime::cpu
