// SPDX-License-Identifier: Apache-2.0
// The CPU's kinds of layers, one a file (sizes: core/domain/model.hpp).
#pragma once

#include <memory>

#include "core/runtime/layer_kernel.hpp"

namespace pipedeck {

Result<std::unique_ptr<LayerKernel>> make_average_pool(const ModelLayer& layer);
Result<std::unique_ptr<LayerKernel>> make_batch_norm(const ModelLayer& layer);
Result<std::unique_ptr<LayerKernel>> make_bottleneck(const ModelLayer& layer);
Result<std::unique_ptr<LayerKernel>> make_convolution(const ModelLayer& layer);
Result<std::unique_ptr<LayerKernel>> make_embedding(const ModelLayer& layer);
Result<std::unique_ptr<LayerKernel>> make_global_average_pool(const ModelLayer& layer);
Result<std::unique_ptr<LayerKernel>> make_layer_norm(const ModelLayer& layer);
Result<std::unique_ptr<LayerKernel>> make_linear(const ModelLayer& layer);
Result<std::unique_ptr<LayerKernel>> make_lstm(const ModelLayer& layer);
Result<std::unique_ptr<LayerKernel>> make_max_pool(const ModelLayer& layer);
Result<std::unique_ptr<LayerKernel>> make_residual(const ModelLayer& layer);
Result<std::unique_ptr<LayerKernel>> make_transformer(const ModelLayer& layer);

}  // namespace pipedeck
