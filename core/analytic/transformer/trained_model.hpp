// SPDX-License-Identifier: Apache-2.0
// The layers that the runtime trains for a transformer's configuration. Their names are those of its computed profile,
// so that a plan for the profile fits.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/base/result.hpp"
#include "core/model/model.hpp"
#include "core/model/transformer_config.hpp"

namespace pipedeck::analytic::transformer {

/// `sequence`: tokens per sample. `details`: sizes that the configuration lacks, for every layer whose kind has them
/// (io/huggingface/details.hpp). bad_input names the first feature that the runtime's layers do not have.
Result<ModelSpec> trained_model(const TransformerConfig& config, const std::map<std::string, std::int64_t>& details,
                                int sequence);

}  // namespace pipedeck::analytic::transformer
