// SPDX-License-Identifier: Apache-2.0
// The halves of decoder blocks, whole or as a rank's shard (Megatron-LM, arXiv 1909.08053, section 3): products into
// heads or columns are sharded by columns, products out of them by rows. The outputs of the latter are summed, and the
// input gradients of the former. With sequence parallelism (arXiv 2205.05198, section 4.2.2) norms and residuals are of
// the rank's tokens: all-gathers and reduce-scatters take the place of the sums.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/result.hpp"
#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/low_rank.hpp"
#include "core/runtime/cpu/rms.hpp"
#include "core/runtime/cpu/row_products.hpp"
#include "core/runtime/layers/adapters.hpp"
#include "core/runtime/layers/block_halves.hpp"
#include "core/runtime/layers/own_tokens.hpp"
#include "core/runtime/layers/sharding.hpp"

namespace pipedeck::runtime::cpu {

/// A kernel of products of rows, whole or as a rank's shard. It trains all its parameters or, with adapters, these
/// alone next to frozen ones. A tensor of tokens is whole, or has the rank's tokens.
class AdaptedKernel : public layers::BlockHalf {
 public:
  /// `hidden`: the values of a token. `parameters`: without adapters.
  AdaptedKernel(std::int64_t hidden, std::int64_t parameters, layers::AdapterLayout adapters, layers::OwnTokens tokens)
      : layers::BlockHalf(tokens.positions() * hidden, tokens.positions() * hidden,
                          adapters.any() ? adapters.end : parameters),
        frozen_(adapters.any() ? parameters : 0),
        adapters_(std::move(adapters)),
        tokens_(std::move(tokens)) {}

  std::int64_t replicated_parameters() const override { return whole_ ? whole_->parameters() : parameters(); }
  std::vector<layers::ParameterBlock> blocks() const override {
    if (!whole_) return layers::LayerKernel::blocks();
    return adapted() ? adapter_blocks_ : blocks_;
  }
  void initialise(std::span<float> parameters, Random random) const override {
    if (whole_) return layers::initialise_part(*whole_, blocks(), parameters, random);
    adapted() ? layers::draw_adapters(adapters_, parameters, random) : draw(parameters, random);
  }

  std::int64_t frozen_parameters() const override { return frozen_; }
  std::int64_t replicated_frozen_parameters() const override { return whole_ ? whole_->frozen_ : frozen_; }
  std::vector<layers::ParameterBlock> frozen_blocks() const override {
    return whole_ ? blocks_ : layers::LayerKernel::frozen_blocks();
  }
  void initialise_frozen(std::span<float> weights, Random random) const override {
    if (frozen_ == 0) return;
    if (!whole_) return draw(weights, random);
    std::vector<float> all(static_cast<std::size_t>(whole_->frozen_));
    whole_->draw(all, random);
    layers::extract_blocks(blocks_, all, weights);
  }
  void merge(std::span<const float> parameters, std::span<float> frozen) const override {
    layers::merge_adapters(adapters_, parameters, frozen);
  }

 protected:
  /// Draws the parameters of a kernel that is no shard, as without adapters.
  virtual void draw(std::span<float> parameters, Random random) const = 0;

  /// `ranges`: the rank's part of each product, in the order of the adapters.
  void set_whole(std::unique_ptr<AdaptedKernel> whole, std::vector<layers::ParameterBlock> blocks,
                 const std::vector<layers::AdapterRange>& ranges) {
    whole_ = std::move(whole), blocks_ = std::move(blocks);
    for (std::size_t i = 0; i < whole_->adapters_.places.size(); ++i)
      layers::add_adapter_blocks(adapter_blocks_, whole_->adapters_.places[i], ranges[i]);
  }

  HalfWeights weights_of(std::span<const float> parameters, const layers::SavedTensors& saved) const {
    return adapted() ? HalfWeights{saved.frozen.data(), parameters.data()} : HalfWeights{parameters.data(), nullptr};
  }
  /// True if adapters are trained, and all other weights are frozen.
  bool adapted() const { return adapters_.any(); }
  const layers::AdapterPlace& adapter(std::size_t product) const { return adapters_.places[product]; }
  bool has_adapter(std::size_t product) const { return adapted() && adapter(product).any(); }

  /// The narrow rows v and u of each product's adapter (low_rank.hpp), for all tokens, summed over the ranks.
  struct NarrowRows {
    std::vector<tensor::Tensor> inputs, gradients;
  };
  NarrowRows no_narrow_rows() const {
    NarrowRows rows;
    rows.inputs.resize(adapters_.places.size()), rows.gradients.resize(adapters_.places.size());
    return rows;
  }
  /// Returns in * W of a product, with its adapter.
  tensor::Tensor project_adapted(const tensor::Tensor& in, const HalfWeights& p, const layers::AdaptedProduct& product,
                                 std::size_t number) const {
    tensor::Tensor out = project(in, product.from, product.to, p + product.weight);
    if (!has_adapter(number)) return out;
    const std::array<std::int64_t, 2> rows{0, in.size() / product.from};
    add_adapted(adapter(number), p, out, narrow_rows(adapter(number), p, in, rows), rows);
    return out;
  }
  /// Adds the gradient of a product's input by its adapter. Keeps that of the narrow rows, of all ranks.
  void add_adapter_backward(tensor::Tensor& dx, const tensor::Tensor& dy, const HalfWeights& p, std::size_t number,
                            NarrowRows& kept) const {
    if (!has_adapter(number)) return;
    const layers::AdapterPlace& place = adapter(number);
    const std::array<std::int64_t, 2> rows{0, dy.size() / place.product.to};
    tensor::Tensor narrow = narrow_gradient(place, p, dy, rows);
    add_adapter_input_gradient(place, p, dx, narrow, rows);
    if (place.product.cut == layers::ProductCut::columns) sum_up(narrow);
    kept.gradients[number] = std::move(narrow);
  }
  /// Keeps the narrow rows of a product's input, of all ranks. `of_own_tokens`: the input has the rank's tokens.
  void keep_narrow_rows(const tensor::Tensor& in, const HalfWeights& p, std::size_t number, NarrowRows& kept,
                        bool of_own_tokens = false) const {
    if (!has_adapter(number)) return;
    const layers::AdapterPlace& place = adapter(number);
    const std::array<std::int64_t, 2> rows{0, in.size() / place.product.from};
    tensor::Tensor narrow = narrow_rows(place, p, in, rows);
    if (place.product.cut == layers::ProductCut::rows) sum_up(narrow);
    if (of_own_tokens && divides_tokens()) narrow = tokens_.all(narrow).gathered;
    kept.inputs[number] = std::move(narrow);
  }
  /// Adds the gradients of a product's adapter, from the product's input and the gradient of its output. `s` has the
  /// narrow rows from `first` on.
  void add_gradients(float* g, std::size_t number, const tensor::Tensor& in, const tensor::Tensor& dy,
                     const std::vector<tensor::Tensor>& s, std::size_t first) const {
    if (!has_adapter(number)) return;
    const std::array<std::int64_t, 2> rows{0, dy.size() / adapter(number).product.to};
    const std::size_t at = first + 2 * number;
    add_adapter_gradients(adapter(number), g, in, dy, s[at], s[at + 1], rows);
  }
  std::size_t narrow_tensors() const { return 2 * adapters_.places.size(); }
  /// Appends the narrow rows to the tensors for backward_weight.
  static void leave_narrow_rows(std::vector<tensor::Tensor>& s, NarrowRows rows) {
    for (std::size_t i = 0; i < rows.inputs.size(); ++i) {
      s.push_back(std::move(rows.inputs[i]));
      s.push_back(std::move(rows.gradients[i]));
    }
  }

  void sum_up(tensor::Tensor& tensor) const { tokens_.sum_up(tensor); }
  using AllTokens = layers::OwnTokens::AllTokens;
  AllTokens all_tokens(const tensor::Tensor& own) const { return tokens_.all(own); }
  void sum_tokens(tensor::Tensor& tensor) const { tokens_.sum(tensor); }
  void keep_own_tokens(tensor::Tensor& tensor) const { tokens_.keep_own(tensor); }
  tensor::Tensor gather_gradient(tensor::Tensor& dy) const { return tokens_.gather_gradient(dy); }
  bool divides_tokens() const { return tokens_.divided(); }
  const layers::TensorParallelGroup& partners() const { return *tokens_.partners(); }
  const layers::OwnTokens& tokens() const { return tokens_; }

 private:
  std::int64_t frozen_;
  layers::AdapterLayout adapters_;
  layers::OwnTokens tokens_;
  std::unique_ptr<AdaptedKernel> whole_;  ///< of a shard
  std::vector<layers::ParameterBlock> blocks_, adapter_blocks_;
};

/// A half with the parts that all of them have: norm, sum over the ranks, residual, and the whole of which it is a
/// shard. Its parameters begin with the norm's gains.
class NormedHalf : public AdaptedKernel {
 public:
  NormedHalf(std::int64_t sequence, std::int64_t hidden, float epsilon, std::int64_t parameters,
             layers::AdapterLayout adapters, std::optional<layers::TensorParallelGroup> partners)
      : AdaptedKernel(hidden, parameters, std::move(adapters), layers::OwnTokens(sequence, std::move(partners))),
        hidden_(hidden),
        norm_(hidden, epsilon) {}

  tensor::Tensor forward(tensor::Tensor input, std::span<const float> parameters,
                         layers::SavedTensors& saved) const override {
    saved.tensors.resize(forward_tensors());
    auto& s = saved.tensors;
    const HalfWeights p = weights_of(parameters, saved);
    s[x] = std::move(input);
    s[normal] = norm_.forward(s[x], p.base, s[inverse]);
    tensor::Tensor output;
    if (computes_own_tokens()) {
      output = compute(p, s[normal], s);
    } else {
      output = compute(p, *all_tokens(s[normal]), s);
      sum_tokens(output);
    }
    add(output.data(), s[x].data(), output.size());
    return output;
  }

  /// Restores a half by its whole forward if it kept nothing but its input, and otherwise the parts that it discarded.
  void restore(layers::SavedTensors& saved, std::span<const float> parameters,
               const layers::RecomputedParts& parts) const override {
    auto& s = saved.tensors;
    if (s[inverse].empty()) {
      forward(std::move(s[x]), parameters, saved);
      return;
    }
    const HalfWeights p = weights_of(parameters, saved);
    if (s[normal].empty()) s[normal] = norm_.forward(s[x], p.base, s[inverse]);
    restore_parts(p, s, parts);
  }

 protected:
  /// Restores what the half has discarded of its own tensors.
  virtual void restore_parts(const HalfWeights& p, std::vector<tensor::Tensor>& s,
                             const layers::RecomputedParts& parts) const {
    static_cast<void>(p), static_cast<void>(s), static_cast<void>(parts);
  }
  static void keep_only_input(std::vector<tensor::Tensor>& s) {
    for (std::size_t i = x + 1; i < s.size(); ++i) s[i].release();
  }

  /// The first tensors that forward saves; a half's own ones begin at `first_own`.
  enum Saved : std::size_t { x, inverse, normal, first_own };

  /// Returns true if compute() takes and returns the rank's tokens, and all of their output.
  virtual bool computes_own_tokens() const { return false; }
  /// Returns the rank's part of the output for all tokens without the residual. `in`: the norm's output.
  virtual tensor::Tensor compute(const HalfWeights& p, const tensor::Tensor& in,
                                 std::vector<tensor::Tensor>& s) const = 0;

  /// Returns the gradient of the input, empty if it is not `wanted`, from that of the norm's output, both of the rank's
  /// tokens. Adds to the gradient of the gains.
  tensor::Tensor input_gradient(const tensor::Tensor& dy, const tensor::Tensor& dnormal, const HalfWeights& p,
                                const std::vector<tensor::Tensor>& s, tensor::Tensor& gains, bool wanted) const {
    tensor::Tensor dx;
    if (wanted) dx = dy.slice(0, dy.samples(), dy.memory());
    norm_.backward(dx, gains.data(), dnormal, s[x], s[inverse], p.base);
    if (!adapted()) tokens().sum_own_gradients(gains.values().first(static_cast<std::size_t>(hidden_)));
    return dx;
  }
  void add_gain_gradient(float* g, const tensor::Tensor& gains) const { add(g, gains.data(), hidden_); }

  /// Leaves these tensors for backward_weight alone.
  template <std::size_t Count>
  static void leave(std::vector<tensor::Tensor>& s, std::array<tensor::Tensor, Count> left) {
    s.assign(std::make_move_iterator(left.begin()), std::make_move_iterator(left.end()));
  }

 private:
  std::int64_t hidden_;
  Rms norm_;
};

/// Each makes the kernel of a layer's sizes; with `sharding`, a rank's shard of it. bad_input names a size that does
/// not fit, or a count that cannot be cut over the ranks.
using MakeHalf = Result<std::unique_ptr<layers::BlockHalf>>(const ModelLayer& layer,
                                                            const layers::LayerSharding* sharding);

/// Grouped heads, rotary positions; some key-value heads on each rank. With `context`: some positions of every sample.
Result<std::unique_ptr<layers::BlockHalf>> make_attention_half(const ModelLayer& layer,
                                                               const layers::LayerSharding* sharding,
                                                               const layers::ContextShard* context = nullptr);
/// Some heads on each rank; the narrow vectors are replicated.
Result<std::unique_ptr<layers::BlockHalf>> make_latent_attention_half(const ModelLayer& layer,
                                                                      const layers::LayerSharding* sharding,
                                                                      const layers::ContextShard* context = nullptr);
MakeHalf make_feed_forward_half;  ///< gated; some columns on each rank
/// Some columns of each expert on each rank. With `shard`: some experts, or columns of them, on each rank of its group.
/// With `context`: some positions of every sample.
Result<std::unique_ptr<layers::BlockHalf>> make_experts_half(const ModelLayer& layer,
                                                             const layers::LayerSharding* sharding,
                                                             const layers::ExpertShard* shard = nullptr,
                                                             const layers::ContextShard* context = nullptr);

}  // namespace pipedeck::runtime::cpu
