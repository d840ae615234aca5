// SPDX-License-Identifier: Apache-2.0
// Token and position embedding: output row t = token_table[id of t] + position_table[t]. The second table is optional.
#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/layers/size_reader.hpp"

namespace pipedeck::runtime::cpu {
namespace {

class Embedding final : public layers::LayerKernel {
 public:
  Embedding(std::int64_t vocabulary, std::int64_t hidden, std::int64_t sequence, bool positions)
      : layers::LayerKernel(sequence, sequence * hidden, (vocabulary + (positions ? sequence : 0)) * hidden),
        vocabulary_(vocabulary),
        hidden_(hidden),
        sequence_(sequence),
        positions_(positions) {}

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
      if (positions_) add(to, positions + row % sequence_ * hidden_, hidden_);
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
      if (positions_) add(positions + row % sequence_ * hidden_, from, hidden_);
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
  bool positions_;  ///< each has a row of its own
};

}  // namespace

Result<std::unique_ptr<layers::LayerKernel>> make_embedding(const ModelLayer& layer) {
  layers::SizeReader size(layer);
  const std::int64_t vocabulary = size("vocabulary"), hidden = size("hidden"), sequence = size("sequence");
  const bool positions = size("positions") == 1;
  TRY_VOID(size.result());
  return std::make_unique<Embedding>(vocabulary, hidden, sequence, positions);
}

}  // namespace pipedeck::runtime::cpu
