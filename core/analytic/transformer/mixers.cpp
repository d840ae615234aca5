// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/transformer/mixers.hpp"

#include <algorithm>

namespace pipedeck::analytic::transformer {
namespace {

// Chunks in which kernels compute what is linear in the tokens: mamba_ssm's chunk_size, and that of flash-linear-
// attention.
constexpr double state_space_chunk = 256, linear_chunk = 64;

}  // namespace

void Mixers::mixer(times::LayerCount& layer) const {
  switch (c_->mixer) {
    case Mixer::attention:
      if (c_->compressed) return compressed_attention(layer, *c_->compressed);
      return c_->latent ? latent_attention(layer, *c_->latent) : self_attention(layer);
    case Mixer::state_space:
      return state_space(layer, c_->state_space.value_or(StateSpace{}));
    case Mixer::linear_attention:
      return linear_attention(layer, c_->linear_attention.value_or(LinearAttention{}));
    case Mixer::pictures:
      cross_attention(layer, true);
      add_whole(layer, "cross-attention head norms", "2 d", 2.0 * c_->head_width);
      layer.weights.back().by_heads = true;
      return add_whole(layer, "gates", "2", 2);
    case Mixer::none:
      return;
  }
}

/// Returns the fraction of all token pairs that is computed: kernels that do not store them skip masked pairs.
double Mixers::seen(bool causal) const {
  if (attention_ != AttentionMemory::fused) return 1;
  const int limit = c_->indexer ? c_->indexer->positions : c_->window;
  const double window = limit > 0 ? std::min<double>(limit, s_) : s_;
  const double share = window / s_;
  return causal ? share - share * share / 2 : std::min(1.0, 2 * share - share * share);
}

/// Adds attention with queries and keys of width `key`, values of width `value`. A fused kernel recomputes the scores
/// in its backward pass (FlashAttention, section 3.1); selective recomputation recomputes all of this.
void Mixers::attend(times::LayerCount& layer, double key, double value, bool causal) const {
  const bool fused = attention_ == AttentionMemory::fused, again = attention_ == AttentionMemory::selective;
  const double pairs = b_ * c_->heads * seen(causal);
  const std::string formula = seen(causal) == 1 ? "2 b a s^2 d" : "2 b a s^2 d x pairs seen";
  layer.gemms.push_back({"scores", formula, s_, key, s_, pairs, false, Cut::heads, fused, fused || again ? 3.0 : 2.0});
  layer.gemms.back().part = Part::attention_core;
  layer.gemms.push_back(
      {"weighted values", formula, s_, s_, value, pairs, false, Cut::heads, fused, again ? 3.0 : 2.0});
  layer.gemms.back().part = Part::attention_core;
  if (c_->sinks) layer.weights.push_back({"sinks", "a", static_cast<double>(c_->heads)});
  if (fused) {
    layer.saved.push_back({"row sums", "4 b a s", 4 * n() * c_->heads, true, Part::attention_core});
    ++layer.launches;
    return;
  }
  const double scores = b_ * c_->heads * s_ * s_;
  const bool dropout = c_->attention_dropout > 0;
  layer.score_traffic += (dropout ? 5 : 3) * w_ * scores;
  layer.recomputed_scores = again;
  layer.launches += 4;
  if (again) return;
  layer.saved.push_back({"softmax", "w b a s^2", w_ * scores, true, Part::attention_core});
  if (!dropout) return;
  layer.saved.push_back({"attention's dropout mask", "b a s^2", scores, true, Part::attention_core});
  layer.saved.push_back({"attention's dropout", "w b a s^2", w_ * scores, true, Part::attention_core});
}

void Mixers::self_attention(times::LayerCount& layer) const {
  const double q = heads_width(), groups = c_->key_value_heads;
  const double k = c_->makes_key_values ? groups * c_->head_width : 0;
  const double v = c_->makes_key_values && !c_->values_are_keys ? groups * value_width() : 0;
  const double gate = c_->gated_attention ? q : 0, columns = q + gate + k + v;
  if (norms_input()) norm(layer, "attention norm", Part::rest, Part::input);
  keep(layer, "queries, keys, values: input", "w n h", h(),
       {.part = norms_input() ? Part::rest : Part::input, .gathered = true});
  through(layer, "queries, keys, values", "h (a + 2 g) d", h(), columns,
          c_->bias_query_key_value ? columns - (c_->no_key_bias ? k : 0) : 0);
  if (c_->norm_heads || c_->norm_all_heads) {
    keep(layer, "head norms: input", "w n (a + g) d", q + k, {.divided = true, .key_values = k});
    if (c_->norm_heads) {
      add_whole(layer, "head norms", "2 d",
                (k > 0 ? 2.0 : 1.0) * c_->head_width * (c_->norm == NormKind::layer ? 2 : 1));
      layer.weights.back().by_heads = true;
    } else {
      layer.weights.push_back({"head norms", "(a + g) d", norm_weights(q + k)});
    }
    move(layer, {.bytes = 2 * pass(q + k), .divided = true, .launches = 0});
  }
  keep(layer, "queries and keys", "w n (a + g) d", q + k, {.divided = true, .key_values = k});
  attend(layer, c_->head_width, value_width(), c_->causal);
  const double values = c_->makes_key_values ? groups * value_width() : 0, output = c_->heads * value_width();
  keep(layer, "values", "w n g d", values, {.divided = true, .key_values = values});
  if (gate > 0) {
    keep(layer, "attention's gate", "2 w n a d", 2 * gate, {.divided = true});
    move(layer, {.bytes = 3 * pass(gate), .divided = true});
    ++layer.launches;
  }
  project(layer, output, "a d h", c_->bias_output);
}

void Mixers::project(times::LayerCount& layer, double width, const char* sizes, bool bias) const {
  keep(layer, "attention output: input", "w n a d", width, {.divided = true});
  through(layer, "attention output", sizes, width, h(), bias ? h() : 0, Cut::rows);
  join(layer, "attention");
}

void Mixers::latent_attention(times::LayerCount& layer, const LatentAttention& l) const {
  const double key = l.plain_width + l.rotary_width, queries = c_->heads * key;
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
          c_->heads * double(l.plain_width + l.value_width), 0, Cut::columns, Part::latent_up);
  if (c_->indexer && c_->makes_index) index_positions(layer, *c_->indexer, l.query_rank > 0 ? l.query_rank : h());
  keep(layer, "queries and keys", "2 w n a (dp + dr)", 2 * queries, {.divided = true, .part = Part::latent_up});
  attend(layer, key, l.value_width, c_->causal);
  keep(layer, "values", "w n a dv", static_cast<double>(c_->heads) * l.value_width,
       {.divided = true, .part = Part::latent_up});
  project(layer, static_cast<double>(c_->heads) * l.value_width, "a d h", c_->bias_output);
}

/// Adds an indexer: queries of its heads, one key per token, a weight of each head, and a score of every pair
/// (DeepSeek- V3.2). Each rank computes all of it.
void Mixers::index_positions(times::LayerCount& layer, const Indexer& index, double query_input) const {
  const double width = static_cast<double>(index.heads) * index.head_width;
  through(layer, "indexer's queries", "rq ai di", query_input, width, 0, Cut::none);
  through(layer, "indexer's keys", "h di", h(), index.head_width, 0, Cut::none);
  add_whole(layer, "indexer's norm", "2 di", 2.0 * index.head_width);
  through(layer, "indexer's weights", "h ai", h(), index.heads, 0, Cut::none);
  keep(layer, "indexer's queries, keys and weights", "w n (ai di + di + ai)", width + index.head_width + index.heads);
  layer.gemms.push_back({"indexer's scores", "b ai s^2 di", s_, double(index.head_width), s_, b_ * index.heads / 2,
                         false, Cut::none, attention_ == AttentionMemory::fused, 2.0});
  layer.gemms.back().part = Part::attention_core;
  ++layer.launches;
}

/// Adds what makes entries of several tokens: keys and gates of each token, summed with the gates as weights. Entries
/// that overlap have two series of both (DeepSeek-V4).
void Mixers::compress(times::LayerCount& layer, const std::string& name, double width, bool overlaps) const {
  const double series = overlaps ? 2 * width : width;
  through(layer, name + ": keys and gates", "2 h c", h(), 2 * series, 0, Cut::none);
  add_whole(layer, name + ": positions", "m c", c_->compression * series);
  add_whole(layer, name + ": norm", "d", width);
  keep(layer, name + ": keys and gates", "2 w n c", 2 * series);
  move(layer, {.bytes = 3 * pass(series)});
  layer.launches += 2;
}

/// Adds DeepSeek-V4's attention. Each rank computes all of its products, as its authors' plan does.
void Mixers::compressed_attention(times::LayerCount& layer, const CompressedAttention& x) const {
  const double d = c_->head_width, q = heads_width(), rank = x.query_rank;
  const double groups = x.output_groups, narrow = static_cast<double>(x.output_groups) * x.output_rank;
  norm(layer, "attention norm", Part::norm, Part::input);
  keep(layer, "attention input", "w n h", h(), {.part = Part::norm});
  through(layer, "queries, narrowed", "h rq", h(), rank, 0, Cut::none);
  add_whole(layer, "narrowed queries' norm", "rq", rank);
  keep(layer, "narrowed queries and their norm", "2 w n rq", 2 * rank);
  through(layer, "queries", "rq a d", rank, q, 0, Cut::none, Part::latent_up);
  through(layer, "keys", "h d", h(), d, 0, Cut::none);
  add_whole(layer, "keys' norm", "d", d);
  keep(layer, "queries and keys", "w n (2 a + 2) d", 2 * (q + d), {.part = Part::latent_up});
  double entries = std::min<double>(c_->window > 0 ? c_->window : s_, s_);  // the window's tokens are all seen
  const bool picks = c_->indexer && c_->makes_index && c_->compression > 0;
  if (c_->compression > 0) {
    compress(layer, "entries", d, picks);
    const double all = s_ / c_->compression / 2;  // of a token in the middle
    entries += picks ? std::min<double>(c_->indexer->positions, all) : all;
  }
  if (picks) {
    const Indexer& index = *c_->indexer;
    const double width = static_cast<double>(index.heads) * index.head_width;
    compress(layer, "indexer's entries", index.head_width, true);
    through(layer, "indexer's queries", "rq ai di", rank, width, 0, Cut::none);
    through(layer, "indexer's weights", "h ai", h(), index.heads, 0, Cut::none);
    keep(layer, "indexer's queries and weights", "w n (ai di + ai)", width + index.heads);
    scan(layer, {"indexer's scores", "b ai s^2 di / m", s_, double(index.head_width), s_ / c_->compression,
                 b_ * index.heads / 2});
  }
  const double pairs = b_ * c_->heads;
  layer.gemms.push_back({"scores", "2 n a d entries", s_, d, entries, pairs, false, Cut::none, true, 3.0});
  layer.gemms.back().part = Part::attention_core;
  layer.gemms.push_back({"weighted values", "2 n a d entries", s_, entries, d, pairs, false, Cut::none, true, 2.0});
  layer.gemms.back().part = Part::attention_core;
  add_whole(layer, "sinks", "a", c_->heads);
  layer.saved.push_back({"row sums", "4 b a s", 4 * n() * c_->heads, false, Part::attention_core});
  keep(layer, "output, narrowed: input", "w n a d", q);
  layer.gemms.push_back(
      {"output, narrowed", "2 n a d ro", n(), q / groups, double(x.output_rank), groups, true, Cut::none});
  add_whole(layer, "output, narrowed", "a d ro", q * x.output_rank);
  keep(layer, "attention output: input", "w n go ro", narrow);
  through(layer, "attention output", "go ro h", narrow, h(), 0, Cut::none);
  layer.launches += 3;
  join(layer, "attention");
}

void Mixers::convolution(times::LayerCount& layer, double channels, int length, bool bias) const {
  if (length == 0) return;
  keep(layer, "convolution: input", "w n c", channels, {.divided = true});
  layer.weights.push_back({"convolution", bias ? "c (length + 1)" : "c length", channels * (length + (bias ? 1 : 0))});
  move(layer, {.bytes = 2 * pass(channels), .divided = true});
  ++layer.launches;
}

/// Adds a product inside a scan's chunks. The backward computes it again, and both gradients.
void Mixers::scan(times::LayerCount& layer, const Scan& product) {
  layer.gemms.push_back(
      {product.name, product.formula, product.m, product.k, product.n, product.pairs, false, Cut::heads, true, 3.0});
  layer.gemms.back().part = Part::attention_core;
}

/// Adds linear attention in chunks (arXiv 2412.06464, section 3.3; arXiv 2401.04658): inside a chunk as attention,
/// between chunks by the heads' states.
void Mixers::linear_attention(times::LayerCount& layer, const LinearAttention& l) const {
  const double k = static_cast<double>(l.key_heads) * l.key_width;
  const double v = static_cast<double>(l.value_heads) * l.value_width;
  const double heads = l.value_heads, rank = l.gate_rank;
  const bool narrow = rank > 0, delta = l.decay != Decay::fixed;
  if (norms_input()) norm(layer, "attention norm", Part::rest, Part::input);
  keep(layer, "queries, keys, values: input", "w n h", h(),
       {.part = norms_input() ? Part::rest : Part::input, .gathered = true});
  const double scalars = l.decay == Decay::head ? 2 * heads : delta ? heads : 0;  // decay and write strength
  const double columns = 2 * k + v + (narrow ? 0 : v) + scalars;
  through(layer, "queries, keys, values", "h (2 ak dk + 2 av dv + 2 av)", h(), columns, 0);
  if (narrow) {
    through(layer, "gate, narrowed", "h r", h(), rank, 0, Cut::none);
    through(layer, "gate", "r av dv", rank, v, 0);
    keep(layer, "narrowed gate", "w n r", rank);
  }
  if (l.decay == Decay::channel) {
    through(layer, "decay, narrowed", "h r", h(), rank, 0, Cut::none);
    through(layer, "decay", "r ak dk", rank, k, 0);
    keep(layer, "narrowed decay and decay", "w n (r + ak dk)", rank + k);
  }
  if (delta) {
    const double steps = l.decay == Decay::channel ? k : heads;
    layer.weights.push_back({"decay and its bias", "2 av", heads + steps});
  }
  convolution(layer, 2 * k + v, l.convolution, false);
  const double chunk = std::min(linear_chunk, s_), chunks = n() / chunk * heads;
  const double dk = l.key_width, dv = l.value_width;
  keep(layer, "queries, keys, values", "w n (2 ak dk + av dv)", 2 * k + v, {.divided = true});
  scan(layer, {"scores in a chunk", "2 n Q av dk", chunk, dk, chunk, (delta ? 2 : 1) * chunks});
  scan(layer, {"values in a chunk", "2 n Q av dv", chunk, chunk, dv, (delta ? 2 : 1) * chunks});
  if (delta) scan(layer, {"keys in a chunk", "2 n Q av dk", chunk, chunk, dk, chunks});
  scan(layer, {"states", "2 n av dk dv", dk, chunk, dv, (delta ? 3 : 2) * chunks});
  layer.saved.push_back(
      {"states of the chunks", "w n / Q av dk dv", w_ * chunks * dk * dv, true, Part::attention_core});
  layer.launches += 4;
  const double gain = l.decay == Decay::fixed ? v : dv;
  keep(layer, "gate and output: input of the norm", "2 w n av dv", 2 * v, {.divided = true});
  layer.weights.push_back({"output norm", "dv", gain, l.decay == Decay::fixed ? 0 : gain});
  layer.weights.back().by_heads = l.decay != Decay::fixed;
  move(layer, {.bytes = 3 * pass(v), .divided = true});
  ++layer.launches;
  project(layer, v, "av dv h", false);
}

/// Adds Mamba's selective scan, bound by memory, or Mamba-2's in chunks (arXiv 2405.21060, section 6).
void Mixers::state_space(times::LayerCount& layer, const StateSpace& x) const {
  const double inner = x.inner, states = x.state, heads = x.heads, groups = std::max(1, x.groups);
  const double shared = heads > 0 ? 2 * groups * states : 0;
  if (norms_input()) norm(layer, "state-space norm", Part::rest, Part::input);
  keep(layer, "state space: input", "w n h", h(), {.part = norms_input() ? Part::rest : Part::input, .gathered = true});
  const double columns = 2 * inner + shared + heads;
  through(layer, "state space in", "h (2 i + 2 g N + a)", h(), columns, x.bias ? columns : 0);
  convolution(layer, inner + shared, x.convolution, x.bias_convolution);
  keep(layer, "channels and gate", "2 w n i", 2 * inner, {.divided = true});
  if (heads > 0) {
    layer.weights.push_back({"decay, skip and steps' bias", "3 a", 3 * heads});
    const double chunk = std::min(state_space_chunk, s_), chunks = n() / chunk, width = inner / heads;
    keep(layer, "input and output matrices, steps", "w n (2 g N + a)", shared + heads, {.divided = true});
    scan(layer, {"scores in a chunk", "2 n Q g N", chunk, states, chunk, chunks * groups});
    scan(layer, {"channels in a chunk", "2 n Q i", chunk, chunk, width, chunks * heads});
    scan(layer, {"states of the chunks", "2 n i N", states, chunk, width, chunks * heads});
    scan(layer, {"output of the states", "2 n i N", chunk, states, width, chunks * heads});
    layer.saved.push_back(
        {"states of the chunks", "w n / Q i N", w_ * chunks * inner * states, true, Part::attention_core});
    keep(layer, "output norm: input", "w n i", inner, {.divided = true});
    layer.weights.push_back({"output norm", "i", inner});
    move(layer, {.bytes = 4 * pass(inner), .divided = true});
    layer.launches += 6;
  } else {
    const double rank = x.step_rank, narrow = rank + 2 * states;
    through(layer, "steps and matrices", "i (r + 2 N)", inner, narrow, 0, Cut::rows);
    through(layer, "steps", "r i", rank, inner, inner);
    if (x.norms) add_whole(layer, "norms of steps and matrices", "r + 2 N", narrow);
    keep(layer, "steps and matrices", "w n (r + 2 N)", narrow * (x.norms ? 2 : 1));
    keep(layer, "steps", "w n i", inner, {.divided = true});
    layer.weights.push_back({"decay and skip", "i (N + 1)", inner * (states + 1)});
    move(layer, {.bytes = 5 * pass(inner) + 2 * pass(2 * states), .divided = true});
    layer.launches += 2;
  }
  project(layer, inner, "i h", x.bias);
}

void Mixers::cross_attention(times::LayerCount& layer, bool first) const {
  const double q = heads_width(), kv = static_cast<double>(c_->key_value_heads) * c_->head_width;
  norm(layer, "cross-attention norm");
  keep(layer, "cross-attention queries: input", "w n h", h(), {.gathered = true});
  if (first) keep(layer, "encoder's output", "w n h", h(), {.part = Part::input, .gathered = true});
  through(layer, "cross-attention queries", "h a d", h(), q, c_->bias_query_key_value ? q : 0);
  through(layer, "cross-attention keys and values", "2 h g d", h(), 2 * kv,
          c_->bias_query_key_value ? (c_->no_key_bias ? kv : 2 * kv) : 0);
  keep(layer, "cross-attention queries and keys", "w n (a + g) d", q + kv, {.divided = true, .key_values = kv});
  attend(layer, c_->head_width, c_->head_width, false);
  keep(layer, "cross-attention values", "w n g d", kv, {.divided = true, .key_values = kv});
  project(layer, q, "a d h", c_->bias_output);
}

}  // namespace pipedeck::analytic::transformer
