// SPDX-License-Identifier: Apache-2.0
// Blocks of today's language models, of two halves: attention, then a feed-forward or experts.
#include "core/runtime/cpu/halves.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/layers/adapters.hpp"
#include "core/runtime/layers/context.hpp"
#include "core/runtime/layers/frozen_layer.hpp"

namespace pipedeck::runtime::cpu {
namespace {

/// Makes the halves of a layer's kind.
Result<std::unique_ptr<layers::LayerKernel>> make_halves(const ModelLayer& layer, const layers::LayerSharding* sharding,
                                                         const layers::ContextShard* context = nullptr) {
  if (layer.kind == "attention") return make_attention_half(layer, sharding, context);
  if (layer.kind == "latent_attention") return make_latent_attention_half(layer, sharding, context);
  if (layer.kind == "feed_forward") return make_feed_forward_half(layer, sharding);
  if (layer.kind == "experts") return make_experts_half(layer, sharding, nullptr, context);
  TRY(auto attention, layer.kind == "latent_decoder" ? make_latent_attention_half(layer, sharding, context)
                                                     : make_attention_half(layer, sharding, context));
  TRY(auto feed_forward, make_feed_forward_half(layer, sharding));
  const auto frozen = [&](std::unique_ptr<layers::BlockHalf> half) -> std::unique_ptr<layers::BlockHalf> {
    if (!layers::adapters_of(layer).freezes() || half->frozen_parameters() > 0) return half;
    const std::size_t saved = half->forward_tensors();
    return std::make_unique<layers::FrozenLayer>(std::move(half), saved);
  };
  return std::make_unique<layers::TwoHalves>(frozen(std::move(attention)), frozen(std::move(feed_forward)));
}

}  // namespace

Result<std::unique_ptr<layers::LayerKernel>> make_decoder(const ModelLayer& layer) {
  return make_halves(layer, nullptr);
}

Result<std::unique_ptr<layers::LayerKernel>> make_sharded_decoder(const ModelLayer& layer,
                                                                  const layers::LayerSharding& sharding) {
  return make_halves(layer, &sharding);
}

Result<std::unique_ptr<layers::LayerKernel>> make_divided_experts(const ModelLayer& layer,
                                                                  const layers::RankPlaces& places) {
  return make_experts_half(layer, places.sharding, places.experts, places.context);
}

Result<std::unique_ptr<layers::LayerKernel>> make_context_decoder(const ModelLayer& layer,
                                                                  const layers::ContextShard& context,
                                                                  const layers::LayerSharding* sharding) {
  return make_halves(layer, sharding, &context);
}

}  // namespace pipedeck::runtime::cpu
