// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/layers/published_tensors.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/model/layer_kinds.hpp"
#include "core/runtime/layers/decoder_layout.hpp"
#include "core/runtime/layers/layer_kernel.hpp"

namespace pipedeck::runtime::layers {
namespace {

class Lister {
 public:
  Lister(const ModelSpec& model, ExpertNames names) : model_(model), names_(names) {}

  Result<std::vector<PublishedTensor>> list() {
    for (layer_ = 0; layer_ < static_cast<std::size_t>(plannable_layers(model_)); ++layer_)
      if (!add(model_.layers[layer_]))
        return fail(ErrorCode::bad_input,
                    fmt::format("layer '{}' is of kind '{}', which no published model of these names has",
                                model_.layers[layer_].name, model_.layers[layer_].kind),
                    fmt::format("/layers/{}", layer_));
    return std::move(tensors_);
  }

 private:
  bool add(const ModelLayer& layer) {
    const std::int64_t h = find_size(layer, layer.kind == "linear" ? "in" : "hidden").value_or(0);
    if (layer.kind == "embedding") {
      if (layer.size("positions") != 0) return false;
      tensors_.push_back({"model.embed_tokens.weight", {layer.size("vocabulary"), h}, layer_, 0, h, 1});
    } else if (layer.kind == "rms_norm") {
      vector("model.norm.weight", 0, h);
    } else if (layer.kind == "linear") {
      if (layer.size("bias") != 0 || layer.size("activation") != 0) return false;
      if (is_tied(layer)) return true;  // the embedding's table
      product("lm_head.weight", 0, layer.size("out"), h, layer.size("out"));
    } else if (layer.kind == "attention" || layer.kind == "decoder") {
      ++block_;
      const std::int64_t end = attention(layer);
      if (layer.kind == "decoder") feed_forward(layer, end);
    } else if (layer.kind == "feed_forward") {
      feed_forward(layer, 0);
    } else if (layer.kind == "experts") {
      if (layer.size("shared_feed_forward") != 0 || layer.size("bias_rate_millionths") != 0) return false;
      experts(layer);
    } else {
      return false;
    }
    return true;
  }

  std::string in_block(const std::string& rest) const { return fmt::format("model.layers.{}.{}", block_, rest); }

  void vector(std::string name, std::int64_t first, std::int64_t count) {
    tensors_.push_back({std::move(name), {count}, layer_, first, 0, 1});
  }
  /// A product of in x out weights, whose rows are `stride` apart; published files have its transpose.
  void product(std::string name, std::int64_t first, std::int64_t out, std::int64_t in, std::int64_t stride) {
    tensors_.push_back({std::move(name), {out, in}, layer_, first, 1, stride});
  }

  /// Returns the end of its parameters.
  std::int64_t attention(const ModelLayer& layer) {
    const std::int64_t h = layer.size("hidden"), d = head_width(layer), q = layer.size("heads") * d,
                       k = key_value_heads(layer) * d;
    const bool bias = layer.size("bias_qkv") == 1, norms = layer.size("norm_heads") == 1;
    const AttentionLayout at(h, q, k, d, bias, norms);
    vector(in_block("input_layernorm.weight"), at.gain, h);
    product(in_block("self_attn.q_proj.weight"), at.query, q, h, q);
    product(in_block("self_attn.k_proj.weight"), at.key, k, h, k);
    product(in_block("self_attn.v_proj.weight"), at.value, k, h, k);
    if (bias) {
      vector(in_block("self_attn.q_proj.bias"), at.query_bias, q);
      vector(in_block("self_attn.k_proj.bias"), at.key_bias, k);
      vector(in_block("self_attn.v_proj.bias"), at.value_bias, k);
    }
    if (norms) {
      vector(in_block("self_attn.q_norm.weight"), at.query_gain, d);
      vector(in_block("self_attn.k_norm.weight"), at.key_gain, d);
    }
    product(in_block("self_attn.o_proj.weight"), at.out, h, q, h);
    return at.end;
  }

  void feed_forward(const ModelLayer& layer, std::int64_t begin) {
    const std::int64_t h = layer.size("hidden"), f = layer.size("feed_forward");
    const FeedForwardLayout at(h, f);
    vector(in_block("post_attention_layernorm.weight"), begin + at.gain, h);
    gated("mlp.gate_proj", "mlp.up_proj", "mlp.down_proj", begin + at.in, begin + at.out, h, f);
  }

  void gated(const std::string& gate, const std::string& up, const std::string& down, std::int64_t in, std::int64_t out,
             std::int64_t h, std::int64_t f) {
    product(in_block(gate + ".weight"), in, f, h, 2 * f);
    product(in_block(up + ".weight"), in + f, f, h, 2 * f);
    product(in_block(down + ".weight"), out, h, f, h);
  }

  void experts(const ModelLayer& layer) {
    const std::int64_t h = layer.size("hidden"), f = layer.size("feed_forward"), count = layer.size("experts");
    const ExpertLayout at(h, count, f, 0);
    const bool mixtral = names_ == ExpertNames::mixtral;
    const std::string part = mixtral ? "block_sparse_moe" : "mlp";
    vector(in_block("post_attention_layernorm.weight"), at.gain, h);
    product(in_block(part + ".gate.weight"), at.router, count, h, count);
    for (std::int64_t expert = 0; expert < count; ++expert) {
      const std::string own = fmt::format("{}.experts.{}.", part, expert);
      gated(own + (mixtral ? "w1" : "gate_proj"), own + (mixtral ? "w3" : "up_proj"),
            own + (mixtral ? "w2" : "down_proj"), at.in + expert * h * 2 * f, at.out + expert * f * h, h, f);
    }
  }

  const ModelSpec& model_;
  ExpertNames names_;
  std::size_t layer_ = 0;
  int block_ = -1;
  std::vector<PublishedTensor> tensors_;
};

}  // namespace

Result<std::vector<PublishedTensor>> published_tensors(const ModelSpec& model, ExpertNames names) {
  return Lister(model, names).list();
}

}  // namespace pipedeck::runtime::layers
