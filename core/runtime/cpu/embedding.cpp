// SPDX-License-Identifier: Apache-2.0
// Token and position embedding: output row t = token_table[id of t] + position_table[t].
#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/layers.hpp"

namespace pipedeck::runtime::cpu {
namespace {

class Embedding final : public layers::LayerKernel {
 public:
  Embedding(std::int64_t vocabulary, std::int64_t hidden, std::int64_t sequence)
      : layers::LayerKernel(sequence, sequence * hidden, (vocabulary + sequence) * hidden),
        vocabulary_(vocabulary),
        hidden_(hidden),
        sequence_(sequence) {}

  void initialise(std::span<float> parameters, Random random) const override {
    for (float& value : parameters) value = 0.02f * random.normal();  // GPT-2
  }

  tensor::Tensor forward(tensor::Tensor input, std::span<const float> parameters,
                         layers::SavedTensors& saved) const override {
    tensor::Tensor output(input.memory(), input.samples(), output_width());
    const float* positions = parameters.data() + vocabulary_ * hidden_;
    for (std::int64_t row = 0; row < input.size(); ++row) {
      float* to = output.data() + row * hidden_;
      std::copy_n(parameters.data() + token(input, row) * hidden_, hidden_, to);
      add(to, positions + row % sequence_ * hidden_, hidden_);
    }
    saved.tensors.push_back(std::move(input));
    return output;
  }

  tensor::Tensor backward_input(tensor::Tensor output_gradient, std::span<const float>, layers::SavedTensors& saved,
                                bool) const override {
    saved.tensors.push_back(std::move(output_gradient));
    return {};  // tokens have no gradient
  }

  void backward_weight(layers::SavedTensors& saved, std::span<float> gradients) const override {
    const tensor::Tensor& tokens = saved.tensors[0];
    const tensor::Tensor& gradient = saved.tensors[1];
    float* positions = gradients.data() + vocabulary_ * hidden_;
    for (std::int64_t row = 0; row < tokens.size(); ++row) {
      const float* from = gradient.data() + row * hidden_;
      add(gradients.data() + token(tokens, row) * hidden_, from, hidden_);
      add(positions + row % sequence_ * hidden_, from, hidden_);
    }
    saved.tensors.clear();
  }

 private:
  std::int64_t token(const tensor::Tensor& tokens, std::int64_t row) const {
    const auto id = static_cast<std::int64_t>(tokens.data()[row]);
    if (id < 0 || id >= vocabulary_)
      throw std::runtime_error(fmt::format("token {} is not in the vocabulary of {}", id, vocabulary_));
    return id;
  }

  std::int64_t vocabulary_, hidden_, sequence_;
};

}  // namespace

Result<std::unique_ptr<layers::LayerKernel>> make_embedding(const ModelLayer& layer) {
  const auto vocabulary = layers::size_of(layer, "vocabulary"), hidden = layers::size_of(layer, "hidden"),
             sequence = layers::size_of(layer, "sequence");
  for (const auto* size : {&vocabulary, &hidden, &sequence})
    if (!*size) return tl::unexpected(size->error());
  return std::make_unique<Embedding>(*vocabulary, *hidden, *sequence);
}

}  // namespace pipedeck::runtime::cpu
