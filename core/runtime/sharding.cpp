// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/sharding.hpp"

#include <array>
#include <tuple>

#include <fmt/format.h>

#include "core/runtime/trainer.hpp"

namespace pipedeck {
namespace {

using Pattern = CutPattern;

/// How a tensor lies between two layers.
enum Lies : std::size_t { whole, in_columns };

/// What a layer's kind allows, and the sizes that decide.
struct LayerWidths {
  std::int64_t input = 0, output = 0;                  ///< values a sample
  std::int64_t input_columns = 0, output_columns = 0;  ///< of each of their rows
  bool product = false, channels = false, inside = false, embedding = false;
};

LayerWidths widths_of(const ModelLayer& layer, const LayerKernel& kernel) {
  LayerWidths widths{kernel.input_width(), kernel.output_width()};
  const std::string& kind = layer.kind;
  widths.product = kind == "linear" || kind == "convolution";
  widths.channels = kind == "batch_norm" || kind.ends_with("_pool");
  widths.inside = kind == "transformer" || kind == "lstm" || kind == "residual" || kind == "bottleneck";
  widths.embedding = kind == "embedding";
  if (widths.product) widths.input_columns = layer.size("in"), widths.output_columns = layer.size("out");
  if (widths.channels) widths.input_columns = widths.output_columns = layer.size("channels");
  if (widths.embedding) widths.output_columns = layer.size("hidden");
  return widths;
}

/// The cheapest way to how a tensor lies.
struct Way {
  bool possible = false;
  std::tuple<std::int64_t, int> cost{};  ///< values moved; layers computed alike
  std::vector<ShardingChoice> choices;
};

class Chooser {
 public:
  explicit Chooser(int degree) : degree_(degree) { now_[whole].possible = true; }

  /// `wanted`: its input's gradient. False where the layer can't be cut so often.
  bool add(const LayerWidths& layer, bool wanted) {
    next_ = {};
    const std::int64_t input_sum = wanted ? 2 * layer.input : 0, input_gather = wanted ? layer.input : 0;
    if (layer.channels && continues(layer.input_columns))
      take(in_columns, in_columns, 0, {Pattern::channels, false, false, columns_});
    if ((layer.product || layer.embedding) && layer.output_columns >= degree_)
      take(whole, in_columns, input_sum, {Pattern::columns, true, false, 0});
    if (layer.product && continues(layer.input_columns))
      take(in_columns, whole, 2 * layer.output, {Pattern::rows, false, true, columns_});
    if (layer.product && layer.input_columns >= degree_)
      take(whole, whole, input_gather + 2 * layer.output, {Pattern::rows, true, true, layer.input_columns});
    if (layer.inside) take(whole, whole, 0, {Pattern::inside, true, true, 0});
    if (!layer.product && !layer.embedding && !layer.inside) take(whole, whole, 0, {});
    now_ = std::move(next_);
    columns_ = layer.output_columns;
    gather(layer.output);
    return now_[whole].possible;
  }

  std::vector<ShardingChoice> choices(bool may_stay_in_columns) const {
    const bool stays = may_stay_in_columns && now_[in_columns].possible && now_[in_columns].cost < now_[whole].cost;
    return now_[stays ? in_columns : whole].choices;
  }

 private:
  /// Whether what is in columns now can be taken for rows of `columns` columns: these, or several of them side by side.
  bool continues(std::int64_t columns) const { return now_[in_columns].possible && columns % columns_ == 0; }

  void take(Lies from, Lies to, std::int64_t moved, const ShardingChoice& choice) {
    if (!now_[from].possible) return;
    const auto& [before, alike] = now_[from].cost;
    const std::tuple cost{before + moved, alike + (choice.pattern == Pattern::alike ? 1 : 0)};
    if (next_[to].possible && next_[to].cost <= cost) return;
    next_[to] = {true, cost, now_[from].choices};
    next_[to].choices.push_back(choice);
  }

  void gather(std::int64_t width) {
    if (!now_[in_columns].possible) return;
    Way gathered = now_[in_columns];
    std::get<0>(gathered.cost) += width;
    gathered.choices.back().output_whole = true;
    if (!now_[whole].possible || gathered.cost < now_[whole].cost) now_[whole] = std::move(gathered);
  }

  std::int64_t degree_;
  std::array<Way, 2> now_, next_;
  std::int64_t columns_ = 1;  ///< of what is in columns now
};

Result<std::unique_ptr<LayerKernel>> make_part(const ModelLayer& layer, const Kernels& kernels,
                                               const LayerSharding& sharding) {
  if (sharding.choice.pattern == Pattern::alike) return make_layer(layer, kernels);
  const auto found = kernels.sharded.find(layer.kind);
  if (found != kernels.sharded.end()) return found->second(layer, sharding);
  return fail(ErrorCode::bad_input,
              fmt::format("layer '{}' ({}) can't be cut over several devices", layer.name, layer.kind));
}

tl::unexpected<Error> at_layer(Error error, int index) {
  error.place = fmt::format("/layers/{}", index);
  return tl::unexpected(std::move(error));
}

}  // namespace

Result<std::vector<ShardingChoice>> choose_sharding(const ModelSpec& model, int first, int last, const Kernels& kernels,
                                                    int degree) {
  Chooser chooser(degree);
  LayerWidths widths;
  for (int i = first; i < last; ++i) {
    const ModelLayer& layer = model.layers[static_cast<std::size_t>(i)];
    const auto kernel = make_layer(layer, kernels);
    if (!kernel) return at_layer(kernel.error(), i);
    widths = widths_of(layer, **kernel);
    if (!chooser.add(widths, i > 0))
      return fail(ErrorCode::bad_input,
                  fmt::format("layer '{}' ({}) takes {} columns and gives {}, which can't be cut over {} devices",
                              layer.name, layer.kind, widths.input_columns, widths.output_columns, degree),
                  fmt::format("/layers/{}", i));
  }
  const bool loss_follows = last == plannable_layers(model) && model.layers.back().kind == "softmax_cross_entropy" &&
                            model.layers.back().size("classes") == widths.output_columns;
  return chooser.choices(loss_follows && widths.product);
}

LayersCutAlike cut_alike_with(const Plan& plan, std::size_t stage) {
  const Stage& own = plan.stages[stage];
  const auto alike = [&](std::size_t other) {
    const Stage& candidate = plan.stages[other];
    return candidate.tensor_parallel == own.tensor_parallel && candidate.shards == own.shards &&
           candidate.replicas() == own.replicas() &&
           replica_samples(candidate, plan.micro_batch) == replica_samples(own, plan.micro_batch);
  };
  std::size_t first = stage, last = stage;
  while (first > 0 && alike(first - 1)) --first;
  while (last + 1 < plan.stages.size() && alike(last + 1)) ++last;
  return {plan.stages[first].first, plan.stages[last].last};
}

Result<ShardedLayers> make_sharded_layers(const ModelSpec& model, int first, int last, const Kernels& kernels,
                                          const Shard& shard, std::shared_ptr<Collective> group,
                                          std::optional<LayersCutAlike> alike) {
  const LayersCutAlike all = alike.value_or(LayersCutAlike{first, last});
  const auto choices = choose_sharding(model, all.first, all.last, kernels, shard.degree);
  if (!choices) return tl::unexpected(choices.error());
  const Partners partners(shard, std::move(group));
  ShardedLayers made;
  for (int i = first; i < last; ++i) {
    const ShardingChoice& choice = (*choices)[static_cast<std::size_t>(i - all.first)];
    auto layer = make_part(model.layers[static_cast<std::size_t>(i)], kernels, {partners, choice});
    if (!layer) return at_layer(layer.error(), i);
    made.layers.push_back(std::move(*layer));
    if (!choice.output_whole && i + 1 == plannable_layers(model)) made.loss = partners;
  }
  return made;
}

}  // namespace pipedeck
