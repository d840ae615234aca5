// SPDX-License-Identifier: Apache-2.0
// x + shared(rms(x)) + the weighted sum of a few of many gated feed-forwards, which a router picks for each token
// (Mixtral, arXiv 2401.04088; DeepSeekMoE, arXiv 2401.06066, with a part that every token passes).
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/runtime/cpu/halves.hpp"
#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/rms.hpp"
#include "core/runtime/cpu/routing.hpp"
#include "core/runtime/layers/context_exchange.hpp"
#include "core/runtime/layers/decoder_layout.hpp"
#include "core/runtime/layers/expert_exchange.hpp"
#include "core/runtime/layers/size_reader.hpp"

namespace pipedeck::runtime::cpu {
namespace {

struct ExpertSizes {
  std::int64_t hidden, columns, shared_columns;
  RouterShape router;
  float epsilon;
  layers::AdapterChoice adapters = {};
  std::optional<std::int64_t> held = {};  ///< experts of a rank of a group that divides them
  layers::ExpertLayout layout() const { return {hidden, router.experts, columns, shared_columns, held, biases()}; }
  std::int64_t biases() const { return router.bias_rate > 0 ? router.experts : 0; }
  /// Returns the two products of the part that every token passes, and those of the experts, which come last.
  std::vector<layers::AdaptedProduct> products() const {
    const layers::ExpertLayout at = layout();
    const std::int64_t h = hidden, f = columns, g = shared_columns, count = held.value_or(router.experts);
    using Joined = std::vector<layers::ShardRange>;
    const bool all = adapters.targets == AdapterTargets::linear, shares = all && g > 0;
    return {{at.shared_in, h, 2 * g, shares ? Joined{{0, g}, {g, g}} : Joined{}, layers::ProductCut::columns},
            {at.shared_out, g, h, shares ? Joined{{0, h}} : Joined{}, layers::ProductCut::rows},
            {at.in, h, 2 * f, all ? Joined{{0, f}, {f, f}} : Joined{}, layers::ProductCut::columns, count},
            {at.out, f, h, all ? Joined{{0, h}} : Joined{}, layers::ProductCut::rows, count}};
  }
  std::int64_t expert_parameters() const { return held.value_or(router.experts) * hidden * 3 * columns; }
};

/// The groups of a rank, null where it is alone: each rank has a part of the experts, or of the tokens. Without a group
/// that divides experts, tensor-parallel ranks divide the columns of each.
struct ExpertPlace {
  const layers::TensorParallelGroup* partners = nullptr;
  const layers::ExpertShard* shard = nullptr;
  const layers::ContextShard* context = nullptr;  ///< has some positions of every sample

  layers::ShardRange experts(std::int64_t count) const {
    return shard ? shard->local_experts(count) : layers::ShardRange{0, count};
  }
  layers::ShardRange columns(std::int64_t count) const {
    return shard ? shard->local_columns(count) : partners->local_range(count);
  }
  layers::ShardRange shared(std::int64_t count) const {
    return partners && count > 0 ? partners->local_range(count) : layers::ShardRange{0, count};
  }
  ExpertSizes of(const ExpertSizes& whole) const {
    ExpertSizes own = whole;
    own.columns = columns(whole.columns).count;
    own.shared_columns = shared(whole.shared_columns).count;
    if (shard) own.held = experts(whole.router.experts).count;
    return own;
  }
};

/// The rows of the rank's tokens, and their way to the experts. Without routes all experts are here.
struct ExpertPath {
  ExpertRows own;
  std::optional<layers::ExpertRoutes> routes;

  /// Returns the first row of each expert here, and the end.
  ExpertEnds first() const { return routes ? routes->first() : own.first; }
  std::int64_t rows() const { return first().back(); }
  tensor::Tensor to_experts(tensor::Tensor rows, std::int64_t width) const {
    return routes ? routes->to_experts(rows, width) : std::move(rows);
  }
  tensor::Tensor from_experts(tensor::Tensor rows, std::int64_t width) const {
    return routes ? routes->from_experts(rows, width) : std::move(rows);
  }
};

/// Experts, or a rank's part of them. Tensor-parallel ranks route alike. With a group that divides the experts, each
/// sends the rows of every T-th token. If ranks divide the tokens, too, each routes and sends its own.
class ExpertsLayer final : public NormedHalf {
 public:
  explicit ExpertsLayer(const ExpertSizes& sizes, const ExpertPlace& place = {})
      : NormedHalf(sizes.router.sequence, sizes.hidden, sizes.epsilon, sizes.layout().end,
                   {sizes.adapters, sizes.products()}, place.partners ? std::optional(*place.partners) : std::nullopt),
        h_(sizes.hidden),
        f_(sizes.columns),
        shared_f_(sizes.shared_columns),
        router_(sizes.router),
        products_(sizes.products()),
        at_(sizes.layout()),
        own_{0, sizes.router.sequence} {
    if (place.context) context_ = *place.context;
    if (!place.shard) return;
    shard_ = *place.shard;
    expert_parameters_ = sizes.expert_parameters();
    if (adapted()) expert_adapters_ = parameters() - adapter(in).a;
    if (!place.partners) return;
    if (computes_own_tokens())
      own_ = place.partners->local_positions(sizes.router.sequence), router_.sequence = own_.count;
    else
      tokens_ = {place.partners->shard().rank, place.partners->shard().degree};
  }

  static std::unique_ptr<ExpertsLayer> part_of(const ExpertSizes& whole, const ExpertPlace& place) {
    auto part = std::make_unique<ExpertsLayer>(place.of(whole), place);
    auto all = std::make_unique<ExpertsLayer>(whole);
    std::vector<layers::ParameterBlock> blocks = all->blocks_of(place);
    const layers::AdapterRange shared{{0, 1}, place.shared(whole.shared_columns)},
        held{place.experts(whole.router.experts), place.columns(whole.columns)};
    part->set_whole(std::move(all), std::move(blocks), {shared, shared, held, held});
    return part;
  }

  std::int64_t expert_parameters() const override { return adapted() ? expert_adapters_ : expert_parameters_; }
  std::int64_t frozen_expert_parameters() const override { return adapted() ? expert_parameters_ : 0; }
  layers::BalancedBiases balanced_biases() const override {
    if (router_.bias_rate == 0 || adapted()) return {};
    return {at_.bias, router_.experts, router_.bias_rate};
  }
  std::size_t forward_tensors() const override { return shared_f_ > 0 ? forward_count : shared_gates; }
  std::size_t backward_tensors() const override { return backward_count + narrow_tensors(); }

  void discard(layers::SavedTensors& saved, const layers::RecomputedParts& parts) const override {
    using enum layers::RecomputedPart;
    auto& s = saved.tensors;
    if (parts.contains(layers::RecomputedPart::experts)) return keep_only_input(s);
    if (parts.contains(norm)) s[normal].release();
    if (parts.contains(expert_activation)) s[active].release();
    if (parts.contains(shared_experts) && shared_f_ > 0) s[shared_gates].release(), s[shared_active].release();
  }

  tensor::Tensor backward_input(tensor::Tensor dy, std::span<const float> parameters, layers::SavedTensors& saved,
                                bool wanted) const override {
    const HalfWeights p = weights_of(parameters, saved);
    NarrowRows narrow = no_narrow_rows();
    auto& s = saved.tensors;
    const bool alone = computes_own_tokens();
    tensor::Tensor own;
    if (!alone || shared_f_ > 0) own = gather_gradient(dy);
    const ExpertPath path = path_of(s[choices], s[counts]);
    tensor::Tensor dweights = tensor::Tensor::zeros(dy.memory(), s[weights].samples(), s[weights].width());
    tensor::Tensor doutput;  // at the experts, times the weights
    tensor::Tensor dgates = experts_backward(p, s, alone && !own.empty() ? own : dy, path, dweights, doutput, narrow);
    tensor::Tensor dshared;
    tensor::Tensor dnormal = shared_backward(p, s, dy, dshared, narrow);
    if (alone && shared_f_ > 0) sum_tokens(dnormal);
    add_unpermuted(dnormal, path.from_experts(expert_inputs_backward(p, s, dgates, path, narrow), h_), h_, path.own,
                   nullptr);
    if (!alone) sum_tokens(dnormal), sum_up(dweights);
    if (router_.auxiliary != 0 && has_whole_samples()) s[loads] = loads_of_samples(s[choices]);
    tensor::Tensor dlogits = router_backward(dweights, s[choices], s[scores], s[loads], router_,
                                             saved.loss_scale * static_cast<float>(router_.positions));
    s[loads].release();
    add_router_gradient(dnormal, dlogits, p);
    tensor::Tensor drouter;
    if (alone && !adapted()) drouter = router_gradient(s[normal], std::exchange(dlogits, {}), s[choices]);
    tensor::Tensor gains = tensor::Tensor::zeros(dy.memory(), 1, h_);
    tensor::Tensor dx = input_gradient(own.empty() ? dy : own, dnormal, p, s, gains, wanted);
    tensor::Tensor shared_input;
    if (shared_f_ > 0) shared_input = std::move(s[shared_active]);
    leave<backward_count>(
        s, {std::move(s[normal]), std::move(dlogits), std::move(s[choices]), std::move(s[weights]), std::move(dgates),
            std::move(s[active]), std::move(dy), std::move(gains), std::move(s[counts]), std::move(s[received]),
            std::move(doutput), std::move(dshared), std::move(shared_input), std::move(drouter)});
    leave_narrow_rows(s, std::move(narrow));
    return dx;
  }

  void backward_weight(layers::SavedTensors& saved, std::span<float> gradients) const override {
    const auto& s = saved.tensors;
    float* g = gradients.data();
    const ExpertPath path = path_of(s[w_choices], s[w_counts]);
    AllTokens all{nullptr, {}};
    if (!computes_own_tokens() || shared_f_ > 0) all = all_tokens(s[w_normal]);
    {
      tensor::Tensor dy;
      if (!shard_) {
        dy = permute(s[w_dy], h_, path.own);
        weigh(dy, h_, row_weights(s[w_weights], path.own), path.rows());
      }
      add_expert_gradients(g, out, s[w_active], shard_ ? s[w_doutput] : dy, s, path);
    }
    {
      tensor::Tensor input;
      if (!shard_) input = permute(*all, h_, path.own);
      add_expert_gradients(g, in, shard_ ? s[w_received] : input, s[w_dgates], s, path);
    }
    if (adapted()) {
      if (shared_f_ > 0) {
        add_gradients(g, shared_out, s[w_shared_active], s[w_dy], s, backward_count);
        add_gradients(g, shared_in, *all, s[w_dshared], s, backward_count);
      }
      return saved.tensors.clear();
    }
    if (computes_own_tokens()) {
      add(g + at_.router, s[w_drouter].data(), s[w_drouter].size());
    } else {
      add_weight_gradient(g + at_.router, *all, h_, s[w_dlogits], router_.experts);
      if (router_.bias_rate > 0) add_load_excess(g + at_.bias, s[w_choices], router_);
    }
    if (shared_f_ > 0) {
      add_weight_gradient(g + at_.shared_out, s[w_shared_active], shared_f_, s[w_dy], h_);
      add_weight_gradient(g + at_.shared_in, *all, h_, s[w_dshared], 2 * shared_f_);
    }
    add_gain_gradient(g, s[w_gains]);
    saved.tensors.clear();
  }

 private:
  bool computes_own_tokens() const override { return shard_ && divides_tokens(); }

  void draw(std::span<float> parameters, Random random) const override {
    const auto gain = static_cast<std::size_t>(at_.router);
    std::ranges::fill(parameters.first(gain), 1.0f);
    std::ranges::generate(parameters.subspan(gain), [&] { return 0.02f * random.normal(); });
    const auto biases = router_.bias_rate > 0 ? static_cast<std::size_t>(router_.experts) : 0;
    std::ranges::fill(parameters.subspan(static_cast<std::size_t>(at_.bias), biases), 0.0f);
  }

  tensor::Tensor compute(const HalfWeights& p, const tensor::Tensor& normed,
                         std::vector<tensor::Tensor>& s) const override {
    s[scores] = project(normed, h_, router_.experts, p + at_.router);
    score_experts(s[scores], router_);
    s[choices] = rows_like(normed, h_, router_.per_token);
    s[weights] = s[choices].empty_like();
    choose_experts(s[choices], s[weights], s[scores], router_, router_.bias_rate > 0 ? p + at_.bias : nullptr);
    count_loads(s);
    if (shard_)
      s[counts] = layers::ExpertRoutes::exchange_counts(*shard_, rows_by_expert(s[choices], router_, tokens_).first,
                                                        normed.memory());
    const ExpertPath path = path_of(s[choices], s[counts]);
    tensor::Tensor input = path.to_experts(permute(normed, h_, path.own), h_);
    s[gates] = adapted_products(p, in, input, path);
    if (shard_) s[received] = std::move(input);
    activate(s, path.rows());
    tensor::Tensor output = shared_forward(p, normed, s);
    add_unpermuted(output, path.from_experts(adapted_products(p, out, s[active], path), h_), h_, path.own,
                   s[weights].data());
    return output;
  }

  void restore_parts(const HalfWeights& p, std::vector<tensor::Tensor>& s,
                     const layers::RecomputedParts&) const override {
    if (s[active].empty()) activate(s, path_of(s[choices], s[counts]).rows());
    if (shared_f_ > 0 && s[shared_gates].empty()) activate_shared(p, *all_tokens(s[normal]), s);
  }

  void activate(std::vector<tensor::Tensor>& s, std::int64_t rows) const {
    s[active] = rows_like(s[gates], 2 * f_, f_);
    silu_gate(s[active].data(), s[gates].data(), rows, f_);
  }

  void activate_shared(const HalfWeights& p, const tensor::Tensor& all, std::vector<tensor::Tensor>& s) const {
    s[shared_gates] = project_adapted(all, p, products_[shared_in], shared_in);
    s[shared_active] = rows_like(all, h_, shared_f_);
    silu_gate(s[shared_active].data(), s[shared_gates].data(), all.size() / h_, shared_f_);
  }

  /// Counts the choices of whole samples, on all context ranks, and drops those beyond the capacity.
  void count_loads(std::vector<tensor::Tensor>& s) const {
    const bool limited = router_.capacity_percent > 0, kept = router_.auxiliary != 0 && !has_whole_samples();
    if (!limited && !kept) return;
    // A context rank has two chunks of a sample's positions.
    const std::int64_t chunk = router_.positions / context_.degree / (context_.degree > 1 ? 2 : 1);
    const std::int64_t split = std::clamp<std::int64_t>(chunk - own_.first, 0, own_.count);
    tensor::Tensor own = count_choices(s[choices], router_, split);
    tensor::Tensor before = tensor::Tensor::zeros(own.memory(), own.samples(), own.width());
    if (computes_own_tokens()) own = sum_of_partners(own, before);
    layers::ChunkSums sums = layers::sum_chunks(own, context_);
    add(before.data(), sums.before.data(), before.size());
    if (limited) drop_beyond_capacity(s[choices], before, router_, split);
    if (kept) s[loads] = std::move(sums.all);
  }

  bool has_whole_samples() const { return context_.degree == 1 && !computes_own_tokens(); }
  /// Returns the number of each expert's choices in each of the rank's samples, which are whole.
  tensor::Tensor loads_of_samples(const tensor::Tensor& chosen) const {
    return layers::sum_chunks(count_choices(chosen, router_, own_.count), context_).all;
  }

  /// Returns the sum over the tensor-parallel ranks. Adds to `before` that over the ranks before this one.
  tensor::Tensor sum_of_partners(const tensor::Tensor& own, tensor::Tensor& before) const {
    const tensor::Tensor all = partners().gather_equal(own);
    tensor::Tensor sum = tensor::Tensor::zeros(own.memory(), own.samples(), own.width());
    for (int rank = 0; rank < partners().shard().degree; ++rank) {
      add(sum.data(), all.data() + rank * own.size(), own.size());
      if (rank < partners().shard().rank) add(before.data(), all.data() + rank * own.size(), own.size());
    }
    return sum;
  }

  /// Returns the gradient of the router's weights, then what the biases get, summed over the ranks that divide the
  /// tokens.
  tensor::Tensor router_gradient(const tensor::Tensor& in, const tensor::Tensor& dlogits,
                                 const tensor::Tensor& chosen) const {
    const std::int64_t router = h_ * router_.experts;
    tensor::Tensor gradient =
        tensor::Tensor::zeros(in.memory(), 1, router + (router_.bias_rate > 0 ? router_.experts : 0));
    add_weight_gradient(gradient.data(), in, h_, dlogits, router_.experts);
    if (router_.bias_rate > 0) add_load_excess(gradient.data() + router, chosen, router_);
    partners().all_reduce(gradient);
    return gradient;
  }

  /// Tensors saved by forward, in this order; the last two with a shared part. With a balancing loss and parts of
  /// samples: the choices of whole ones by expert. With experts on other ranks: the numbers of rows from each rank, and
  /// these rows.
  enum ForwardSaved : std::size_t {
    scores = first_own,
    choices,
    weights,
    gates,
    active,
    loads,
    counts,
    received,
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
    w_counts,
    w_received,
    w_doutput,
    w_dshared,
    w_shared_active,
    w_drouter,
    backward_count
  };

  ExpertPath path_of(const tensor::Tensor& chosen, const tensor::Tensor& numbers) const {
    ExpertPath path{rows_by_expert(chosen, router_, tokens_), {}};
    if (shard_) {
      const std::span<const float> counts = numbers.values();
      path.routes.emplace(*shard_, path.own.first, std::vector<std::int64_t>(counts.begin(), counts.end()));
    }
    return path;
  }

  /// Returns the blocks of a rank, in the order of its own at_.
  std::vector<layers::ParameterBlock> blocks_of(const ExpertPlace& place) const {
    const layers::ShardRange own = place.columns(f_), held = place.experts(router_.experts),
                             shared = place.shared(shared_f_);
    std::vector<layers::ParameterBlock> blocks{{at_.gain, 1, at_.in, at_.in}};  // and the router's
    const layers::ParameterBlock in{at_.in + held.first * h_ * 2 * f_ + own.first, held.count * h_ * 2, own.count, f_},
        out{at_.out + (held.first * f_ + own.first) * h_, held.count, own.count * h_, f_ * h_};
    if (!place.shard) blocks.insert(blocks.end(), {in, out});
    if (shared_f_ > 0) {
      blocks.push_back({at_.shared_in + shared.first, 2 * h_, shared.count, shared_f_});
      blocks.push_back({at_.shared_out + shared.first * h_, 1, shared.count * h_, shared.count * h_});
    }
    if (place.shard) blocks.insert(blocks.end(), {in, out});
    return blocks;
  }

  /// Returns the output of the shared part for the tokens of `own`, or zeros.
  tensor::Tensor shared_forward(const HalfWeights& p, const tensor::Tensor& own, std::vector<tensor::Tensor>& s) const {
    if (shared_f_ == 0) return tensor::Tensor::zeros(own.memory(), own.samples(), own.width());
    if (!computes_own_tokens()) {
      activate_shared(p, own, s);
      return project_adapted(s[shared_active], p, products_[shared_out], shared_out);
    }
    activate_shared(p, *all_tokens(own), s);
    tensor::Tensor output = project_adapted(s[shared_active], p, products_[shared_out], shared_out);
    sum_tokens(output);
    return output;
  }

  /// Adds the router's part to the gradient of the norm's output, which has the rank's tokens.
  void add_router_gradient(tensor::Tensor& dnormal, const tensor::Tensor& dlogits, const HalfWeights& p) const {
    tensor::Tensor own;
    if (dnormal.size() / h_ != dlogits.size() / router_.experts) {
      own = dlogits.slice(0, dlogits.samples(), dlogits.memory());
      keep_own_tokens(own);
    }
    add_project_backward(dnormal, own.empty() ? dlogits : own, h_, router_.experts, p + at_.router);
  }

  /// Returns the gradient of the shared part's input, or zeros; `dshared` becomes that of its gates.
  tensor::Tensor shared_backward(const HalfWeights& p, std::vector<tensor::Tensor>& s, const tensor::Tensor& dy,
                                 tensor::Tensor& dshared, NarrowRows& narrow) const {
    if (shared_f_ == 0) return tensor::Tensor::zeros(dy.memory(), dy.samples(), dy.width());
    tensor::Tensor dactive = project_backward(dy, shared_f_, h_, p + at_.shared_out);
    add_adapter_backward(dactive, dy, p, shared_out, narrow);
    keep_narrow_rows(s[shared_active], p, shared_out, narrow);
    dshared = s[shared_gates].empty_like();
    silu_gate_backward(dshared.data(), dactive.data(), s[shared_gates].data(), dy.size() / h_, shared_f_);
    s[shared_gates].release();
    tensor::Tensor dnormal = project_backward(dshared, h_, 2 * shared_f_, p + at_.shared_in);
    add_adapter_backward(dnormal, dshared, p, shared_in, narrow);
    keep_narrow_rows(s[normal], p, shared_in, narrow, true);
    return dnormal;
  }

  /// Returns the gradient of the gates of the experts here. Sets that of the weights: an expert's output times the
  /// gradient of the sum, which is its columns' activations times theirs. With experts on other ranks, `doutput`
  /// becomes the gradient of their outputs.
  tensor::Tensor experts_backward(const HalfWeights& p, std::vector<tensor::Tensor>& s, const tensor::Tensor& dy,
                                  const ExpertPath& path, tensor::Tensor& dweights, tensor::Tensor& doutput,
                                  NarrowRows& narrow) const {
    tensor::Tensor dsum = path.to_experts(permute(dy, h_, path.own), h_);
    const tensor::Tensor scales = path.to_experts(row_weights(s[weights], path.own), 1);
    tensor::Tensor dactive = expert_products_backward(dsum, f_, h_, p + at_.out, path.first());
    if (has_adapter(out)) {
      tensor::Tensor gradient = narrow_gradient(adapter(out), p, dsum, path.first());
      add_adapter_input_gradient(adapter(out), p, dactive, gradient, path.first());
      weigh(gradient, adapter(out).narrow(), scales, path.rows());
      narrow.gradients[out] = std::move(gradient);
      narrow.inputs[out] = sum_of_columns(narrow_rows(adapter(out), p, s[active], path.first()), out, path);
    }
    tensor::Tensor dscales = scales.empty_like();
    for (std::int64_t row = 0; row < path.rows(); ++row)
      dscales.data()[row] = dot_product(dactive.data() + row * f_, s[active].data() + row * f_, f_);
    dscales = path.from_experts(std::move(dscales), 1);
    for (std::int64_t row = 0; row < path.own.count(); ++row)
      dweights.data()[path.own.choices[static_cast<std::size_t>(row)]] = dscales.data()[row];
    weigh(dactive, f_, scales, path.rows());
    if (shard_) {
      weigh(dsum, h_, scales, path.rows());
      doutput = std::move(dsum);
    }
    tensor::Tensor dgates = s[gates].empty_like();
    silu_gate_backward(dgates.data(), dactive.data(), s[gates].data(), path.rows(), f_);
    s[gates].release();
    return dgates;
  }

  /// Returns the products of the experts here, with their adapters.
  tensor::Tensor adapted_products(const HalfWeights& p, std::size_t number, const tensor::Tensor& rows,
                                  const ExpertPath& path) const {
    const layers::AdaptedProduct& product = products_[number];
    tensor::Tensor output = expert_products(rows, product.from, product.to, p + product.weight, path.first());
    if (has_adapter(number))
      add_adapted(adapter(number), p, output, narrow_rows(adapter(number), p, rows, path.first()), path.first());
    return output;
  }

  /// Returns the gradient of the inputs of the experts here.
  tensor::Tensor expert_inputs_backward(const HalfWeights& p, const std::vector<tensor::Tensor>& s,
                                        const tensor::Tensor& dgates, const ExpertPath& path,
                                        NarrowRows& narrow) const {
    tensor::Tensor dinput = expert_products_backward(dgates, h_, 2 * f_, p + at_.in, path.first());
    if (!has_adapter(in)) return dinput;
    tensor::Tensor gradient = narrow_gradient(adapter(in), p, dgates, path.first());
    add_adapter_input_gradient(adapter(in), p, dinput, gradient, path.first());
    narrow.gradients[in] = sum_of_columns(std::move(gradient), in, path);
    tensor::Tensor input;
    if (!shard_) input = permute(*all_tokens(s[normal]), h_, path.own);
    narrow.inputs[in] = narrow_rows(adapter(in), p, shard_ ? s[received] : input, path.first());
    return dinput;
  }

  /// Returns narrow rows of the experts here, summed over the ranks that have other columns of the same experts.
  tensor::Tensor sum_of_columns(tensor::Tensor narrow, std::size_t number, const ExpertPath& path) const {
    const std::int64_t width = adapter(number).narrow();
    if (!shard_) {
      sum_up(narrow);
      return narrow;
    }
    if (shard_->columns == 1) return narrow;
    return path.to_experts(path.from_experts(std::move(narrow), width), width);
  }

  /// Adds the gradients of a product of the experts here, or those of its adapters.
  void add_expert_gradients(float* g, std::size_t number, const tensor::Tensor& rows, const tensor::Tensor& gradient,
                            const std::vector<tensor::Tensor>& s, const ExpertPath& path) const {
    const layers::AdaptedProduct& product = products_[number];
    const std::size_t narrow = backward_count + 2 * number;
    if (has_adapter(number))
      add_adapter_gradients(adapter(number), g, rows, gradient, s[narrow], s[narrow + 1], path.first());
    else
      cpu::add_expert_gradients(g + product.weight, rows, product.from, gradient, product.to, path.first());
  }

  enum Product : std::size_t { shared_in, shared_out, in, out };

  std::int64_t h_, f_, shared_f_;  ///< the model's width, and those of the local columns
  RouterShape router_;
  std::vector<layers::AdaptedProduct> products_;
  layers::ExpertLayout at_;
  layers::ShardRange own_;                    ///< the tokens that the rank routes, of those that its group has
  std::optional<layers::ExpertShard> shard_;  ///< if ranks divide the experts
  layers::ContextShard context_;
  TokenShare tokens_;
  std::int64_t expert_parameters_ = 0, expert_adapters_ = 0;
};

/// Checks that groups are equal, and that those of a token have enough experts. With biases a group's score is of two.
Result<void> check_groups(const ModelLayer& layer, const RouterShape& router) {
  const auto bad = [&](const char* size, std::int64_t found, const std::string& expected) {
    return fail(ErrorCode::bad_input,
                fmt::format("layer '{}' (experts): {} is {}, expected {}", layer.name, size, found, expected));
  };
  const std::int64_t of_a_group = router.experts / router.groups,
                     least = router.groups > 1 && router.bias_rate != 0 ? 2 : 1;
  if (router.experts % router.groups != 0 || of_a_group < least)
    return bad("groups", router.groups,
               fmt::format("a divisor of the {} experts, with {} or more in a group", router.experts, least));
  if (router.groups_per_token > router.groups)
    return bad("groups_per_token", router.groups_per_token, fmt::format("at most the {} groups", router.groups));
  if (router.per_token > router.groups_per_token * of_a_group)
    return bad("per_token", router.per_token,
               fmt::format("at most the {} experts of a token's groups", router.groups_per_token * of_a_group));
  return {};
}

/// Returns the sizes on a rank, of which `context` is null if it has whole samples.
Result<ExpertSizes> expert_sizes(const ModelLayer& layer, const layers::ContextShard* context) {
  layers::SizeReader size(layer);
  ExpertSizes sizes{.hidden = size("hidden"),
                    .columns = size("feed_forward"),
                    .shared_columns = size("shared_feed_forward"),
                    .router = {.experts = size("experts"),
                               .per_token = size("per_token"),
                               .sequence = size("sequence"),
                               .positions = context ? context->sequence : size("sequence"),
                               .sigmoid = size("sigmoid") == 1,
                               .normalised = size("normalised") == 1,
                               .scale = static_cast<float>(size("scale_permille")) / 1000,
                               .auxiliary = static_cast<float>(size("auxiliary_loss_permille")) / 1000,
                               .capacity_percent = size("capacity_percent"),
                               .bias_rate = static_cast<float>(size("bias_rate_millionths")) / 1e6f,
                               .groups = size("groups"),
                               .groups_per_token = size("groups_per_token")},
                    .epsilon = epsilon_of(size("epsilon_billionths")),
                    .adapters = layers::adapters_of(layer)};
  size.bounded("weights of the experts", {2, sizes.hidden, sizes.columns, sizes.router.experts});
  size.bounded("weights of the shared part", {2, sizes.hidden, sizes.shared_columns});
  TRY_VOID(size.result());
  if (sizes.router.per_token > sizes.router.experts)
    return fail(ErrorCode::bad_input,
                fmt::format("layer '{}' (experts): per_token is {}, expected at most the {} experts", layer.name,
                            sizes.router.per_token, sizes.router.experts));
  if (sizes.router.groups_per_token == 0) sizes.router.groups_per_token = sizes.router.groups;
  TRY_VOID(check_groups(layer, sizes.router));
  return sizes;
}

}  // namespace

Result<std::unique_ptr<layers::BlockHalf>> make_experts_half(const ModelLayer& layer,
                                                             const layers::LayerSharding* sharding,
                                                             const layers::ExpertShard* shard,
                                                             const layers::ContextShard* context) {
  TRY(const ExpertSizes sizes, expert_sizes(layer, context));
  const ExpertPlace place{sharding ? &sharding->partners : nullptr, shard, context};
  if (!sharding && !shard) return std::make_unique<ExpertsLayer>(sizes, place);
  if (shard) {
    TRY_VOID(layers::check_shardable(layer, sizes.router.experts, "experts", {0, shard->experts, {}}));
    TRY_VOID(layers::check_shardable(layer, sizes.columns, "columns of each expert", {0, shard->columns, {}}));
  } else {
    TRY_VOID(layers::check_shardable(layer, sizes.columns, "columns of each expert", place.partners->shard()));
  }
  if (sharding && sizes.shared_columns > 0)
    TRY_VOID(layers::check_shardable(layer, sizes.shared_columns, "shared columns", place.partners->shard()));
  return ExpertsLayer::part_of(sizes, place);
}

}  // namespace pipedeck::runtime::cpu
