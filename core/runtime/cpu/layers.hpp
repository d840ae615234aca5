// SPDX-License-Identifier: Apache-2.0
// The CPU's kinds of layers, one a file (sizes: core/domain/model.hpp).
#pragma once

#include <memory>

#include "core/runtime/layer_kernel.hpp"

namespace pipedeck {

Result<std::unique_ptr<LayerKernel>> make_embedding(const ModelLayer& layer);
Result<std::unique_ptr<LayerKernel>> make_layer_norm(const ModelLayer& layer);
Result<std::unique_ptr<LayerKernel>> make_linear(const ModelLayer& layer);
Result<std::unique_ptr<LayerKernel>> make_transformer(const ModelLayer& layer);

}  // namespace pipedeck
