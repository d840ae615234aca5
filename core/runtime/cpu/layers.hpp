// SPDX-License-Identifier: Apache-2.0
// The CPU's kinds of layers, one per file (sizes: core/model/model.hpp).
#pragma once

#include <memory>

#include "core/runtime/layers/backend.hpp"
#include "core/runtime/layers/layer_kernel.hpp"
#include "core/runtime/layers/sharding.hpp"

namespace pipedeck::runtime::cpu {

/// Returns the CPU's layer kinds.
layers::KernelRegistry cpu_kernel_registry();
/// Returns the backend of the CPU, with these layer kinds.
layers::Backend cpu_backend(layers::KernelRegistry kernels = cpu_kernel_registry());

Result<std::unique_ptr<layers::LayerKernel>> make_average_pool(const ModelLayer& layer);
Result<std::unique_ptr<layers::LayerKernel>> make_batch_norm(const ModelLayer& layer);
Result<std::unique_ptr<layers::LayerKernel>> make_block(const ModelLayer& layer);  ///< "residual", "bottleneck"
Result<std::unique_ptr<layers::LayerKernel>> make_convolution(const ModelLayer& layer);
Result<std::unique_ptr<layers::LayerKernel>> make_decoder(const ModelLayer& layer);  ///< or half of one
Result<std::unique_ptr<layers::LayerKernel>> make_embedding(const ModelLayer& layer);
Result<std::unique_ptr<layers::LayerKernel>> make_global_average_pool(const ModelLayer& layer);
Result<std::unique_ptr<layers::LayerKernel>> make_layer_norm(const ModelLayer& layer);
Result<std::unique_ptr<layers::LayerKernel>> make_linear(const ModelLayer& layer);
Result<std::unique_ptr<layers::LayerKernel>> make_lstm(const ModelLayer& layer);
Result<std::unique_ptr<layers::LayerKernel>> make_max_pool(const ModelLayer& layer);
Result<std::unique_ptr<layers::LayerKernel>> make_rms_norm(const ModelLayer& layer);
Result<std::unique_ptr<layers::LayerKernel>> make_transformer(const ModelLayer& layer);

/// Products without bias and activation. The first tensor that they save is the input. Between the two backward passes,
/// the second is the output's gradient.
Result<std::unique_ptr<layers::LayerKernel>> make_linear_weights(const ModelLayer& layer);
Result<std::unique_ptr<layers::LayerKernel>> make_convolution_weights(const ModelLayer& layer);

// Shards of layers that are sharded over a tensor-parallel group (sharding.hpp). For other kinds see
// layers/sharded_layer.hpp.
Result<std::unique_ptr<layers::LayerKernel>> make_sharded_block(const ModelLayer& layer,
                                                                const layers::LayerSharding& sharding);
Result<std::unique_ptr<layers::LayerKernel>> make_sharded_decoder(const ModelLayer& layer,
                                                                  const layers::LayerSharding& sharding);
Result<std::unique_ptr<layers::LayerKernel>> make_sharded_lstm(const ModelLayer& layer,
                                                               const layers::LayerSharding& sharding);
/// Some words of a tied embedding's table; `context`: the seat of a context rank, or null.
Result<std::unique_ptr<layers::LayerKernel>> make_sharded_words(const ModelLayer& layer,
                                                                const layers::ContextShard* context,
                                                                const layers::LayerSharding& sharding);
Result<std::unique_ptr<layers::LayerKernel>> make_sharded_transformer(const ModelLayer& layer,
                                                                      const layers::LayerSharding& sharding);

// Layers with some positions of every sample (layers/context.hpp). `sharding`: of a tensor-parallel rank, or null.
Result<std::unique_ptr<layers::LayerKernel>> make_context_decoder(const ModelLayer& layer,
                                                                  const layers::ContextShard& context,
                                                                  const layers::LayerSharding* sharding);
Result<std::unique_ptr<layers::LayerKernel>> make_context_embedding(const ModelLayer& layer,
                                                                    const layers::ContextShard& context,
                                                                    const layers::LayerSharding* sharding);

/// Some experts of a layer (layers/expert_exchange.hpp).
Result<std::unique_ptr<layers::LayerKernel>> make_divided_experts(const ModelLayer& layer,
                                                                  const layers::RankPlaces& places);

}  // namespace pipedeck::runtime::cpu
