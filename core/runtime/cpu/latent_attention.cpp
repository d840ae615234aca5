// SPDX-License-Identifier: Apache-2.0
// x + attention(x) with keys and values computed from one narrow vector per token (multi-head latent attention:
// DeepSeek-V2, arXiv 2405.04434, section 2.1). A part of each head's query and key has rotary positions; all heads
// share that part of the key.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/runtime/cpu/context_attention.hpp"
#include "core/runtime/cpu/halves.hpp"
#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/rms.hpp"
#include "core/runtime/cpu/rotary.hpp"
#include "core/runtime/layers/decoder_layout.hpp"
#include "core/runtime/layers/size_reader.hpp"

namespace pipedeck::runtime::cpu {
namespace {

struct LatentSizes {
  std::int64_t hidden, heads, query_rank, rank, plain, rotary, value, sequence, rotary_base;
  float epsilon;
  layers::AdapterChoice adapters;
  std::int64_t head() const { return plain + rotary; }  ///< width of a query or key
  std::int64_t queries() const { return heads * head(); }
  std::int64_t values() const { return heads * value; }
  std::int64_t both() const { return heads * (plain + value); }  ///< plain keys and values, head by head
  std::int64_t down() const { return rank + rotary; }
  layers::LatentLayout layout() const { return {hidden, query_rank, queries(), rank, rotary, both(), values()}; }
  /// Returns the products into the narrow query and out of it, down, up, and out.
  std::vector<layers::AdaptedProduct> products() const {
    const layers::LatentLayout at = layout();
    const auto product = [&](std::int64_t weight, std::int64_t from, std::int64_t to, layers::ProductCut cut,
                             bool with_few) {
      layers::AdaptedProduct made{weight, from, to, {}, cut};
      if (to > 0 && (with_few || adapters.targets != AdapterTargets::query_value)) made.joined = {{0, to}};
      return made;
    };
    using enum layers::ProductCut;
    return {product(at.query_down, hidden, query_rank, whole, false),
            product(at.query, query_rank > 0 ? query_rank : hidden, queries(), columns, true),
            product(at.down, hidden, down(), whole, false), product(at.up, rank, both(), columns, true),
            product(at.out, values(), hidden, rows, false)};
  }
  LatentSizes of(const layers::ShardRange& own) const {
    LatentSizes sizes = *this;
    sizes.heads = own.count;
    return sizes;
  }
};

/// Copies `count` columns of rows that are `from_stride` and `to_stride` floats apart.
void copy_columns(float* to, std::int64_t to_stride, const float* from, std::int64_t from_stride, std::int64_t rows,
                  std::int64_t count) {
  for (std::int64_t row = 0; row < rows; ++row) std::copy_n(from + row * from_stride, count, to + row * to_stride);
}

class LatentAttentionLayer final : public NormedHalf {
 public:
  /// `sizes.sequence` is the number of the context rank's positions.
  LatentAttentionLayer(const LatentSizes& sizes, const layers::ContextShard& context,
                       std::optional<layers::TensorParallelGroup> partners = {})
      : NormedHalf(sizes.sequence, sizes.hidden, sizes.epsilon, sizes.layout().end, {sizes.adapters, sizes.products()},
                   std::move(partners)),
        n_(sizes),
        products_(sizes.products()),
        attention_({.heads = sizes.heads,
                    .key_value_heads = sizes.heads,
                    .key_width = sizes.head(),
                    .value_width = sizes.value,
                    .queries = all_positions(context.sequence),
                    .keys = all_positions(context.sequence),
                    .causal = true},
                   context),
        at_(sizes.layout()),
        query_norm_(sizes.query_rank, sizes.epsilon),
        latent_norm_(sizes.rank, sizes.epsilon),
        angles_(attention_.positions(), sizes.rotary, {.base = static_cast<double>(sizes.rotary_base)}) {}

  LatentAttentionLayer(const LatentSizes& whole, const layers::ContextShard& context, const layers::ShardRange& own,
                       const layers::TensorParallelGroup& partners)
      : LatentAttentionLayer(whole.of(own), context, partners) {
    auto all = std::make_unique<LatentAttentionLayer>(whole, context);
    std::vector<layers::ParameterBlock> blocks = all->blocks_of(own);
    const auto of_heads = [&](std::int64_t width) {
      return layers::AdapterRange{{0, 1}, {own.first * width, own.count * width}};
    };
    const layers::AdapterRange all_of_it{{0, 1}, {}};
    set_whole(
        std::move(all), std::move(blocks),
        {all_of_it, of_heads(whole.head()), all_of_it, of_heads(whole.plain + whole.value), of_heads(whole.value)});
  }

  std::size_t forward_tensors() const override { return has_query_rank() ? forward_count : query_latent; }
  std::size_t backward_tensors() const override { return backward_count + narrow_tensors(); }

  void discard(layers::SavedTensors& saved, const layers::RecomputedParts& parts) const override {
    using enum layers::RecomputedPart;
    auto& s = saved.tensors;
    if (parts.contains(norm)) s[normal].release();
    if (parts.contains(core_attention)) attention_.discard(s[key], s[value], s[probability]);
    if (parts.contains(latent_up)) s[query].release(), s[key].release(), s[value].release();
  }

  tensor::Tensor backward_input(tensor::Tensor dy, std::span<const float> parameters, layers::SavedTensors& saved,
                                bool wanted) const override {
    const HalfWeights p = weights_of(parameters, saved);
    NarrowRows narrow = no_narrow_rows();
    auto& s = saved.tensors;
    const tensor::Tensor own = gather_gradient(dy);
    tensor::Tensor gains = tensor::Tensor::zeros(dy.memory(), 1, n_.hidden + n_.query_rank + n_.rank);
    auto [dq, dk, dv] = attend_backward(p, s, dy, narrow);
    tensor::Tensor dboth, ddown;
    keys_and_values_backward(p, s, dk, dv, dboth, ddown, gains.data() + n_.hidden + n_.query_rank, narrow);
    angles_.rotate_back(dq.data() + n_.plain, rotated(dq));
    tensor::Tensor dlatent, query_input,
        dnormal = queries_backward(p, s, dq, dlatent, gains.data() + n_.hidden, narrow);
    add_project_backward(dnormal, ddown, n_.hidden, n_.down(), p + at_.down);
    add_adapter_backward(dnormal, ddown, p, downwards, narrow);
    keep_narrow_rows(s[normal], p, downwards, narrow, true);
    keep_own_tokens(dnormal);
    tensor::Tensor dx = input_gradient(own.empty() ? dy : own, dnormal, p, s, gains, wanted);
    if (has_query_rank()) query_input = std::move(s[query_latent_normal]);
    leave<backward_count>(
        s, {std::move(s[normal]), std::move(query_input), std::move(dq), std::move(dlatent), std::move(ddown),
            std::move(s[latent_normal]), std::move(dboth), std::move(s[context]), std::move(dy), std::move(gains)});
    leave_narrow_rows(s, std::move(narrow));
    return dx;
  }

  void backward_weight(layers::SavedTensors& saved, std::span<float> gradients) const override {
    const auto& s = saved.tensors;
    float* g = gradients.data();
    if (adapted()) {
      const AllTokens all = all_tokens(s[w_normal]);
      const tensor::Tensor& query_input = has_query_rank() ? s[w_query_input] : *all;
      add_gradients(g, query_downwards, *all, s[w_dlatent], s, backward_count);
      add_gradients(g, to_queries, query_input, s[w_dq], s, backward_count);
      add_gradients(g, downwards, *all, s[w_ddown], s, backward_count);
      add_gradients(g, upwards, s[w_latent], s[w_dboth], s, backward_count);
      add_gradients(g, out, s[w_context], s[w_dy], s, backward_count);
      return saved.tensors.clear();
    }
    add_weight_gradient(g + at_.out, s[w_context], n_.values(), s[w_dy], n_.hidden);
    add_weight_gradient(g + at_.up, s[w_latent], n_.rank, s[w_dboth], n_.both());
    const AllTokens in = all_tokens(s[w_normal]);
    add_weight_gradient(g + at_.down, *in, n_.hidden, s[w_ddown], n_.down());
    if (has_query_rank()) {
      add_weight_gradient(g + at_.query, s[w_query_input], n_.query_rank, s[w_dq], n_.queries());
      add_weight_gradient(g + at_.query_down, *in, n_.hidden, s[w_dlatent], n_.query_rank);
    } else {
      add_weight_gradient(g + at_.query, *in, n_.hidden, s[w_dq], n_.queries());
    }
    const float* gains = s[w_gains].data();
    add_gain_gradient(g, s[w_gains]);
    add(g + at_.query_gain, gains + n_.hidden, n_.query_rank);
    add(g + at_.latent_gain, gains + n_.hidden + n_.query_rank, n_.rank);
    saved.tensors.clear();
  }

 private:
  void draw(std::span<float> parameters, Random random) const override {
    std::ranges::generate(parameters, [&] { return 0.02f * random.normal(); });
    std::fill_n(parameters.data() + at_.gain, n_.hidden, 1.0f);
    std::fill_n(parameters.data() + at_.query_gain, n_.query_rank, 1.0f);
    std::fill_n(parameters.data() + at_.latent_gain, n_.rank, 1.0f);
  }

  tensor::Tensor compute(const HalfWeights& p, const tensor::Tensor& in,
                         std::vector<tensor::Tensor>& s) const override {
    make_queries(p, in, s);
    make_keys_and_values(p, in, s);
    s[context] = attend(s);
    tensor::Tensor output = project_adapted(s[context], p, products_[out], out);
    return output;
  }

  /// Repeats the narrow products, too: the rotary part of the keys is kept nowhere else.
  void restore_parts(const HalfWeights& p, std::vector<tensor::Tensor>& s,
                     const layers::RecomputedParts&) const override {
    if (s[query].empty()) {
      const AllTokens in = all_tokens(s[normal]);
      make_queries(p, *in, s), make_keys_and_values(p, *in, s);
      attend(s);
    } else if (s[probability].empty()) {
      attention_.restore(s[query], s[key], s[value], s[probability]);
    }
  }

  /// Returns the contexts of the queries, keys and values, which become those that the backward needs.
  tensor::Tensor attend(std::vector<tensor::Tensor>& s) const {
    AttentionTensors heads{std::move(s[query]), std::move(s[key]), std::move(s[value])};
    tensor::Tensor contexts = attention_.forward(heads, s[probability]);
    s[query] = std::move(heads.queries), s[key] = std::move(heads.keys), s[value] = std::move(heads.values);
    return contexts;
  }

  enum Product : std::size_t { query_downwards, to_queries, downwards, upwards, out };
  /// Tensors saved by forward, in this order; the last three where queries have a narrow vector.
  enum ForwardSaved : std::size_t {
    query = first_own,
    latent,
    latent_inverse,
    latent_normal,
    key,
    value,
    probability,
    context,
    query_latent,
    query_inverse,
    query_latent_normal,
    forward_count
  };
  enum WeightSaved : std::size_t {
    w_normal,
    w_query_input,
    w_dq,
    w_dlatent,
    w_ddown,
    w_latent,
    w_dboth,
    w_context,
    w_dy,
    w_gains,
    backward_count
  };

  bool has_query_rank() const { return n_.query_rank > 0; }
  std::int64_t rows(const tensor::Tensor& of_model) const { return of_model.size() / n_.hidden; }

  /// Returns the blocks of a rank with these heads, in the order of at_.
  std::vector<layers::ParameterBlock> blocks_of(const layers::ShardRange& own) const {
    const std::int64_t h = n_.hidden, q = n_.head(), both = n_.plain + n_.value,
                       query_rows = has_query_rank() ? n_.query_rank : h;
    return {{at_.gain, 1, at_.query, at_.query},  // and the narrow query's
            {at_.query + own.first * q, query_rows, own.count * q, n_.queries()},
            {at_.down, 1, at_.up - at_.down, at_.up - at_.down},
            {at_.up + own.first * both, n_.rank, own.count * both, n_.both()},
            {at_.out + own.first * n_.value * h, 1, own.count * n_.value * h, own.count * n_.value * h}};
  }

  /// Returns the parts of queries or keys that turn, from the first one on.
  RotatedHeads rotated(const tensor::Tensor& of_heads) const {
    return {of_heads.size() / n_.queries(), n_.queries(), n_.heads, n_.head()};
  }

  void make_queries(const HalfWeights& p, const tensor::Tensor& in, std::vector<tensor::Tensor>& s) const {
    if (has_query_rank()) {
      s[query_latent] = project_adapted(in, p, products_[query_downwards], query_downwards);
      s[query_latent_normal] = query_norm_.forward(s[query_latent], p + at_.query_gain, s[query_inverse]);
      s[query] = project_adapted(s[query_latent_normal], p, products_[to_queries], to_queries);
    } else {
      s[query] = project_adapted(in, p, products_[to_queries], to_queries);
    }
    angles_.rotate(s[query].data() + n_.plain, rotated(s[query]));
  }

  void make_keys_and_values(const HalfWeights& p, const tensor::Tensor& in, std::vector<tensor::Tensor>& s) const {
    const std::int64_t count = rows(in);
    tensor::Tensor down = project_adapted(in, p, products_[downwards], downwards);
    angles_.rotate(down.data() + n_.rank, {count, n_.down(), 1, n_.rotary});
    s[latent] = rows_like(down, n_.down(), n_.rank);
    copy_columns(s[latent].data(), n_.rank, down.data(), n_.down(), count, n_.rank);
    s[latent_normal] = latent_norm_.forward(s[latent], p + at_.latent_gain, s[latent_inverse]);
    const tensor::Tensor both = project_adapted(s[latent_normal], p, products_[upwards], upwards);
    s[key] = rows_like(down, n_.down(), n_.queries()), s[value] = rows_like(down, n_.down(), n_.values());
    for (std::int64_t head = 0; head < n_.heads; ++head) {
      const float* own = both.data() + head * (n_.plain + n_.value);
      float* keys = s[key].data() + head * n_.head();
      copy_columns(keys, n_.queries(), own, n_.both(), count, n_.plain);
      copy_columns(keys + n_.plain, n_.queries(), down.data() + n_.rank, n_.down(), count, n_.rotary);
      copy_columns(s[value].data() + head * n_.value, n_.values(), own + n_.plain, n_.both(), count, n_.value);
    }
  }

  /// Returns the gradients of queries, keys and values.
  AttentionTensors attend_backward(const HalfWeights& p, std::vector<tensor::Tensor>& s, const tensor::Tensor& dy,
                                   NarrowRows& narrow) const {
    const AttentionTensors in{std::move(s[query]), std::move(s[key]), std::move(s[value])};
    tensor::Tensor dcontext = project_backward(dy, n_.values(), n_.hidden, p + at_.out);
    add_adapter_backward(dcontext, dy, p, out, narrow);
    keep_narrow_rows(s[context], p, out, narrow);
    return attention_.backward(std::move(dcontext), s[context], in, std::exchange(s[probability], {}));
  }

  /// Sets the gradients of plain keys and values, and of the product down; adds to that of the gain.
  void keys_and_values_backward(const HalfWeights& p, const std::vector<tensor::Tensor>& s, const tensor::Tensor& dk,
                                const tensor::Tensor& dv, tensor::Tensor& dboth, tensor::Tensor& ddown,
                                float* gain_gradient, NarrowRows& narrow) const {
    const std::int64_t count = dk.size() / n_.queries();
    dboth = rows_like(dk, n_.queries(), n_.both());
    ddown = tensor::Tensor::zeros(dk.memory(), dk.samples(), dk.width() / n_.queries() * n_.down());
    for (std::int64_t head = 0; head < n_.heads; ++head) {
      float* own = dboth.data() + head * (n_.plain + n_.value);
      const float* keys = dk.data() + head * n_.head();
      copy_columns(own, n_.both(), keys, n_.queries(), count, n_.plain);
      copy_columns(own + n_.plain, n_.both(), dv.data() + head * n_.value, n_.values(), count, n_.value);
      for (std::int64_t row = 0; row < count; ++row)
        add(ddown.data() + row * n_.down() + n_.rank, keys + row * n_.queries() + n_.plain, n_.rotary);
    }
    tensor::Tensor dlatent = project_backward(dboth, n_.rank, n_.both(), p + at_.up);
    add_adapter_backward(dlatent, dboth, p, upwards, narrow);
    keep_narrow_rows(s[latent_normal], p, upwards, narrow);
    copy_columns(ddown.data(), n_.down(), dlatent.data(), n_.rank, count, n_.rank);
    sum_up(ddown);
    copy_columns(dlatent.data(), n_.rank, ddown.data(), n_.down(), count, n_.rank);
    tensor::Tensor raw = tensor::Tensor::zeros(dk.memory(), dlatent.samples(), dlatent.width());
    latent_norm_.backward(raw, gain_gradient, dlatent, s[latent], s[latent_inverse], p + at_.latent_gain);
    copy_columns(ddown.data(), n_.down(), raw.data(), n_.rank, count, n_.rank);
    angles_.rotate_back(ddown.data() + n_.rank, {count, n_.down(), 1, n_.rotary});
  }

  /// Returns the gradient of the norm's output by the queries. With a narrow vector, `dlatent` becomes its gradient.
  tensor::Tensor queries_backward(const HalfWeights& p, std::vector<tensor::Tensor>& s, const tensor::Tensor& dq,
                                  tensor::Tensor& dlatent, float* gain_gradient, NarrowRows& narrow) const {
    const std::int64_t from = has_query_rank() ? n_.query_rank : n_.hidden;
    tensor::Tensor dinput = project_backward(dq, from, n_.queries(), p + at_.query);
    add_adapter_backward(dinput, dq, p, to_queries, narrow);
    keep_narrow_rows(has_query_rank() ? s[query_latent_normal] : s[normal], p, to_queries, narrow, !has_query_rank());
    sum_up(dinput);
    if (!has_query_rank()) return dinput;
    dlatent = tensor::Tensor::zeros(dq.memory(), dinput.samples(), dinput.width());
    query_norm_.backward(dlatent, gain_gradient, dinput, s[query_latent], s[query_inverse], p + at_.query_gain);
    tensor::Tensor dnormal = project_backward(dlatent, n_.hidden, n_.query_rank, p + at_.query_down);
    add_adapter_backward(dnormal, dlatent, p, query_downwards, narrow);
    keep_narrow_rows(s[normal], p, query_downwards, narrow, true);
    return dnormal;
  }

  LatentSizes n_;
  std::vector<layers::AdaptedProduct> products_;
  ContextAttention attention_;  ///< of the local heads
  layers::LatentLayout at_;
  Rms query_norm_, latent_norm_;
  RotaryTable angles_;
};

}  // namespace

Result<std::unique_ptr<layers::BlockHalf>> make_latent_attention_half(const ModelLayer& layer,
                                                                      const layers::LayerSharding* sharding,
                                                                      const layers::ContextShard* context) {
  layers::SizeReader size(layer);
  const LatentSizes sizes{.hidden = size("hidden"),
                          .heads = size("heads"),
                          .query_rank = size("query_rank"),
                          .rank = size("key_value_rank"),
                          .plain = size("plain_width"),
                          .rotary = size("rotary_width"),
                          .value = size("value_width"),
                          .sequence = size("sequence"),
                          .rotary_base = size("rotary_base"),
                          .epsilon = epsilon_of(size("epsilon_billionths")),
                          .adapters = layers::adapters_of(layer)};
  size.check_heads();
  for (const std::int64_t in : {sizes.hidden, sizes.query_rank, sizes.rank})
    size.bounded("weights of a product", {in, sizes.heads, sizes.plain + sizes.rotary + sizes.value});
  for (const std::int64_t out : {sizes.query_rank, sizes.down()})
    size.bounded("weights of a product", {sizes.hidden, out});
  size.bounded("scores of a head", {sizes.sequence, sizes.sequence});
  TRY_VOID(size.result());
  layers::ContextShard seat;
  seat.sequence = sizes.sequence;
  if (context) seat = *context;
  if (!sharding) {
    TRY_VOID(check_context_attention(layer, sizes.heads, seat));
    return std::make_unique<LatentAttentionLayer>(sizes, seat);
  }
  const layers::TensorParallelGroup& partners = sharding->partners;
  TRY_VOID(layers::check_shardable(layer, sizes.heads, "heads", partners.shard()));
  for (const layers::ShardRange& heads : layers::shard_columns(sizes.heads, partners.shard()))
    TRY_VOID(check_context_attention(layer, heads.count, seat));
  return std::make_unique<LatentAttentionLayer>(sizes, seat, partners.local_range(sizes.heads), partners);
}

}  // namespace pipedeck::runtime::cpu
