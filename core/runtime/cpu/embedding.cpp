// SPDX-License-Identifier: Apache-2.0
// Token and position embedding: output row t = token_table[id of t] + position_table[t]. The second table is optional.
#include <algorithm>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "core/runtime/cpu/attention.hpp"
#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/layers/context.hpp"
#include "core/runtime/layers/sharded_layer.hpp"
#include "core/runtime/layers/size_reader.hpp"

namespace pipedeck::runtime::cpu {
namespace {

class Embedding final : public layers::LayerKernel {
 public:
  /// `positions`: the row of the second table of each of a sample's `sequence` tokens; empty without that table.
  Embedding(std::int64_t vocabulary, std::int64_t hidden, std::int64_t sequence, std::int64_t table,
            std::vector<std::int64_t> positions)
      : layers::LayerKernel(sequence, sequence * hidden, (vocabulary + table) * hidden),
        vocabulary_(vocabulary),
        hidden_(hidden),
        positions_(std::move(positions)) {}

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
      if (!positions_.empty()) add(to, positions + position(row) * hidden_, hidden_);
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
      if (!positions_.empty()) add(positions + position(row) * hidden_, from, hidden_);
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

  std::int64_t position(std::int64_t row) const {
    return positions_[static_cast<std::size_t>(row) % positions_.size()];
  }

  std::int64_t vocabulary_, hidden_;
  std::vector<std::int64_t> positions_;
};

/// `context`: the seat of a context rank, or null.
Result<std::unique_ptr<layers::LayerKernel>> embedding_of(const ModelLayer& layer,
                                                          const layers::ContextShard* context) {
  layers::SizeReader size(layer);
  const std::int64_t vocabulary = size("vocabulary"), hidden = size("hidden"), sequence = size("sequence");
  const bool positions = size("positions") == 1;
  TRY_VOID(size.result());
  if (!positions) return std::make_unique<Embedding>(vocabulary, hidden, sequence, 0, std::vector<std::int64_t>());
  return std::make_unique<Embedding>(vocabulary, hidden, sequence, context ? context->sequence : sequence,
                                     context ? context->positions(context->rank) : all_positions(sequence));
}

}  // namespace

Result<std::unique_ptr<layers::LayerKernel>> make_embedding(const ModelLayer& layer) {
  return embedding_of(layer, nullptr);
}

Result<std::unique_ptr<layers::LayerKernel>> make_context_embedding(const ModelLayer& layer,
                                                                    const layers::ContextShard& context,
                                                                    const layers::LayerSharding* sharding) {
  if (!sharding) return embedding_of(layer, &context);
  const auto own = [context](const ModelLayer& part) { return embedding_of(part, &context); };
  layers::PartKinds kinds;
  kinds.layers = {{layer.kind, own}};
  return layers::smaller_layers(std::move(kinds)).at(layer.kind)(layer, *sharding);
}

}  // namespace pipedeck::runtime::cpu
