// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/transformer/layers.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace pipedeck::analytic::transformer {
namespace {

using times::Cut;
using times::Part;

/// A set of tags of a saved item.
struct Kept {
  bool divided = false;
  Part part = Part::rest;
  double key_values = 0;  ///< numbers per token
  bool gathered = false;
};

class Counter {
 public:
  Counter(const TransformerConfig& config, const CountOptions& options)
      : c_(config), s_(options.sequence), b_(options.micro_batch), w_(options.element), attention_(options.attention) {}

  CountedModel count() {
    add(embedding());
    for (int i = 0; i < c_.layers; ++i) add_block(i, false);
    const auto last_of_encoder = static_cast<int>(model_.layers.size()) - 1;
    for (int i = 0; i < c_.decoder_layers; ++i) add_block(i, true);
    if (c_.norm_last) add(final_norm());
    add(head());
    add(loss());
    if (c_.decoder_layers > 0) join_decoder(last_of_encoder);
    return std::move(model_);
  }

 private:
  // Sizes in elements.
  double n() const { return s_ * b_; }
  double h() const { return c_.hidden; }
  double heads_width() const { return static_cast<double>(c_.heads) * c_.head_width; }
  double key_value_width() const { return static_cast<double>(c_.key_value_heads) * c_.head_width; }
  double norm_weights(double width) const { return c_.norm == NormKind::layer ? 2 * width : width; }
  const char* norm_formula() const { return c_.norm == NormKind::layer ? "2 h" : "h"; }
  double pass(double numbers) const { return w_ * n() * numbers; }  ///< bytes of `numbers` elements per token

  void add(times::LayerCount layer) { model_.layers.push_back(std::move(layer)); }

  void keep(times::LayerCount& layer, std::string name, std::string formula, double numbers_a_token,
            const Kept& kept = {}) const {
    layer.saved.push_back({std::move(name), std::move(formula), pass(numbers_a_token), kept.divided, kept.part,
                           pass(kept.key_values), kept.gathered});
  }

  static void move(times::LayerCount& layer, const times::TrafficItem& item) {
    layer.elementwise_bytes += item.bytes;
    layer.traffic.push_back(item);
  }

  void save_mask(times::LayerCount& layer, double probability, std::string name) const {
    if (probability > 0) layer.saved.push_back({std::move(name), "n h", n() * h(), false});
  }

  /// Adds a matmul of n tokens with weights of `in` x `out`. After row shards, the ranks' outputs are summed, then each
  /// rank adds all biases.
  void through(times::LayerCount& layer, std::string name, std::string sizes, double in, double out, double bias,
               Cut cut = Cut::columns, Part part = Part::rest) const {
    const double whole = cut == Cut::none ? in * out + bias : cut == Cut::rows ? bias : 0;
    layer.gemms.push_back({name, "2 n " + sizes, n(), in, out, 1, true, cut});
    layer.gemms.back().part = part;
    layer.weights.push_back({name, sizes + (bias > 0 ? " + biases" : ""), in * out + bias, whole, part});
    ++layer.launches;
  }

  void add_whole(times::LayerCount& layer, std::string name, std::string formula, double count) const {
    layer.weights.push_back({std::move(name), std::move(formula), count, count});
  }

  /// `part`: of which the norm is; `input`: of which its input is.
  void norm(times::LayerCount& layer, std::string name, Part part = Part::rest, Part input = Part::rest) const {
    keep(layer, name + ": input", "w n h", h(), {.part = input});
    add_whole(layer, std::move(name), norm_formula(), norm_weights(h()));
    move(layer, {.bytes = 2 * pass(h()), .part = part});
    ++layer.launches;
  }

  /// Adds dropout and the sum with the residual.
  void join(times::LayerCount& layer, std::string name) const {
    save_mask(layer, c_.dropout, name + ": dropout mask");
    move(layer, {.bytes = 3 * pass(h())});
    ++layer.launches;
  }

  times::LayerCount embedding() const {
    times::LayerCount layer{.name = "embedding", .kind = "embedding"};
    layer.weights.push_back({"tokens", "V h", static_cast<double>(c_.vocabulary) * h()});
    if (c_.positions > 0) add_whole(layer, "positions", "rows h", c_.positions * h());
    if (c_.token_types > 0) add_whole(layer, "segments", "kinds h", c_.token_types * h());
    move(layer, {.bytes = 2 * pass(h())});
    layer.launches = 1;
    if (c_.norm_embedding) norm(layer, "norm");
    save_mask(layer, c_.dropout, "dropout mask");
    layer.output = pass(h());
    layer.forward_reduced = pass(h());
    layer.is_embedding_input = true;
    return layer;
  }

  bool has_experts(int block) const { return c_.experts && !std::ranges::binary_search(c_.experts->dense, block); }

  void add_block(int index, bool decoder) {
    const std::string name = fmt::format("{}_{}",
                                         decoder                 ? "decoder"
                                         : c_.decoder_layers > 0 ? "encoder"
                                                                 : "block",
                                         index);
    times::LayerCount layer{.name = name, .kind = "transformer"};
    c_.latent ? latent_attention(layer, *c_.latent) : self_attention(layer);
    if (c_.relative_buckets > 0 && index == 0)
      layer.weights.push_back({"relative positions", "buckets a", static_cast<double>(c_.relative_buckets) * c_.heads});
    if (decoder) cross_attention(layer, index == 0);
    if (has_experts(index)) {
      layer.kind = "attention";
      layer.name += ".attention";
      finish(layer, decoder ? 2 : 1);
      times::LayerCount routed{.name = name + ".experts", .kind = "experts"};
      experts(routed, *c_.experts);
      finish(routed, 1);
      return;
    }
    feed_forward(layer);
    if (c_.decoder_layers > 0 && !decoder && index + 1 == c_.layers) norm(layer, "encoder's last norm");
    finish(layer, decoder ? 3 : 2);
  }

  /// Adds all-reduces: each part that tensor-parallel ranks share all-reduces its output in the forward pass and its
  /// input's gradient in the backward pass (Megatron-LM, arXiv 1909.08053, figure 4).
  void finish(times::LayerCount& layer, int reductions) {
    layer.output = pass(h());
    layer.forward_reduced = layer.backward_reduced = reductions * pass(h());
    add(std::move(layer));
  }

  /// Returns the fraction of all token pairs that is computed: kernels that do not store them skip masked pairs.
  double seen(bool causal) const {
    if (attention_ != AttentionMemory::fused) return 1;
    const double window = c_.window > 0 ? std::min<double>(c_.window, s_) : s_;
    const double share = window / s_;
    return causal ? share - share * share / 2 : std::min(1.0, 2 * share - share * share);
  }

  /// Adds attention with queries and keys of width `key`, values of width `value`. A fused kernel recomputes the scores
  /// in its backward pass (FlashAttention, section 3.1); selective recomputation recomputes all of this.
  void attend(times::LayerCount& layer, double key, double value, bool causal) const {
    const bool fused = attention_ == AttentionMemory::fused, again = attention_ == AttentionMemory::selective;
    const double pairs = b_ * c_.heads * seen(causal);
    const std::string formula = seen(causal) == 1 ? "2 b a s^2 d" : "2 b a s^2 d x pairs seen";
    layer.gemms.push_back(
        {"scores", formula, s_, key, s_, pairs, false, Cut::heads, fused, fused || again ? 3.0 : 2.0});
    layer.gemms.back().part = Part::attention_core;
    layer.gemms.push_back(
        {"weighted values", formula, s_, s_, value, pairs, false, Cut::heads, fused, again ? 3.0 : 2.0});
    layer.gemms.back().part = Part::attention_core;
    if (fused) {
      layer.saved.push_back({"row sums", "4 b a s", 4 * n() * c_.heads, true, Part::attention_core});
      ++layer.launches;
      return;
    }
    const double scores = b_ * c_.heads * s_ * s_;
    const bool dropout = c_.attention_dropout > 0;
    layer.score_traffic += (dropout ? 5 : 3) * w_ * scores;
    layer.recomputed_scores = again;
    layer.launches += 4;
    if (again) return;
    layer.saved.push_back({"softmax", "w b a s^2", w_ * scores, true, Part::attention_core});
    if (!dropout) return;
    layer.saved.push_back({"attention's dropout mask", "b a s^2", scores, true, Part::attention_core});
    layer.saved.push_back({"attention's dropout", "w b a s^2", w_ * scores, true, Part::attention_core});
  }

  void self_attention(times::LayerCount& layer) const {
    const double q = heads_width(), kv = key_value_width();
    norm(layer, "attention norm", Part::rest, Part::input);
    keep(layer, "queries, keys, values: input", "w n h", h(), {.gathered = true});
    through(layer, "queries, keys, values", "h (a + 2 g) d", h(), q + 2 * kv, c_.bias_query_key_value ? q + 2 * kv : 0);
    if (c_.norm_heads) {
      keep(layer, "head norms: input", "w n (a + g) d", q + kv, {.divided = true, .key_values = kv});
      add_whole(layer, "head norms", "2 d", 2.0 * c_.head_width);
      layer.weights.back().by_heads = true;
      move(layer, {.bytes = 2 * pass(q + kv), .divided = true, .launches = 0});
    }
    keep(layer, "queries and keys", "w n (a + g) d", q + kv, {.divided = true, .key_values = kv});
    attend(layer, c_.head_width, c_.head_width, c_.causal);
    keep(layer, "values", "w n g d", kv, {.divided = true, .key_values = kv});
    project(layer, q);
  }

  void project(times::LayerCount& layer, double width) const {
    keep(layer, "attention output: input", "w n a d", width, {.divided = true});
    through(layer, "attention output", "a d h", width, h(), c_.bias_output ? h() : 0, Cut::rows);
    join(layer, "attention");
  }

  void latent_attention(times::LayerCount& layer, const LatentAttention& l) const {
    const double key = l.plain_width + l.rotary_width, queries = c_.heads * key;
    norm(layer, "attention norm", Part::norm, Part::input);
    keep(layer, "attention input", "w n h", h(), {.part = Part::norm});
    if (l.query_rank > 0) {
      through(layer, "queries, narrowed", "h rq", h(), l.query_rank, 0, Cut::none);
      add_whole(layer, "narrowed queries' norm", "rq", norm_weights(l.query_rank));
      keep(layer, "narrowed queries and their norm", "2 w n rq", 2.0 * l.query_rank);
      through(layer, "queries", "rq a (dp + dr)", l.query_rank, queries, 0, Cut::columns, Part::latent_up);
    } else {
      through(layer, "queries", "h a (dp + dr)", h(), queries, 0, Cut::columns, Part::latent_up);
    }
    through(layer, "keys and values, narrowed", "h (rkv + dr)", h(), l.key_value_rank + l.rotary_width, 0, Cut::none);
    add_whole(layer, "narrowed keys' norm", "rkv", norm_weights(l.key_value_rank));
    keep(layer, "narrowed keys and values and their norm", "2 w n rkv", 2.0 * l.key_value_rank);
    through(layer, "keys and values", "rkv a (dp + dv)", l.key_value_rank,
            c_.heads * double(l.plain_width + l.value_width), 0, Cut::columns, Part::latent_up);
    keep(layer, "queries and keys", "2 w n a (dp + dr)", 2 * queries, {.divided = true, .part = Part::latent_up});
    attend(layer, key, l.value_width, c_.causal);
    keep(layer, "values", "w n a dv", static_cast<double>(c_.heads) * l.value_width,
         {.divided = true, .part = Part::latent_up});
    project(layer, static_cast<double>(c_.heads) * l.value_width);
  }

  /// Adds queries from the decoder, and keys and values from the encoder's output, with the same number of tokens.
  void cross_attention(times::LayerCount& layer, bool first) const {
    const double q = heads_width(), kv = key_value_width();
    norm(layer, "cross-attention norm");
    keep(layer, "cross-attention queries: input", "w n h", h(), {.gathered = true});
    if (first) keep(layer, "encoder's output", "w n h", h(), {.part = Part::input, .gathered = true});
    through(layer, "cross-attention queries", "h a d", h(), q, c_.bias_query_key_value ? q : 0);
    through(layer, "cross-attention keys and values", "2 h g d", h(), 2 * kv, c_.bias_query_key_value ? 2 * kv : 0);
    keep(layer, "cross-attention queries and keys", "w n (a + g) d", q + kv, {.divided = true, .key_values = kv});
    attend(layer, c_.head_width, c_.head_width, false);
    keep(layer, "cross-attention values", "w n g d", kv, {.divided = true, .key_values = kv});
    project(layer, q);
  }

  void feed_forward(times::LayerCount& layer) const {
    norm(layer, "feed-forward norm", Part::feed_forward);
    keep(layer, "feed-forward: input", "w n h", h(), {.part = Part::feed_forward, .gathered = true});
    dense_part(layer, "feed-forward", c_.feed_forward, Part::feed_forward);
    join(layer, "feed-forward");
  }

  void dense_part(times::LayerCount& layer, const std::string& name, double f, Part part) const {
    const double in = c_.gated ? 2 * f : f;
    through(layer, name + " in", c_.gated ? "2 h f" : "h f", h(), in, c_.bias_feed_forward ? in : 0, Cut::columns,
            part);
    keep(layer, name + ": activation's input", c_.gated ? "2 w n f" : "w n f", in, {.divided = true, .part = part});
    keep(layer, name + " out: input", "w n f", f, {.divided = true, .part = part});
    through(layer, name + " out", "f h", f, h(), c_.bias_feed_forward ? h() : 0, Cut::rows, part);
    move(layer, {.bytes = pass(in + f), .divided = true, .part = part});
    ++layer.launches;
  }

  /// Spreads tokens evenly over the experts, which a trained router approaches.
  void experts(times::LayerCount& layer, const Experts& x) const {
    norm(layer, "feed-forward norm", Part::norm);
    keep(layer, "router and shared experts: input", "w n h", h(),
         {.part = Part::norm, .gathered = x.shared_feed_forward > 0});
    through(layer, "router", "h e", h(), x.count, x.score_bias ? x.count : 0, Cut::none, Part::router);
    layer.saved.push_back({"router's scores", "4 n e", 4 * n() * x.count, false, Part::router});
    const double routed = n() * x.per_token, f = x.feed_forward, in = c_.gated ? 2 * f : f;
    const char* in_sizes = c_.gated ? "2 h f" : "h f";
    const std::string in_formula = fmt::format("2 k n {}", in_sizes);
    layer.gemms.push_back({"experts in", in_formula, routed / x.count, h(), in, 1.0 * x.count, true, Cut::columns});
    layer.gemms.back().part = Part::experts;
    layer.gemms.push_back({"experts out", "2 k n f h", routed / x.count, f, h(), 1.0 * x.count, true, Cut::rows});
    layer.gemms.back().part = Part::experts;
    layer.weights.push_back({"experts in", fmt::format("e {}", in_sizes), x.count * h() * in, 0, Part::experts});
    layer.weights.push_back({"experts out", "e f h", x.count * f * h(), 0, Part::experts});
    keep(layer, "experts: input", "w k n h", x.per_token * h(), {.part = Part::experts});
    keep(layer, "experts: activation's input", c_.gated ? "2 w k n f" : "w k n f", x.per_token * in,
         {.divided = true, .part = Part::experts});
    keep(layer, "experts out: input", "w k n f", x.per_token * f, {.divided = true, .part = Part::expert_activation});
    keep(layer, expert_output, "w k n h", x.per_token * h(), {.part = Part::experts});
    move(layer, {.bytes = pass(x.per_token * (in + f)), .divided = true, .part = Part::expert_activation});
    move(layer, {.bytes = pass(x.per_token * 4 * h()), .part = Part::experts, .launches = 2});
    layer.launches += 2 * x.count + 3;
    if (x.shared_feed_forward > 0) dense_part(layer, "shared experts", x.shared_feed_forward, Part::shared_experts);
    if (x.shared_gate) through(layer, "shared experts' gate", "h", h(), 1, 0, Cut::none, Part::shared_experts);
    join(layer, "feed-forward");
  }

  times::LayerCount final_norm() const {
    times::LayerCount layer{.name = "final_norm", .kind = "layer_norm"};
    norm(layer, "norm");
    layer.output = pass(h());
    return layer;
  }

  times::LayerCount head() const {
    times::LayerCount layer{.name = "head", .kind = "linear"};
    const auto v = static_cast<double>(c_.vocabulary);
    if (c_.head == OutputHead::masked_language) {
      keep(layer, "transform: input", "w n h", h());
      through(layer, "transform", "h h", h(), h(), h(), Cut::none);
      keep(layer, "transform: activation's input", "w n h", h());
      move(layer, {.bytes = 2 * pass(h()), .launches = 0});
      norm(layer, "transform's norm");
    }
    keep(layer, "input", "w n h", h(), {.gathered = true});
    through(layer, "words", "h V", h(), v, c_.head == OutputHead::masked_language ? v : 0);
    layer.output = pass(v);
    layer.backward_reduced = pass(h());
    return layer;
  }

  /// Scores are saved in 32 bits (Korthikanti et al., section 4.3).
  times::LayerCount loss() const {
    times::LayerCount layer{.name = "loss", .kind = "softmax_cross_entropy"};
    const double scores = n() * static_cast<double>(c_.vocabulary);
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
    for (int i = 0; i < c_.decoder_layers; ++i)
      model_.edges.push_back({LayerId(encoder_end), LayerId(encoder_end + 1 + i), {}});
  }

  const TransformerConfig& c_;
  double s_, b_, w_;
  AttentionMemory attention_;
  CountedModel model_;
};

}  // namespace

CountedModel count_layers(const TransformerConfig& config, const CountOptions& options) {
  return Counter(config, options).count();
}

double parameters_of(const TransformerConfig& config) {
  double sum = 0;
  for (const times::LayerCount& layer : count_layers(config, {}).layers) sum += times::weight_count(layer);
  return sum - (config.tied ? static_cast<double>(config.vocabulary) * config.hidden : 0);
}

}  // namespace pipedeck::analytic::transformer
