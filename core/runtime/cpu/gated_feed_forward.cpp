// SPDX-License-Identifier: Apache-2.0
// x + (silu(rms(x) Wgate) * rms(x) Wup) Wdown (SwiGLU: Shazeer, arXiv 2002.05202).
#include <algorithm>
#include <array>
#include <optional>

#include "core/runtime/cpu/halves.hpp"
#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/rms.hpp"
#include "core/runtime/layers/decoder_layout.hpp"
#include "core/runtime/layers/size_reader.hpp"

namespace pipedeck::runtime::cpu {
namespace {

struct FeedForwardSizes {
  std::int64_t hidden, columns, sequence;
  float epsilon;
  layers::AdapterChoice adapters;
  FeedForwardSizes of(const layers::ShardRange& range) const {
    return {hidden, range.count, sequence, epsilon, adapters};
  }
  layers::FeedForwardLayout layout() const { return {hidden, columns}; }
  /// Returns the product into gates and ups, and the one out.
  std::vector<layers::AdaptedProduct> products() const {
    return layers::feed_forward_products(layout(), hidden, columns, adapters.targets);
  }
};

class GatedFeedForward final : public NormedHalf {
 public:
  explicit GatedFeedForward(const FeedForwardSizes& sizes, std::optional<layers::TensorParallelGroup> partners = {})
      : NormedHalf(sizes.sequence, sizes.hidden, sizes.epsilon, sizes.layout().end, {sizes.adapters, sizes.products()},
                   std::move(partners)),
        h_(sizes.hidden),
        f_(sizes.columns),
        products_(sizes.products()),
        at_(h_, f_) {}

  GatedFeedForward(const FeedForwardSizes& whole, const layers::ShardRange& own,
                   const layers::TensorParallelGroup& partners)
      : GatedFeedForward(whole.of(own), partners) {
    auto all = std::make_unique<GatedFeedForward>(whole);
    const layers::FeedForwardLayout at = all->at_;
    set_whole(std::move(all),
              {{at.gain, 1, h_, h_},
               {at.in + own.first, 2 * h_, own.count, whole.columns},
               {at.out + own.first * h_, 1, own.count * h_, own.count * h_}},
              {{{0, 1}, own}, {{0, 1}, own}});
  }

  std::size_t forward_tensors() const override { return forward_count; }
  std::size_t backward_tensors() const override { return backward_count + narrow_tensors(); }

  void discard(layers::SavedTensors& saved, const layers::RecomputedParts& parts) const override {
    if (parts.contains(layers::RecomputedPart::feed_forward)) keep_only_input(saved.tensors);
  }

  tensor::Tensor backward_input(tensor::Tensor dy, std::span<const float> parameters, layers::SavedTensors& saved,
                                bool wanted) const override {
    const HalfWeights p = weights_of(parameters, saved);
    NarrowRows narrow = no_narrow_rows();
    auto& s = saved.tensors;
    const tensor::Tensor own = gather_gradient(dy);
    tensor::Tensor gains = tensor::Tensor::zeros(dy.memory(), 1, h_), dgates = s[gates].empty_like();
    {
      tensor::Tensor dactive = project_backward(dy, f_, h_, p + at_.out);
      add_adapter_backward(dactive, dy, p, out, narrow);
      keep_narrow_rows(s[active], p, out, narrow);
      silu_gate_backward(dgates.data(), dactive.data(), s[gates].data(), dactive.size() / f_, f_);
    }
    s[gates].release();
    tensor::Tensor dnormal = project_backward(dgates, h_, 2 * f_, p + at_.in);
    add_adapter_backward(dnormal, dgates, p, in, narrow);
    keep_narrow_rows(s[normal], p, in, narrow, true);
    sum_tokens(dnormal);
    tensor::Tensor dx = input_gradient(own.empty() ? dy : own, dnormal, p, s, gains, wanted);
    leave<backward_count>(
        s, {std::move(s[normal]), std::move(dgates), std::move(s[active]), std::move(dy), std::move(gains)});
    leave_narrow_rows(s, std::move(narrow));
    return dx;
  }

  void backward_weight(layers::SavedTensors& saved, std::span<float> gradients) const override {
    const auto& s = saved.tensors;
    float* g = gradients.data();
    if (adapted()) {
      add_gradients(g, out, s[w_active], s[w_dy], s, backward_count);
      add_gradients(g, in, *all_tokens(s[w_normal]), s[w_dgates], s, backward_count);
      return saved.tensors.clear();
    }
    add_weight_gradient(g + at_.out, s[w_active], f_, s[w_dy], h_);
    add_weight_gradient(g + at_.in, *all_tokens(s[w_normal]), h_, s[w_dgates], 2 * f_);
    add_gain_gradient(g, s[w_gains]);
    saved.tensors.clear();
  }

 private:
  void draw(std::span<float> parameters, Random random) const override {
    const auto weights = parameters.subspan(static_cast<std::size_t>(at_.in));
    std::ranges::fill(parameters.first(static_cast<std::size_t>(at_.in)), 1.0f);
    std::ranges::generate(weights, [&] { return 0.02f * random.normal(); });
  }

  tensor::Tensor compute(const HalfWeights& p, const tensor::Tensor& normal,
                         std::vector<tensor::Tensor>& s) const override {
    s[gates] = project_adapted(normal, p, products_[in], in);
    s[active] = rows_like(normal, h_, f_);
    silu_gate(s[active].data(), s[gates].data(), s[active].size() / f_, f_);
    tensor::Tensor output = project_adapted(s[active], p, products_[out], out);
    return output;
  }

  enum Product : std::size_t { in, out };
  enum ForwardSaved : std::size_t { gates = first_own, active, forward_count };
  enum WeightSaved : std::size_t { w_normal, w_dgates, w_active, w_dy, w_gains, backward_count };

  std::int64_t h_, f_;  ///< the model's width, and that of the local columns
  std::vector<layers::AdaptedProduct> products_;
  layers::FeedForwardLayout at_;
};

}  // namespace

Result<std::unique_ptr<layers::BlockHalf>> make_feed_forward_half(const ModelLayer& layer,
                                                                  const layers::LayerSharding* sharding) {
  layers::SizeReader size(layer);
  const FeedForwardSizes sizes{size("hidden"), size("feed_forward"), size("sequence"),
                               epsilon_of(size("epsilon_billionths")), layers::adapters_of(layer)};
  size.bounded("weights of a product", {2, sizes.hidden, sizes.columns});
  TRY_VOID(size.result());
  if (!sharding) return std::make_unique<GatedFeedForward>(sizes);
  TRY_VOID(layers::check_shardable(layer, sizes.columns, "feed-forward columns", sharding->partners.shard()));
  return std::make_unique<GatedFeedForward>(sizes, sharding->partners.local_range(sizes.columns), sharding->partners);
}

}  // namespace pipedeck::runtime::cpu
