// SPDX-License-Identifier: Apache-2.0
// x + shared(rms(x)) + the weighted sum of a few of many gated feed-forwards, which a router picks for each token
// (Mixtral, arXiv 2401.04088; DeepSeekMoE, arXiv 2401.06066, with a part that every token passes).
#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "core/runtime/cpu/halves.hpp"
#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/rms.hpp"
#include "core/runtime/cpu/routing.hpp"
#include "core/runtime/layers/decoder_layout.hpp"
#include "core/runtime/layers/size_reader.hpp"

namespace pipedeck::runtime::cpu {
namespace {

struct ExpertSizes {
  std::int64_t hidden, columns, shared_columns;
  RouterShape router;
  float epsilon;
  layers::ExpertLayout layout() const { return {hidden, router.experts, columns, shared_columns}; }
  ExpertSizes of(const layers::TensorParallelGroup& partners) const {
    ExpertSizes own = *this;
    own.columns = partners.local_range(columns).count;
    if (shared_columns > 0) own.shared_columns = partners.local_range(shared_columns).count;
    return own;
  }
};

/// Experts, or the columns of each that a rank has. All ranks route alike.
class ExpertsLayer final : public NormedHalf {
 public:
  explicit ExpertsLayer(const ExpertSizes& sizes, std::optional<layers::TensorParallelGroup> partners = {})
      : NormedHalf(sizes.router.sequence, sizes.hidden, sizes.epsilon, sizes.layout().end, std::move(partners)),
        h_(sizes.hidden),
        f_(sizes.columns),
        shared_f_(sizes.shared_columns),
        router_(sizes.router),
        at_(sizes.layout()) {}

  ExpertsLayer(const ExpertSizes& own, const ExpertSizes& whole, const layers::TensorParallelGroup& partners)
      : ExpertsLayer(own, partners) {
    auto all = std::make_unique<ExpertsLayer>(whole);
    std::vector<layers::ParameterBlock> blocks = all->blocks_of(partners);
    set_whole(std::move(all), std::move(blocks));
  }

  std::size_t forward_tensors() const override { return shared_f_ > 0 ? forward_count : shared_gates; }
  std::size_t backward_tensors() const override { return backward_count; }

  tensor::Tensor backward_input(tensor::Tensor dy, std::span<const float> parameters, layers::SavedTensors& saved,
                                bool wanted) const override {
    const float* p = parameters.data();
    auto& s = saved.tensors;
    const ExpertRows rows = rows_by_expert(s[choices], router_);
    tensor::Tensor dweights = tensor::Tensor::zeros(dy.memory(), s[weights].samples(), s[weights].width());
    tensor::Tensor dgates = experts_backward(p, s, dy, rows, dweights);
    tensor::Tensor dshared;
    tensor::Tensor dnormal = shared_backward(p, s, dy, dshared);
    add_unpermuted(dnormal, expert_products_backward(dgates, h_, 2 * f_, p + at_.in, rows), h_, rows, nullptr);
    sum_up(dnormal), sum_up(dweights);
    tensor::Tensor dlogits = router_backward(dweights, s[choices], s[scores], router_,
                                             saved.loss_scale * static_cast<float>(router_.sequence));
    add_project_backward(dnormal, dlogits, h_, router_.experts, p + at_.router);
    tensor::Tensor gains = tensor::Tensor::zeros(dy.memory(), 1, h_);
    tensor::Tensor dx = input_gradient(dy, dnormal, p, s, gains, wanted);
    tensor::Tensor shared_input;
    if (shared_f_ > 0) shared_input = std::move(s[shared_active]);
    leave<backward_count>(
        s, {std::move(s[normal]), std::move(dlogits), std::move(s[choices]), std::move(s[weights]), std::move(dgates),
            std::move(s[active]), std::move(dy), std::move(gains), std::move(dshared), std::move(shared_input)});
    return dx;
  }

  void backward_weight(layers::SavedTensors& saved, std::span<float> gradients) const override {
    const auto& s = saved.tensors;
    float* g = gradients.data();
    const ExpertRows rows = rows_by_expert(s[w_choices], router_);
    {
      tensor::Tensor dy = permute(s[w_dy], h_, rows);
      weigh(dy, h_, rows, s[w_weights].data());
      add_expert_gradients(g + at_.out, s[w_active], f_, dy, h_, rows);
    }
    add_expert_gradients(g + at_.in, permute(s[w_normal], h_, rows), h_, s[w_dgates], 2 * f_, rows);
    add_weight_gradient(g + at_.router, s[w_normal], h_, s[w_dlogits], router_.experts);
    if (shared_f_ > 0) {
      add_weight_gradient(g + at_.shared_out, s[w_shared_active], shared_f_, s[w_dy], h_);
      add_weight_gradient(g + at_.shared_in, s[w_normal], h_, s[w_dshared], 2 * shared_f_);
    }
    add_gain_gradient(g, s[w_gains]);
    saved.tensors.clear();
  }

 private:
  void draw(std::span<float> parameters, Random random) const override {
    const auto gain = static_cast<std::size_t>(at_.router);
    std::ranges::fill(parameters.first(gain), 1.0f);
    std::ranges::generate(parameters.subspan(gain), [&] { return 0.02f * random.normal(); });
  }

  tensor::Tensor compute(const float* p, std::vector<tensor::Tensor>& s) const override {
    s[scores] = project(s[normal], h_, router_.experts, p + at_.router);
    score_experts(s[scores], router_);
    s[choices] = rows_like(s[x], h_, router_.per_token);
    s[weights] = s[choices].empty_like();
    choose_experts(s[choices], s[weights], s[scores], router_);
    const ExpertRows rows = rows_by_expert(s[choices], router_);
    s[gates] = expert_products(permute(s[normal], h_, rows), h_, 2 * f_, p + at_.in, rows);
    s[active] = rows_like(s[gates], 2 * f_, f_);
    silu_gate(s[active].data(), s[gates].data(), rows.count(), f_);
    tensor::Tensor output = shared_forward(p, s);
    add_unpermuted(output, expert_products(s[active], f_, h_, p + at_.out, rows), h_, rows, s[weights].data());
    return output;
  }

  /// Tensors saved by forward, in this order; the last two with a shared part.
  enum ForwardSaved : std::size_t {
    scores = first_own,
    choices,
    weights,
    gates,
    active,
    shared_gates,
    shared_active,
    forward_count
  };
  enum WeightSaved : std::size_t {
    w_normal,
    w_dlogits,
    w_choices,
    w_weights,
    w_dgates,
    w_active,
    w_dy,
    w_gains,
    w_dshared,
    w_shared_active,
    backward_count
  };

  /// Returns the blocks of a rank, in the order of at_.
  std::vector<layers::ParameterBlock> blocks_of(const layers::TensorParallelGroup& partners) const {
    const layers::ShardRange own = partners.local_range(f_);
    std::vector<layers::ParameterBlock> blocks{{at_.gain, 1, at_.in, at_.in},  // and the router's
                                               {at_.in + own.first, router_.experts * h_ * 2, own.count, f_},
                                               {at_.out + own.first * h_, router_.experts, own.count * h_, f_ * h_}};
    if (shared_f_ == 0) return blocks;
    const layers::ShardRange shared = partners.local_range(shared_f_);
    blocks.push_back({at_.shared_in + shared.first, 2 * h_, shared.count, shared_f_});
    blocks.push_back({at_.shared_out + shared.first * h_, 1, shared.count * h_, shared.count * h_});
    return blocks;
  }

  /// Returns the output of the shared part, or zeros.
  tensor::Tensor shared_forward(const float* p, std::vector<tensor::Tensor>& s) const {
    if (shared_f_ == 0) return tensor::Tensor::zeros(s[x].memory(), s[x].samples(), s[x].width());
    s[shared_gates] = project(s[normal], h_, 2 * shared_f_, p + at_.shared_in);
    s[shared_active] = rows_like(s[x], h_, shared_f_);
    silu_gate(s[shared_active].data(), s[shared_gates].data(), s[x].size() / h_, shared_f_);
    return project(s[shared_active], shared_f_, h_, p + at_.shared_out);
  }

  /// Returns the gradient of the shared part's input, or zeros; `dshared` becomes that of its gates.
  tensor::Tensor shared_backward(const float* p, std::vector<tensor::Tensor>& s, const tensor::Tensor& dy,
                                 tensor::Tensor& dshared) const {
    if (shared_f_ == 0) return tensor::Tensor::zeros(dy.memory(), dy.samples(), dy.width());
    const tensor::Tensor dactive = project_backward(dy, shared_f_, h_, p + at_.shared_out);
    dshared = s[shared_gates].empty_like();
    silu_gate_backward(dshared.data(), dactive.data(), s[shared_gates].data(), dy.size() / h_, shared_f_);
    s[shared_gates].release();
    return project_backward(dshared, h_, 2 * shared_f_, p + at_.shared_in);
  }

  /// Returns the gradient of the experts' gates. Sets that of the weights: an expert's output times the gradient of the
  /// sum, which is its columns' activations times theirs.
  tensor::Tensor experts_backward(const float* p, std::vector<tensor::Tensor>& s, const tensor::Tensor& dy,
                                  const ExpertRows& rows, tensor::Tensor& dweights) const {
    tensor::Tensor dactive = expert_products_backward(permute(dy, h_, rows), f_, h_, p + at_.out, rows);
    for (std::int64_t row = 0; row < rows.count(); ++row)
      dweights.data()[rows.choices[static_cast<std::size_t>(row)]] =
          dot_product(dactive.data() + row * f_, s[active].data() + row * f_, f_);
    weigh(dactive, f_, rows, s[weights].data());
    tensor::Tensor dgates = s[gates].empty_like();
    silu_gate_backward(dgates.data(), dactive.data(), s[gates].data(), rows.count(), f_);
    s[gates].release();
    return dgates;
  }

  std::int64_t h_, f_, shared_f_;  ///< the model's width, and those of the local columns
  RouterShape router_;
  layers::ExpertLayout at_;
};

Result<ExpertSizes> expert_sizes(const ModelLayer& layer) {
  layers::SizeReader size(layer);
  const ExpertSizes sizes{.hidden = size("hidden"),
                          .columns = size("feed_forward"),
                          .shared_columns = size("shared_feed_forward"),
                          .router = {.experts = size("experts"),
                                     .per_token = size("per_token"),
                                     .sequence = size("sequence"),
                                     .sigmoid = size("sigmoid") == 1,
                                     .normalised = size("normalised") == 1,
                                     .scale = static_cast<float>(size("scale_permille")) / 1000,
                                     .auxiliary = static_cast<float>(size("auxiliary_loss_permille")) / 1000,
                                     .capacity_percent = size("capacity_percent")},
                          .epsilon = epsilon_of(size("epsilon_billionths"))};
  size.bounded("weights of the experts", {2, sizes.hidden, sizes.columns, sizes.router.experts});
  size.bounded("weights of the shared part", {2, sizes.hidden, sizes.shared_columns});
  TRY_VOID(size.result());
  if (sizes.router.per_token > sizes.router.experts)
    return fail(ErrorCode::bad_input,
                fmt::format("layer '{}' (experts): per_token is {}, expected at most the {} experts", layer.name,
                            sizes.router.per_token, sizes.router.experts));
  return sizes;
}

}  // namespace

Result<std::unique_ptr<layers::BlockHalf>> make_experts_half(const ModelLayer& layer,
                                                             const layers::LayerSharding* sharding) {
  TRY(const ExpertSizes sizes, expert_sizes(layer));
  if (!sharding) return std::make_unique<ExpertsLayer>(sizes);
  const layers::TensorParallelGroup& partners = sharding->partners;
  TRY_VOID(layers::check_shardable(layer, sizes.columns, "columns of each expert", partners.shard()));
  if (sizes.shared_columns > 0)
    TRY_VOID(layers::check_shardable(layer, sizes.shared_columns, "shared columns", partners.shard()));
  return std::make_unique<ExpertsLayer>(sizes.of(partners), sizes, partners);
}

}  // namespace pipedeck::runtime::cpu
