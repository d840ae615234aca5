// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/transformer/layers.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/analytic/transformer/block_configs.hpp"
#include "core/analytic/transformer/mixers.hpp"

namespace pipedeck::analytic::transformer {
namespace {

class Counter : public Mixers {
 public:
  Counter(const TransformerConfig& config, const CountOptions& options)
      : Mixers(config, options), model_config_(config), blocks_(config) {}

  CountedModel count() {
    add(embedding());
    for (int i = 0; i < model_config_.layers; ++i) add_block(i, false);
    const auto last_of_encoder = static_cast<int>(model_.layers.size()) - 1;
    for (int i = 0; i < model_config_.decoder_layers; ++i) add_block(i, true);
    c_ = &model_config_;
    for (int i = 0; i < model_config_.multi_token; ++i) add_multi_token(i);
    if (c_->norm_last) add(final_norm());
    if (c_->head != OutputHead::none || c_->pooler) {
      add(head());
      if (c_->head != OutputHead::none) add(loss());
    }
    if (c_->decoder_layers > 0) join_decoder(last_of_encoder);
    return std::move(model_);
  }

 private:
  void add(times::LayerCount layer) { model_.layers.push_back(std::move(layer)); }

  times::LayerCount embedding() const {
    times::LayerCount layer{.name = "embedding", .kind = "embedding"};
    const double width = c_->embedding_width > 0 ? c_->embedding_width : h();
    if (c_->vocabulary > 0) layer.weights.push_back({"tokens", "V h", static_cast<double>(c_->vocabulary) * width});
    if (c_->positions > 0) add_whole(layer, "positions", "rows h", c_->positions * h());
    if (c_->decoder_positions > 0) add_whole(layer, "decoder's positions", "rows h", c_->decoder_positions * h());
    if (c_->token_types > 0) add_whole(layer, "segments", "kinds h", c_->token_types * h());
    move(layer, {.bytes = 2 * pass(h())});
    layer.launches = 1;
    if (c_->embedding_width > 0) {
      keep(layer, "narrow words", "w n he", width);
      through(layer, "words to hidden", "he h", width, h(), 0, Cut::none);
    }
    if (c_->patches) add_patches(layer, *c_->patches);
    if (c_->words_of_blocks) add_words_of_blocks(layer, *c_->words_of_blocks);
    if (c_->norm_embedding) {
      norm(layer, "norm");
      if (c_->decoder_positions > 0) add_whole(layer, "decoder's norm", norm_formula(), norm_weights(h()));
    }
    save_mask(layer, c_->dropout, "dropout mask");
    layer.output = pass(h()) * std::max(1, c_->streams);
    layer.forward_reduced = pass(h());
    layer.is_embedding_input = true;
    return layer;
  }

  void add_patches(times::LayerCount& layer, const Patches& patches) const {
    keep(layer, "patches", "w n p", patches.numbers);
    through(layer, "patches", "p h", patches.numbers, h(), patches.bias ? h() : 0, Cut::none);
    layer.gemms.back().backward = 1;  // what is seen or heard needs no gradient
    if (patches.marks > 0) add_whole(layer, "marks", "marks h", patches.marks * h());
    if (patches.convolution == 0) return;
    keep(layer, "second convolution: input", "w n h", h());
    through(layer, "second convolution", "length h h", h() * patches.convolution, h(), patches.bias ? h() : 0,
            Cut::none);
  }

  /// Adds a second table, with `width` numbers of each word for each block, and their product from the embedding.
  void add_words_of_blocks(times::LayerCount& layer, const WordsOfBlocks& words) const {
    const double width = static_cast<double>(words.width) * c_->layers;
    layer.weights.push_back({"words of blocks", "V' l h'", static_cast<double>(words.vocabulary) * width});
    through(layer, "words of blocks", "h l h'", h(), width, 0, Cut::none);
    add_whole(layer, "norm of the words of blocks", "h'", words.width);
    keep(layer, "words of blocks", "2 w n l h'", 2 * width);
    move(layer, {.bytes = 3 * pass(width)});
  }

  void add_block(int index, bool decoder) {
    c_ = &blocks_.of(decoder ? -1 : index);
    const std::string name = fmt::format("{}_{}",
                                         decoder                            ? "decoder"
                                         : model_config_.decoder_layers > 0 ? "encoder"
                                                                            : "block",
                                         index);
    const int block = decoder ? -1 : index;
    times::LayerCount layer{.name = name, .kind = "transformer", .block = block};
    mixer(layer);
    if (c_->relative_buckets > 0 && (index == 0 || c_->relative_everywhere))
      layer.weights.push_back(
          {"relative positions", "buckets a", static_cast<double>(c_->relative_buckets) * c_->heads});
    if (decoder) cross_attention(layer, index == 0);
    const int mixers = (c_->mixer == Mixer::none ? 0 : 1) + (decoder ? 1 : 0);
    if (c_->experts && mixers > 0) {
      layer.kind = "attention";
      layer.name += c_->mixer == Mixer::attention ? ".attention" : ".mixer";
      finish(layer, mixers);
      layer = {.name = name + ".experts", .kind = "experts", .block = block};
    }
    if (c_->experts) {
      if (layer.kind == "transformer") layer.name += ".experts", layer.kind = "experts";
      experts(layer, *c_->experts);
      add_words_of_block(layer);
      finish(layer, 1);
      return;
    }
    if (c_->feed_forward > 0) feed_forward(layer);
    if (model_config_.decoder_layers > 0 && !decoder && index + 1 == model_config_.layers && c_->norm_last)
      norm(layer, "encoder's last norm");
    add_words_of_block(layer);
    finish(layer, mixers + (c_->feed_forward > 0 ? 1 : 0));
  }

  void add_words_of_block(times::LayerCount& layer) const {
    if (!c_->words_of_blocks) return;
    const double width = c_->words_of_blocks->width;
    keep(layer, "words of the block: input", "w n h", h());
    through(layer, "words of the block, narrowed", "h h'", h(), width, 0, Cut::none);
    keep(layer, "words of the block", "2 w n h'", 2 * width);
    through(layer, "words of the block", "h' h", width, h(), 0, Cut::none);
    norm(layer, "words of the block: last norm");
    move(layer, {.bytes = 3 * pass(h())});
    ++layer.launches;
  }

  /// Adds all-reduces: each part that tensor-parallel ranks share all-reduces its output in the forward pass and its
  /// input's gradient in the backward pass (Megatron-LM, arXiv 1909.08053, figure 4).
  void finish(times::LayerCount& layer, int reductions) {
    layer.output = pass(h()) * std::max(1, c_->streams);
    layer.forward_reduced = layer.backward_reduced = reductions * pass(h());
    add(std::move(layer));
  }

  void feed_forward(times::LayerCount& layer) const {
    switch (c_->norm_place) {
      case NormPlace::before:
      case NormPlace::around:
        norm(layer, "feed-forward norm", Part::feed_forward);
        break;
      case NormPlace::parallel:  // of the block's input, which attention's norm keeps
        add_whole(layer, "feed-forward norm", norm_formula(), norm_weights(h()));
        move(layer, {.bytes = 2 * pass(h()), .part = Part::feed_forward});
        ++layer.launches;
        break;
      case NormPlace::after:
      case NormPlace::shared:
        break;
    }
    if (c_->norm_place != NormPlace::shared)  // attention keeps the shared one
      keep(layer, "feed-forward: input", "w n h", h(), {.part = Part::feed_forward, .gathered = true});
    dense_part(layer, "feed-forward", c_->feed_forward, Part::feed_forward);
    join(layer, "feed-forward");
  }

  void dense_part(times::LayerCount& layer, const std::string& name, double f, Part part) const {
    const double in = c_->gated ? 2 * f : f;
    through(layer, name + " in", c_->gated ? "2 h f" : "h f", h(), in, c_->bias_feed_forward ? in : 0, Cut::columns,
            part);
    keep(layer, name + ": activation's input", c_->gated ? "2 w n f" : "w n f", in, {.divided = true, .part = part});
    keep(layer, name + " out: input", "w n f", f, {.divided = true, .part = part});
    through(layer, name + " out", "f h", f, h(), c_->bias_feed_forward ? h() : 0, Cut::rows, part);
    move(layer, {.bytes = pass(in + f), .divided = true, .part = part});
    ++layer.launches;
  }

  /// Spreads tokens evenly over the experts, which a trained router approaches.
  void experts(times::LayerCount& layer, const Experts& x) const {
    if (norms_input()) norm(layer, "feed-forward norm", Part::norm);
    keep(layer, "router and shared experts: input", "w n h", h(),
         {.part = Part::norm, .gathered = x.shared_feed_forward > 0});
    through(layer, "router", "h e", h(), x.count, x.score_bias ? x.count : 0, Cut::none, Part::router);
    layer.saved.push_back({"router's scores", "4 n e", 4 * n() * x.count, false, Part::router});
    const double routed = n() * x.per_token, f = x.feed_forward, in = c_->gated ? 2 * f : f;
    const char* in_sizes = c_->gated ? "2 h f" : "h f";
    const std::string in_formula = fmt::format("2 k n {}", in_sizes);
    layer.gemms.push_back({"experts in", in_formula, routed / x.count, h(), in, 1.0 * x.count, true, Cut::columns});
    layer.gemms.back().part = Part::experts;
    layer.gemms.push_back({"experts out", "2 k n f h", routed / x.count, f, h(), 1.0 * x.count, true, Cut::rows});
    layer.gemms.back().part = Part::experts;
    const double biases_in = x.bias ? in : 0, biases_out = x.bias ? h() : 0;
    layer.weights.push_back(
        {"experts in", fmt::format("e {}", in_sizes), x.count * (h() * in + biases_in), 0, Part::experts});
    layer.weights.push_back({"experts out", "e f h", x.count * (f * h() + biases_out), 0, Part::experts});
    keep(layer, "experts: input", "w k n h", x.per_token * h(), {.part = Part::experts});
    keep(layer, "experts: activation's input", c_->gated ? "2 w k n f" : "w k n f", x.per_token * in,
         {.divided = true, .part = Part::experts});
    keep(layer, "experts out: input", "w k n f", x.per_token * f, {.divided = true, .part = Part::expert_activation});
    keep(layer, expert_output, "w k n h", x.per_token * h(), {.part = Part::experts});
    move(layer, {.bytes = pass(x.per_token * (in + f)), .divided = true, .part = Part::expert_activation});
    move(layer, {.bytes = pass(x.per_token * 4 * h()), .part = Part::experts, .launches = 2});
    layer.launches += 2 * x.count + 3;
    if (x.shared_feed_forward > 0) dense_part(layer, "shared experts", x.shared_feed_forward, Part::shared_experts);
    if (x.shared_gate) through(layer, "shared experts' gate", "h", h(), 1, 0, Cut::none, Part::shared_experts);
    if (x.beside_dense) {
      add_whole(layer, "router's gain", "h", h());
      norm(layer, "experts' norm", Part::norm);
      norm(layer, "experts' last norm");
      dense_part(layer, "feed-forward", c_->feed_forward, Part::feed_forward);
      norm(layer, "feed-forward: norm before the sum");
    }
    join(layer, "feed-forward");
  }

  /// Adds a block that predicts one token more: from the last block's output and the next token's embedding, each
  /// behind a norm, through a 2h x h matmul and a block to the head, which all share (DeepSeek-V3, arXiv 2412.19437,
  /// section 2.2). One layer, since the head's weights are those of the model's end.
  void add_multi_token(int index) {
    times::LayerCount layer{.name = fmt::format("multi_token_{}", index), .kind = "multi_token"};
    norm(layer, "norm of the last block's output");
    norm(layer, "norm of the next token");
    keep(layer, "join: input", "2 w n h", 2 * h());
    through(layer, "join", "2 h h", 2 * h(), h(), 0, Cut::none);
    c_ = &blocks_.of(model_config_.layers - 1);
    mixer(layer);
    if (c_->experts)
      experts(layer, *c_->experts);
    else if (c_->feed_forward > 0)
      feed_forward(layer);
    c_ = &model_config_;
    norm(layer, "norm");
    const auto v = static_cast<double>(c_->vocabulary);
    keep(layer, "head: input", "w n h", h());
    layer.gemms.push_back({"words", "2 n h V", n(), h(), v, 1, true, Cut::columns});
    layer.saved.push_back({"scores", "4 n V", 4 * n() * v, true});
    move(layer, {.bytes = (2 * w_ + 4) * n() * v, .divided = true, .launches = 3});
    layer.launches += 3;
    finish(layer, 4);
  }

  times::LayerCount final_norm() const {
    times::LayerCount layer{.name = "final_norm", .kind = "layer_norm"};
    if (c_->streams > 0) {  // they become one
      const double streams = c_->streams;
      keep(layer, "streams", "w n N h", streams * h());
      through(layer, "weights of streams", "N h N", streams * h(), streams, 0, Cut::none);
      add_whole(layer, "biases and scale of streams", "N + 1", streams + 1);
    }
    norm(layer, "norm");
    layer.output = pass(h());
    return layer;
  }

  times::LayerCount head() const {
    times::LayerCount layer{.name = "head", .kind = "linear"};
    if (c_->pooler) {
      keep(layer, "pooler: input", "w n h", h());
      through(layer, "pooler", "h h", h(), h(), h(), Cut::none);
      layer.output = pass(h());
    }
    if (c_->head == OutputHead::none) return layer;
    const bool words = c_->head != OutputHead::classes;
    const double v = words ? static_cast<double>(c_->vocabulary) : c_->classes;
    if (c_->head == OutputHead::masked_language) {
      keep(layer, "transform: input", "w n h", h());
      through(layer, "transform", "h h", h(), h(), c_->bias_feed_forward ? h() : 0, Cut::none);
      keep(layer, "transform: activation's input", "w n h", h());
      move(layer, {.bytes = 2 * pass(h()), .launches = 0});
      norm(layer, "transform's norm");
    }
    if (!words) {  // of each sample
      layer.saved.push_back({"input", "w b h", w_ * b_ * h()});
      layer.gemms.push_back({"classes", "2 b h classes", b_, h(), v, 1, true, Cut::none});
      const double weights = v * (h() + (c_->head_bias ? 1 : 0));
      add_whole(layer, "classes", c_->head_bias ? "h classes + biases" : "h classes", weights);
      ++layer.launches;
      layer.output = w_ * b_ * v;
      return layer;
    }
    double width = h();
    if (c_->embedding_width > 0) {
      width = c_->embedding_width;
      keep(layer, "hidden to words: input", "w n h", h());
      through(layer, "hidden to words", "h he", h(), width, 0, Cut::none);
    }
    keep(layer, "input", "w n h", width, {.gathered = true});
    through(layer, "words", "h V", width, v, c_->head == OutputHead::masked_language || c_->head_bias ? v : 0);
    layer.output = pass(v);
    layer.backward_reduced = pass(h());
    return layer;
  }

  /// Scores are saved in 32 bits (Korthikanti et al., section 4.3).
  times::LayerCount loss() const {
    times::LayerCount layer{.name = "loss", .kind = "softmax_cross_entropy"};
    const bool words = c_->head != OutputHead::classes;
    const double scores = words ? n() * static_cast<double>(c_->vocabulary) : b_ * c_->classes;
    layer.saved.push_back({"scores", "4 n V", 4 * scores, true});
    move(layer, {.bytes = (w_ + 4) * scores, .divided = true, .launches = 2});
    layer.launches = 2;
    return layer;
  }

  /// Every decoder block attends to the output of the last encoder block. The decoder's own words come from the
  /// embedding.
  void join_decoder(int encoder_end) {
    const auto count = static_cast<int>(model_.layers.size());
    for (int i = 0; i + 1 < count; ++i) {
      const int from = i == encoder_end ? 0 : i;  // the first decoder block takes embedded words
      model_.edges.push_back({LayerId(from), LayerId(i + 1), {}});
    }
    for (int i = 0; i < c_->decoder_layers; ++i)
      model_.edges.push_back({LayerId(encoder_end), LayerId(encoder_end + 1 + i), {}});
  }

  const TransformerConfig& model_config_;
  const BlockConfigs blocks_;
  CountedModel model_;
};

}  // namespace

CountedModel count_layers(const TransformerConfig& config, const CountOptions& options) {
  return Counter(config, options).count();
}

double parameters_of(const TransformerConfig& config) {
  double sum = 0;
  for (const times::LayerCount& layer : count_layers(config, {}).layers) sum += times::weight_count(layer);
  const double width = config.embedding_width > 0 ? config.embedding_width : config.hidden;
  const bool shares = config.tied && config.head != OutputHead::none && config.head != OutputHead::classes;
  return sum - (shares ? static_cast<double>(config.vocabulary) * width : 0);
}

}  // namespace pipedeck::analytic::transformer
