// SPDX-License-Identifier: Apache-2.0
// Token and position embedding: output row t = token_table[id of t] + position_table[t]. The second table is optional.
// A tied embedding's first table is also the head's, so tensor-parallel ranks divide its words (arXiv 1909.08053,
// section 3): each adds the rows of its own words, and the ranks sum these.
#include <algorithm>
#include <optional>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "core/model/layer_kinds.hpp"
#include "core/runtime/cpu/attention.hpp"
#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/layers/context.hpp"
#include "core/runtime/layers/sharded_layer.hpp"
#include "core/runtime/layers/size_reader.hpp"

namespace pipedeck::runtime::cpu {
namespace {

/// The sizes of an embedding on a rank.
struct EmbeddingShape {
  std::int64_t vocabulary = 0, hidden = 0, sequence = 0;
  layers::ShardRange words;             ///< the rank's rows of the first table
  std::int64_t rows = 0;                ///< of the second table; 0: there is none
  std::vector<std::int64_t> positions;  ///< the row of the second table of each token of a sample
  bool tied = false;
  std::optional<layers::TensorParallelGroup> partners;  ///< ranks that have the other words
};

class Embedding final : public layers::LayerKernel {
 public:
  explicit Embedding(EmbeddingShape shape)
      : layers::LayerKernel(shape.sequence, shape.sequence * shape.hidden,
                            (shape.words.count + shape.rows) * shape.hidden),
        hidden_(shape.hidden),
        shape_(std::move(shape)) {}

  std::int64_t replicated_parameters() const override { return (shape_.vocabulary + shape_.rows) * hidden_; }
  std::int64_t table_parameters() const override { return shape_.tied ? words() : 0; }
  std::vector<layers::ParameterBlock> blocks() const override {
    if (parameters() == replicated_parameters()) return {{0, 1, parameters(), parameters()}};
    const std::int64_t others = shape_.rows * hidden_;
    std::vector<layers::ParameterBlock> all{{shape_.words.first * hidden_, 1, words(), words()}};
    if (others > 0) all.push_back({shape_.vocabulary * hidden_, 1, others, others});
    return all;
  }

  void initialise(std::span<float> parameters, Random random) const override {
    const auto draw = [&](std::span<float> values) {
      for (float& value : values) value = 0.02f * random.normal();  // GPT-2
    };
    if (std::ssize(parameters) == replicated_parameters()) return draw(parameters);
    std::vector<float> whole(static_cast<std::size_t>(replicated_parameters()));
    draw(whole);
    layers::extract_blocks(blocks(), whole, parameters);
  }

  tensor::Tensor forward(tensor::Tensor input, std::span<const float> parameters,
                         layers::SavedTensors& saved) const override {
    tensor::Tensor output(input.memory(), input.samples(), output_width());
    for (std::int64_t row = 0; row < input.size(); ++row) {
      float* to = output.data() + row * hidden_;
      if (const std::int64_t own = own_word(input, row); own >= 0)
        std::copy_n(parameters.data() + own * hidden_, hidden_, to);
      else
        std::fill_n(to, hidden_, 0.0f);
    }
    if (shape_.partners) shape_.partners->all_reduce(output);
    const float* positions = parameters.data() + words();
    for (std::int64_t row = 0; row < input.size() && !shape_.positions.empty(); ++row)
      add(output.data() + row * hidden_, positions + position(row) * hidden_, hidden_);
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
    float* positions = gradients.data() + words();
    for (std::int64_t row = 0; row < tokens.size(); ++row) {
      const float* from = gradient.data() + row * hidden_;
      if (const std::int64_t own = own_word(tokens, row); own >= 0)
        add(gradients.data() + own * hidden_, from, hidden_);
      if (!shape_.positions.empty()) add(positions + position(row) * hidden_, from, hidden_);
    }
    saved.tensors.clear();
  }

 private:
  std::int64_t token(const tensor::Tensor& tokens, std::int64_t row) const {
    const auto id = static_cast<std::int64_t>(tokens.data()[row]);
    if (id < 0 || id >= shape_.vocabulary)
      throw std::runtime_error(fmt::format("token {} is not in the vocabulary of {}", id, shape_.vocabulary));
    return id;
  }

  /// Returns the token's row of the rank's part of the table; less than 0 if another rank has it.
  std::int64_t own_word(const tensor::Tensor& tokens, std::int64_t row) const {
    const std::int64_t own = token(tokens, row) - shape_.words.first;
    return own < shape_.words.count ? own : -1;
  }
  std::int64_t words() const { return shape_.words.count * hidden_; }

  std::int64_t position(std::int64_t row) const {
    return shape_.positions[static_cast<std::size_t>(row) % shape_.positions.size()];
  }

  std::int64_t hidden_;
  EmbeddingShape shape_;
};

/// `context`: the seat of a context rank, or null.
Result<EmbeddingShape> shape_of(const ModelLayer& layer, const layers::ContextShard* context) {
  layers::SizeReader size(layer);
  EmbeddingShape shape{size("vocabulary"), size("hidden"), size("sequence"), {}, 0, {}, is_tied(layer), {}};
  const bool positions = size("positions") == 1;
  TRY_VOID(size.result());
  shape.words = {0, shape.vocabulary};
  if (!positions) return shape;
  shape.rows = context ? context->sequence : shape.sequence;
  shape.positions = context ? context->positions(context->rank) : all_positions(shape.sequence);
  return shape;
}

Result<std::unique_ptr<layers::LayerKernel>> embedding_of(const ModelLayer& layer,
                                                          const layers::ContextShard* context) {
  TRY(auto shape, shape_of(layer, context));
  return std::make_unique<Embedding>(std::move(shape));
}

}  // namespace

Result<std::unique_ptr<layers::LayerKernel>> make_embedding(const ModelLayer& layer) {
  return embedding_of(layer, nullptr);
}

Result<std::unique_ptr<layers::LayerKernel>> make_sharded_words(const ModelLayer& layer,
                                                                const layers::ContextShard* context,
                                                                const layers::LayerSharding& sharding) {
  TRY(auto shape, shape_of(layer, context));
  TRY_VOID(layers::check_shardable(layer, shape.vocabulary, "words", sharding.partners.shard()));
  shape.words = sharding.partners.local_range(shape.vocabulary);
  shape.partners = sharding.partners;
  return std::make_unique<Embedding>(std::move(shape));
}

Result<std::unique_ptr<layers::LayerKernel>> make_context_embedding(const ModelLayer& layer,
                                                                    const layers::ContextShard& context,
                                                                    const layers::LayerSharding* sharding) {
  if (!sharding) return embedding_of(layer, &context);
  if (is_tied(layer)) return make_sharded_words(layer, &context, *sharding);
  const auto own = [context](const ModelLayer& part) { return embedding_of(part, &context); };
  layers::PartKinds kinds;
  kinds.layers = {{layer.kind, own}};
  return layers::smaller_layers(std::move(kinds)).at(layer.kind)(layer, *sharding);
}

}  // namespace pipedeck::runtime::cpu
