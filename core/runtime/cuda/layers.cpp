// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/layers.hpp"

#include <array>

#include <fmt/format.h>

#include "core/model/layer_kinds.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cuda/gpu_ops.hpp"
#include "core/runtime/cuda/kernels.hpp"
#include "core/runtime/layers/sharded_layer.hpp"

namespace pipedeck::runtime::cuda {
namespace {

/// Refuses groups of experts: a router of GPUs chooses among all.
Result<void> check_router(const ModelLayer& layer) {
  if (layer.kind != "experts" || layer.size("groups") <= 1) return {};
  return fail(ErrorCode::bad_input,
              fmt::format("layer '{}' (experts): found {} as 'groups', expected 1: GPUs choose a token's experts among "
                          "all of them",
                          layer.name, layer.size("groups")));
}

layers::KernelFactory factory(const layers::KernelFactory& on_processor, MakeLayer* make) {
  return [on_processor, make](const ModelLayer& layer) -> Result<std::unique_ptr<layers::LayerKernel>> {
    TRY_VOID(check_router(layer));
    TRY(auto made, on_processor(layer));
    TRY_VOID(check_expert_adapters(layer, *made));
    return make(layer, std::move(made));
  };
}

using MakeShard = std::unique_ptr<layers::LayerKernel>(const ModelLayer& layer, const layers::LayerSharding& sharding,
                                                       std::unique_ptr<layers::LayerKernel> on_processor);
layers::ShardedFactory sharded(const layers::ShardedFactory& on_processor, MakeShard* make) {
  return [on_processor, make](const ModelLayer& layer,
                              const layers::LayerSharding& sharding) -> Result<std::unique_ptr<layers::LayerKernel>> {
    TRY_VOID(check_router(layer));
    TRY(auto made, on_processor(layer, sharding));
    TRY_VOID(check_expert_adapters(layer, *made));
    return make(layer, sharding, std::move(made));
  };
}

/// Attention computes all earlier positions, not a window of them.
bool has_window(const ModelLayer& layer) {
  const bool attends = layer.kind == "attention" || layer.kind == "decoder";
  return attends && layer.size("window") > 0 && layer.size("window") < layer.size("sequence");
}
template <class Factory>
Factory without_window(const Factory& make) {
  return [make](const ModelLayer& layer, const auto&... place) -> Result<std::unique_ptr<layers::LayerKernel>> {
    if (!has_window(layer)) return make(layer, place...);
    return fail(ErrorCode::bad_input,
                fmt::format("layer '{}' ({}) has a window of {}, expected none, or the sequence of {}: GPUs attend to "
                            "all positions",
                            layer.name, layer.kind, layer.size("window"), layer.size("sequence")));
  };
}

}  // namespace

Result<void> check_expert_adapters(const ModelLayer& layer, const layers::LayerKernel& on_processor) {
  if (layer.kind != "experts" || on_processor.frozen_parameters() == 0) return {};
  return fail(ErrorCode::bad_input,
              fmt::format("layer '{}' ({}): found adapters for 'linear' products, expected 'attention' or "
                          "'query-value': GPUs have no adapters in experts",
                          layer.name, layer.kind));
}

layers::KernelRegistry cuda_kernels(Precision precision) {
  constexpr std::array decoders{"attention", "decoder", "feed_forward"};
  const bool halves = element_of(precision) == Element::bf16;
  const layers::KernelRegistry processors = cpu::cpu_kernel_registry();
  layers::KernelRegistry kernels;
  kernels.where = "GPUs";
  for (const auto& [kind, make] : std::initializer_list<std::pair<const char*, MakeLayer*>>{
           {"average_pool", make_pool},
           {"batch_norm", make_batch_norm},
           {"bottleneck", make_block},
           {"convolution", make_convolution},
           {"embedding", make_embedding},
           {"experts", halves ? make_experts<Bf16> : make_experts<float>},
           {"global_average_pool", make_pool},
           {"layer_norm", make_layer_norm},
           {"linear", make_linear},
           {"lstm", make_lstm},
           {"max_pool", make_pool},
           {"residual", make_block},
           {"rms_norm", make_rms_norm},
           {"transformer", halves ? make_transformer<Bf16> : make_transformer<float>}})
    kernels.layers[kind] = factory(processors.layers.at(kind), make);
  for (const char* kind : decoders)
    kernels.layers[kind] =
        without_window(factory(processors.layers.at(kind), halves ? make_decoder<Bf16> : make_decoder<float>));
  const auto weights = [&](const char* kind, MakeLayer* make) { return factory(processors.layers.at(kind), make); };
  const auto rows_layer = [](layers::KernelPart part, std::int64_t columns, layers::Activation activation) {
    return std::make_unique<layers::RowParallelLayer<GpuOps>>(std::move(part), columns, activation);
  };
  kernels.sharded = layers::smaller_layers({kernels.layers, weights("linear", make_linear_weights),
                                            weights("convolution", make_convolution_weights), rows_layer});
  kernels.sharded["bottleneck"] = kernels.sharded["residual"] = make_sharded_block;
  kernels.sharded["experts"] =
      sharded(processors.sharded.at("experts"), halves ? make_sharded_experts<Bf16> : make_sharded_experts<float>);
  kernels.experts["experts"] = halves ? make_divided_experts<Bf16> : make_divided_experts<float>;
  kernels.sharded["embedding"] = [columns = kernels.sharded["embedding"],
                                  words = sharded(processors.sharded.at("embedding"), make_sharded_words)](
                                     const ModelLayer& layer, const layers::LayerSharding& sharding) {
    return is_tied(layer) ? words(layer, sharding) : columns(layer, sharding);
  };
  kernels.sharded["lstm"] = make_sharded_lstm;
  kernels.sharded["transformer"] = sharded(processors.sharded.at("transformer"),
                                           halves ? make_sharded_transformer<Bf16> : make_sharded_transformer<float>);
  for (const char* kind : decoders)
    kernels.sharded[kind] = without_window(
        sharded(processors.sharded.at(kind), halves ? make_sharded_decoder<Bf16> : make_sharded_decoder<float>));
  kernels.adapters = true;
  kernels.tied_ends = true;
  kernels.tokens = {"attention", "decoder", "feed_forward", "layer_norm", "rms_norm", "transformer"};
  return kernels;
}

}  // namespace pipedeck::runtime::cuda
