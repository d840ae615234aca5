// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cpu/layers.hpp"

#include "core/model/layer_kinds.hpp"
#include "core/runtime/cpu/cpu_ops.hpp"
#include "core/runtime/cpu/softmax_cross_entropy.hpp"
#include "core/runtime/layers/sharded_layer.hpp"

namespace pipedeck::runtime::cpu {

layers::KernelRegistry cpu_kernel_registry() {
  layers::KernelRegistry kernels;
  kernels.layers = {{"attention", make_decoder},
                    {"average_pool", make_average_pool},
                    {"batch_norm", make_batch_norm},
                    {"bottleneck", make_block},
                    {"convolution", make_convolution},
                    {"decoder", make_decoder},
                    {"embedding", make_embedding},
                    {"experts", make_decoder},
                    {"feed_forward", make_decoder},
                    {"global_average_pool", make_global_average_pool},
                    {"latent_attention", make_decoder},
                    {"latent_decoder", make_decoder},
                    {"layer_norm", make_layer_norm},
                    {"linear", make_linear},
                    {"lstm", make_lstm},
                    {"max_pool", make_max_pool},
                    {"residual", make_block},
                    {"rms_norm", make_rms_norm},
                    {"transformer", make_transformer}};
  const auto rows_layer = [](layers::KernelPart part, std::int64_t columns, layers::Activation activation) {
    return std::make_unique<layers::RowParallelLayer<CpuOps>>(std::move(part), columns, activation);
  };
  kernels.sharded = layers::smaller_layers({kernels.layers, make_linear_weights, make_convolution_weights, rows_layer});
  kernels.sharded["bottleneck"] = kernels.sharded["residual"] = make_sharded_block;
  for (const char* kind : {"attention", "decoder", "experts", "feed_forward", "latent_attention", "latent_decoder"})
    kernels.sharded[kind] = make_sharded_decoder;
  kernels.sharded["lstm"] = make_sharded_lstm;
  kernels.sharded["transformer"] = make_sharded_transformer;
  kernels.context["embedding"] = make_context_embedding;
  for (const char* kind : {"attention", "decoder", "experts", "latent_attention", "latent_decoder"})
    kernels.context[kind] = make_context_decoder;
  kernels.experts["experts"] = make_divided_experts;
  kernels.sharded["embedding"] = [columns = kernels.sharded["embedding"]](const ModelLayer& layer,
                                                                          const layers::LayerSharding& sharding) {
    return is_tied(layer) ? make_sharded_words(layer, nullptr, sharding) : columns(layer, sharding);
  };
  kernels.adapters = true;
  kernels.tied_ends = true;
  kernels.tokens = {"attention",      "decoder",    "experts",  "feed_forward", "latent_attention",
                    "latent_decoder", "layer_norm", "rms_norm", "transformer"};
  return kernels;
}

layers::Backend cpu_backend(layers::KernelRegistry kernels) {
  layers::Backend backend;
  backend.kernels = std::move(kernels);
  backend.device = [](std::size_t) { return tensor::cpu_device(); };
  backend.loss = processor_loss;
  return backend;
}

}  // namespace pipedeck::runtime::cpu
