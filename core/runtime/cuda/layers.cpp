// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/layers.hpp"

#include <fmt/format.h>

#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cuda/gpu_ops.hpp"
#include "core/runtime/cuda/kernels.hpp"
#include "core/runtime/layers/sharded_layer.hpp"

namespace pipedeck::runtime::cuda {
namespace {

layers::KernelFactory factory(const layers::KernelFactory& on_processor, MakeLayer* make) {
  return [on_processor, make](const ModelLayer& layer) {
    return on_processor(layer).map(
        [&](std::unique_ptr<layers::LayerKernel> made) { return make(layer, std::move(made)); });
  };
}

layers::KernelFactory with_positions(const layers::KernelFactory& embedding) {
  return [embedding](const ModelLayer& layer) -> Result<std::unique_ptr<layers::LayerKernel>> {
    if (layer.size("positions") == 1) return embedding(layer);
    return fail(ErrorCode::bad_input,
                fmt::format("layer '{}' (embedding) has positions 0, expected 1: on GPUs it has a table of positions",
                            layer.name));
  };
}

template <class T>
layers::ShardedFactory sharded_transformer(const layers::ShardedFactory& on_processor) {
  return [on_processor](const ModelLayer& layer, const layers::LayerSharding& sharding) {
    return on_processor(layer, sharding).map([&](std::unique_ptr<layers::LayerKernel> made) {
      return make_sharded_transformer<T>(layer, sharding, std::move(made));
    });
  };
}

}  // namespace

layers::KernelRegistry cuda_kernels(Precision precision) {
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
           {"global_average_pool", make_pool},
           {"layer_norm", make_layer_norm},
           {"linear", make_linear},
           {"lstm", make_lstm},
           {"max_pool", make_pool},
           {"residual", make_block},
           {"transformer", halves ? make_transformer<Bf16> : make_transformer<float>}})
    kernels.layers[kind] = factory(processors.layers.at(kind), make);
  kernels.layers["embedding"] = with_positions(kernels.layers["embedding"]);
  const auto weights = [&](const char* kind, MakeLayer* make) { return factory(processors.layers.at(kind), make); };
  const auto rows_layer = [](layers::KernelPart part, std::int64_t columns, layers::Activation activation) {
    return std::make_unique<layers::RowParallelLayer<GpuOps>>(std::move(part), columns, activation);
  };
  kernels.sharded = layers::smaller_layers({kernels.layers, weights("linear", make_linear_weights),
                                            weights("convolution", make_convolution_weights), rows_layer});
  kernels.sharded["bottleneck"] = kernels.sharded["residual"] = make_sharded_block;
  kernels.sharded["lstm"] = make_sharded_lstm;
  const layers::ShardedFactory& transformer = processors.sharded.at("transformer");
  kernels.sharded["transformer"] =
      halves ? sharded_transformer<Bf16>(transformer) : sharded_transformer<float>(transformer);
  return kernels;
}

}  // namespace pipedeck::runtime::cuda
