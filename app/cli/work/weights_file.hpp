// SPDX-License-Identifier: Apache-2.0
// Weights of published models: files "model.safetensors" of the library "transformers".
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/model/model.hpp"
#include "core/runtime/train/options.hpp"

namespace pipedeck::cli::work {

/// Reads the weights of all layers. bad_input names a tensor that is missing, of another shape, or of no layer.
Result<runtime::train::Weights> read_weights(const std::string& path, const ModelSpec& model);

/// Checks that the model's layers have published names.
Result<void> check_weight_names(const ModelSpec& model);
/// Writes them in 32 bits. Blocks whose heads have norms get the names of Qwen's experts, others Mixtral's.
Result<void> save_weights(const std::string& path, const ModelSpec& model, const runtime::train::Weights& weights);

}  // namespace pipedeck::cli::work
