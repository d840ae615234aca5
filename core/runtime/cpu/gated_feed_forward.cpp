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
  FeedForwardSizes of(const layers::ShardRange& range) const { return {hidden, range.count, sequence, epsilon}; }
};

class GatedFeedForward final : public NormedHalf {
 public:
  explicit GatedFeedForward(const FeedForwardSizes& sizes, std::optional<layers::TensorParallelGroup> partners = {})
      : NormedHalf(sizes.sequence, sizes.hidden, sizes.epsilon,
                   layers::FeedForwardLayout(sizes.hidden, sizes.columns).end, std::move(partners)),
        h_(sizes.hidden),
        f_(sizes.columns),
        at_(h_, f_) {}

  GatedFeedForward(const FeedForwardSizes& whole, const layers::ShardRange& own,
                   const layers::TensorParallelGroup& partners)
      : GatedFeedForward(whole.of(own), partners) {
    auto all = std::make_unique<GatedFeedForward>(whole);
    const layers::FeedForwardLayout at = all->at_;
    set_whole(std::move(all), {{at.gain, 1, h_, h_},
                               {at.in + own.first, 2 * h_, own.count, whole.columns},
                               {at.out + own.first * h_, 1, own.count * h_, own.count * h_}});
  }

  std::size_t forward_tensors() const override { return forward_count; }
  std::size_t backward_tensors() const override { return backward_count; }

  void discard(layers::SavedTensors& saved, const layers::RecomputedParts& parts) const override {
    if (parts.contains(layers::RecomputedPart::feed_forward)) keep_only_input(saved.tensors);
  }

  tensor::Tensor backward_input(tensor::Tensor dy, std::span<const float> parameters, layers::SavedTensors& saved,
                                bool wanted) const override {
    const float* p = parameters.data();
    auto& s = saved.tensors;
    const tensor::Tensor own = gather_gradient(dy);
    tensor::Tensor gains = tensor::Tensor::zeros(dy.memory(), 1, h_), dgates = s[gates].empty_like();
    {
      const tensor::Tensor dactive = project_backward(dy, f_, h_, p + at_.out);
      silu_gate_backward(dgates.data(), dactive.data(), s[gates].data(), dactive.size() / f_, f_);
    }
    s[gates].release();
    tensor::Tensor dnormal = project_backward(dgates, h_, 2 * f_, p + at_.in);
    sum_tokens(dnormal);
    tensor::Tensor dx = input_gradient(own.empty() ? dy : own, dnormal, p, s, gains, wanted);
    leave<backward_count>(
        s, {std::move(s[normal]), std::move(dgates), std::move(s[active]), std::move(dy), std::move(gains)});
    return dx;
  }

  void backward_weight(layers::SavedTensors& saved, std::span<float> gradients) const override {
    const auto& s = saved.tensors;
    float* g = gradients.data();
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

  tensor::Tensor compute(const float* p, const tensor::Tensor& in, std::vector<tensor::Tensor>& s) const override {
    s[gates] = project(in, h_, 2 * f_, p + at_.in);
    s[active] = rows_like(in, h_, f_);
    silu_gate(s[active].data(), s[gates].data(), s[active].size() / f_, f_);
    tensor::Tensor output = project(s[active], f_, h_, p + at_.out);
    return output;
  }

  enum ForwardSaved : std::size_t { gates = first_own, active, forward_count };
  enum WeightSaved : std::size_t { w_normal, w_dgates, w_active, w_dy, w_gains, backward_count };

  std::int64_t h_, f_;  ///< the model's width, and that of the local columns
  layers::FeedForwardLayout at_;
};

}  // namespace

Result<std::unique_ptr<layers::BlockHalf>> make_feed_forward_half(const ModelLayer& layer,
                                                                  const layers::LayerSharding* sharding) {
  layers::SizeReader size(layer);
  const FeedForwardSizes sizes{size("hidden"), size("feed_forward"), size("sequence"),
                               epsilon_of(size("epsilon_billionths"))};
  size.bounded("weights of a product", {2, sizes.hidden, sizes.columns});
  TRY_VOID(size.result());
  if (!sharding) return std::make_unique<GatedFeedForward>(sizes);
  TRY_VOID(layers::check_shardable(layer, sizes.columns, "feed-forward columns", sharding->partners.shard()));
  return std::make_unique<GatedFeedForward>(sizes, sharding->partners.local_range(sizes.columns), sharding->partners);
}

}  // namespace pipedeck::runtime::cpu
