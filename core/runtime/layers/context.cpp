// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/layers/context.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "core/model/layer_kinds.hpp"
#include "core/runtime/layers/sharding.hpp"

namespace pipedeck::runtime::layers {
namespace {

/// Layers that treat each position by itself.
constexpr std::array<std::string_view, 5> by_position{"feed_forward", "layer_norm", "linear", "rms_norm",
                                                      "softmax_cross_entropy"};

}  // namespace

std::vector<ShardRange> context_positions(std::int64_t sequence, int rank, int degree) {
  if (degree == 1) return {{0, sequence}};
  const std::int64_t chunk = sequence / (2 * std::int64_t{degree});
  const std::int64_t last = 2 * std::int64_t{degree} - 1 - rank;
  if (last == rank + 1) return {{rank * chunk, 2 * chunk}};
  return {{rank * chunk, chunk}, {last * chunk, chunk}};
}

std::vector<std::int64_t> ContextShard::positions(int of) const {
  std::vector<std::int64_t> all;
  for (const ShardRange& range : context_positions(sequence, of, degree))
    for (std::int64_t i = 0; i < range.count; ++i) all.push_back(range.first + i);
  return all;
}

std::vector<std::int64_t> ContextShard::block_positions(int of) const {
  std::vector<std::int64_t> all;
  const int first = of - of % heads_ranks;
  for (int other = first; other < first + heads_ranks; ++other)
    std::ranges::copy(positions(other), std::back_inserter(all));
  std::ranges::sort(all);
  return all;
}

ContextShard ContextShard::of_heads() const {
  const bool all = heads_ranks == degree;
  return {rank % heads_ranks,
          heads_ranks,
          sequence / degree * heads_ranks,
          all ? group : heads_group,
          kind,
          heads_ranks,
          nullptr,
          nullptr};
}

ContextShard ContextShard::of_ring() const {
  return {rank / heads_ranks,
          degree / heads_ranks,
          sequence,
          heads_ranks == 1 ? group : ring_group,
          kind,
          1,
          nullptr,
          nullptr};
}

ModelSpec context_model(const ModelSpec& model, int degree) {
  ModelSpec local = model;
  for (ModelLayer& layer : local.layers)
    if (const auto found = layer.sizes.find("sequence"); found != layer.sizes.end()) found->second /= degree;
  return local;
}

Result<void> check_context(const ModelSpec& model, const KernelRegistry& kernels, int degree) {
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const ModelLayer& layer = model.layers[i];
    const std::string place = fmt::format("/layers/{}", i);
    if (std::ranges::find(by_position, layer.kind) == by_position.end() && !kernels.context.contains(layer.kind))
      return fail(
          ErrorCode::bad_input,
          fmt::format("layer '{}' ({}) needs all positions of a sample on {}: found {} context ranks, expected 1",
                      layer.name, layer.kind, kernels.where, degree),
          place);
    const auto sequence = size_of(layer, "sequence");
    if (!sequence) return fail(ErrorCode::bad_input, sequence.error().message, place);
    if (*sequence % (2 * std::int64_t{degree}) != 0)
      return fail(
          ErrorCode::bad_input,
          fmt::format("layer '{}' ({}): found {} positions, expected a multiple of {}, two chunks for each of {} "
                      "context ranks",
                      layer.name, layer.kind, *sequence, 2 * degree, degree),
          place);
  }
  return {};
}

Result<std::unique_ptr<LayerKernel>> make_rank_layer(const ModelLayer& layer, const KernelRegistry& kernels,
                                                     const RankPlaces& places) {
  const auto frozen = [&](std::unique_ptr<LayerKernel> made) { return frozen_if_asked(layer, std::move(made)); };
  if (places.experts)
    if (const auto found = kernels.experts.find(layer.kind); found != kernels.experts.end())
      return found->second(layer, places).map(frozen);
  if (places.context)
    if (const auto found = kernels.context.find(layer.kind); found != kernels.context.end())
      return found->second(layer, *places.context, places.sharding).map(frozen);
  return places.sharding ? make_sharded_layer(layer, kernels, *places.sharding) : make_layer(layer, kernels);
}

Result<std::vector<std::unique_ptr<LayerKernel>>> make_rank_layers(const ModelSpec& model, int first, int last,
                                                                   const KernelRegistry& kernels,
                                                                   const RankPlaces& places) {
  std::vector<std::unique_ptr<LayerKernel>> made;
  for (int i = first; i < last; ++i) {
    auto layer = make_rank_layer(model.layers[static_cast<std::size_t>(i)], kernels, places);
    if (!layer) return fail(layer.error().code, layer.error().message, fmt::format("/layers/{}", i));
    made.push_back(std::move(*layer));
  }
  return made;
}

Shard shard_of(const Stage& stage, int rank) {
  return {rank, stage.tensor_parallel, stage.shard_fractions.value_or(std::vector<double>()),
          stage.shard().divides_tokens()};
}

ContextShard context_of(const Stage& stage, int rank, std::int64_t sequence) {
  return {rank,
          stage.degrees.context,
          sequence,
          nullptr,
          stage.degrees.context_kind,
          stage.degrees.heads_ranks(),
          nullptr,
          nullptr};
}

ExpertShard experts_of(const Stage& stage, int rank) {
  return {rank, stage.degrees.expert, stage.degrees.expert_tensor, nullptr};
}

Result<void> check_shards(const ModelSpec& model, const Plan& plan, const KernelRegistry& kernels) {
  const int context = plan.stages.front().degrees.context;
  if (context > 1) TRY_VOID(check_context(model, kernels, context));
  const std::int64_t sequence = find_size(model.layers.back(), "sequence").value_or(1);
  const ModelSpec own = context_model(model, context);
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const Stage& stage = plan.stages[s];
    const ContextShard shard = context_of(stage, 0, sequence);
    const ExpertShard experts = experts_of(stage, 0);
    RankPlaces places{nullptr, context > 1 ? &shard : nullptr, nullptr};
    if (context > 1) TRY_VOID(make_rank_layers(own, stage.first, stage.last, kernels, places));
    if (experts.ranks() > 1) {
      places.experts = &experts;
      auto made = make_rank_layers(own, stage.first, stage.last, kernels, places);
      if (!made) return fail(made.error().code, made.error().message, fmt::format("/stages/{}/expert_parallel", s));
    }
    if (stage.tensor_parallel == 1) continue;
    auto made = make_sharded_layers(own, stage.first, stage.last, kernels, shard_of(stage, 0), nullptr,
                                    uniform_shard_range(plan, s), places);
    if (!made) return fail(made.error().code, made.error().message, fmt::format("/stages/{}/tensor_parallel", s));
  }
  return {};
}

}  // namespace pipedeck::runtime::layers
