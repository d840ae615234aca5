// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/layers/sharding.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/model/layer_kinds.hpp"
#include "core/plan/sharding_path.hpp"
#include "core/plan/stages_alike.hpp"
#include "core/runtime/layers/context.hpp"
#include "core/runtime/layers/token_parts.hpp"

namespace pipedeck::runtime::layers {
namespace {

using Pattern = ShardingKind;
using enum TensorLayout;

/// The shardings that a layer's kind allows, and the relevant sizes.
struct LayerWidths {
  std::int64_t input = 0, output = 0;                  ///< values per sample
  std::int64_t input_columns = 0, output_columns = 0;  ///< per row
  bool product = false, channels = false, inside = false, embedding = false;
  bool tied = false;  ///< its columns are words
};

LayerWidths widths_of(const ModelLayer& layer, const LayerKernel& kernel) {
  LayerWidths widths{kernel.input_width(), kernel.output_width()};
  const std::string& kind = layer.kind;
  widths.product = kind == "linear" || kind == "convolution";
  widths.channels = kind == "batch_norm" || kind.ends_with("_pool");
  constexpr std::array<std::string_view, 10> inside{"attention",    "bottleneck",       "decoder",        "experts",
                                                    "feed_forward", "latent_attention", "latent_decoder", "lstm",
                                                    "residual",     "transformer"};
  widths.inside = std::ranges::find(inside, kind) != inside.end();
  widths.tied = is_tied(layer);
  widths.inside = widths.inside || (kind == "embedding" && widths.tied);
  widths.embedding = kind == "embedding" && !widths.tied;
  if (widths.product) widths.input_columns = layer.size("in"), widths.output_columns = layer.size("out");
  if (widths.channels) widths.input_columns = widths.output_columns = layer.size("channels");
  if (widths.embedding) widths.output_columns = layer.size("hidden");
  return widths;
}

/// A search for the shardings of each layer in sequence, from the model's first layer on.
class ShardingFinder {
 public:
  explicit ShardingFinder(int degree) : degree_(degree) {}

  /// Returns the shardings of a layer. `wanted`: its input's gradient is needed. Ties in cost go to the first: fewer
  /// replicated computations first, gathers last.
  std::vector<ShardingOption> ways(const LayerWidths& layer, bool wanted) {
    found_.clear();
    const std::int64_t input_sum = wanted ? 2 * layer.input : 0, input_gather = wanted ? layer.input : 0;
    if (layer.channels && continues(layer.input_columns))
      add({column_sharded, column_sharded, 0}, {Pattern::channels, false, false, columns_});
    if ((layer.product || layer.embedding) && layer.output_columns >= degree_)
      add({replicated, column_sharded, input_sum}, {Pattern::columns, true, false, 0});
    if (layer.product && !layer.tied && continues(layer.input_columns))
      add({column_sharded, replicated, 2 * layer.output}, {Pattern::rows, false, true, columns_});
    if (layer.product && !layer.tied && layer.input_columns >= degree_)
      add({replicated, replicated, input_gather + 2 * layer.output}, {Pattern::rows, true, true, layer.input_columns});
    if (layer.inside) add({replicated, replicated, 0}, {Pattern::internal, true, true, 0});
    if (!layer.product && !layer.embedding && !layer.inside) add({replicated, replicated, 0, true}, {});
    insert_all_gathers(layer.output);
    in_columns_ = std::ranges::any_of(found_, [](const ShardingOption& way) { return way.step.to == column_sharded; });
    columns_ = layer.output_columns;
    return found_;
  }

 private:
  /// True if the column-sharded output of the layer before is a valid input with rows of `columns` columns: these, or
  /// several of them side by side.
  bool continues(std::int64_t columns) const { return in_columns_ && columns % columns_ == 0; }

  void add(const ShardingStep& step, const ShardingChoice& choice) { found_.push_back({step, choice}); }

  /// Adds a variant with a gathered output for each column-sharded one.
  void insert_all_gathers(std::int64_t width) {
    const std::size_t count = found_.size();
    for (std::size_t i = 0; i < count; ++i) {
      ShardingOption way = found_[i];
      if (way.step.to == replicated) continue;
      way.step.to = replicated, way.step.moved += width;
      way.choice.output_whole = true;
      found_.push_back(way);
    }
  }

  std::int64_t degree_;
  std::vector<ShardingOption> found_;
  bool in_columns_ = false;   ///< the layer before may leave its output column-sharded
  std::int64_t columns_ = 1;  ///< number of these columns
};

/// Returns the kernel of a layer of which each rank has some tokens.
Result<std::unique_ptr<LayerKernel>> make_token_part(ModelLayer layer, const KernelRegistry& kernels,
                                                     const RankPlaces& places, TokenPart::Ends ends) {
  const TensorParallelGroup& partners = places.sharding->partners;
  const std::int64_t sequence = layer.size("sequence");
  TRY_VOID(check_shardable(layer, sequence, "positions", partners.shard()));
  ends.norm = is_norm(layer);
  if (ends.norm) layer.sizes["sequence"] = partners.local_positions(sequence).count;
  TRY(auto inner, make_rank_layer(layer, kernels, places));
  if (!ends.any()) return inner;
  return std::make_unique<TokenPart>(std::move(inner), partners, sequence, ends);
}

tl::unexpected<Error> at_layer(Error error, int index) {
  error.place = fmt::format("/layers/{}", index);
  return tl::unexpected(std::move(error));
}

}  // namespace

Result<std::vector<LayerShardings>> sharding_ways(const ModelSpec& model, int last, const KernelRegistry& kernels,
                                                  int degree) {
  ShardingFinder finder(degree);
  std::vector<LayerShardings> all;
  LayerWidths widths;
  for (int i = 0; i < last; ++i) {
    const ModelLayer& layer = model.layers[static_cast<std::size_t>(i)];
    const auto kernel = make_layer(layer, kernels);
    if (!kernel) return at_layer(kernel.error(), i);
    widths = widths_of(layer, **kernel);
    all.push_back({finder.ways(widths, i > 0), widths.input_columns, widths.output_columns});
  }
  if (last < plannable_layers(model)) return all;
  // Logits may stay column-sharded if the loss accepts it.
  const bool loss_takes_columns = widths.product && model.layers.back().kind == "softmax_cross_entropy" &&
                                  model.layers.back().size("classes") == widths.output_columns;
  if (!loss_takes_columns)
    std::erase_if(all.back().ways, [](const ShardingOption& way) { return way.step.to == column_sharded; });
  return all;
}

Result<std::vector<ShardingChoice>> choose_sharding(const ModelSpec& model, int first, int last,
                                                    const KernelRegistry& kernels, int degree) {
  TRY(const auto all, sharding_ways(model, last, kernels, degree));
  plan::ShardingPath path;
  for (int i = first; i < last; ++i) {
    const LayerShardings& layer = all[static_cast<std::size_t>(i)];
    std::vector<ShardingStep> steps;
    for (const ShardingOption& way : layer.ways) steps.push_back(way.step);
    if (!path.add(steps))
      return fail(
          ErrorCode::bad_input,
          fmt::format("layer '{}' ({}) takes {} columns and gives {}, which can't be cut over {} devices",
                      model.layers[static_cast<std::size_t>(i)].name, model.layers[static_cast<std::size_t>(i)].kind,
                      layer.input_columns, layer.output_columns, degree),
          fmt::format("/layers/{}", i));
  }
  std::vector<ShardingChoice> choices;
  for (const std::size_t way : path.chosen(last == plannable_layers(model)))
    choices.push_back(all[static_cast<std::size_t>(first) + choices.size()].ways[way].choice);
  return choices;
}

Result<std::unique_ptr<LayerKernel>> make_sharded_layer(const ModelLayer& layer, const KernelRegistry& kernels,
                                                        const LayerSharding& sharding) {
  if (sharding.choice.pattern == Pattern::replicated) return make_layer(layer, kernels);
  const auto found = kernels.sharded.find(layer.kind);
  if (found != kernels.sharded.end()) {
    TRY(auto made, found->second(layer, sharding));
    return frozen_if_asked(layer, std::move(made));
  }
  return fail(ErrorCode::bad_input,
              fmt::format("layer '{}' ({}) can't be cut over several devices", layer.name, layer.kind));
}

UniformShardRange uniform_shard_range(const Plan& plan, std::size_t stage) {
  const std::span<const Stage> alike = plan::uniformly_sharded_stages(plan, StageId(stage));
  return {alike.front().first, alike.back().last};
}

Result<ShardedLayers> make_sharded_layers(const ModelSpec& model, int first, int last, const KernelRegistry& kernels,
                                          const Shard& shard, std::shared_ptr<transport::Collective> group,
                                          std::optional<UniformShardRange> alike, RankPlaces places) {
  const UniformShardRange all = alike.value_or(UniformShardRange{first, last});
  TRY(const auto choices, choose_sharding(model, all.first, all.last, kernels, shard.degree));
  const TensorParallelGroup partners(shard, std::move(group));
  const auto has_tokens = [&](int i) {
    return shard.tokens && i >= all.first && i < all.last &&
           kernels.tokens.contains(model.layers[static_cast<std::size_t>(i)].kind);
  };
  ShardedLayers made;
  for (int i = first; i < last; ++i) {
    const ShardingChoice& choice = choices[static_cast<std::size_t>(i - all.first)];
    const ModelLayer& spec = model.layers[static_cast<std::size_t>(i)];
    const LayerSharding sharding{partners, choice};
    places.sharding = &sharding;
    auto layer = has_tokens(i) ? make_token_part(spec, kernels, places, {!has_tokens(i - 1), !has_tokens(i + 1)})
                               : make_rank_layer(spec, kernels, places);
    if (!layer) return at_layer(layer.error(), i);
    made.layers.push_back(std::move(*layer));
    if (!choice.output_whole && i + 1 == plannable_layers(model)) made.loss = partners;
  }
  return made;
}

}  // namespace pipedeck::runtime::layers
