// SPDX-License-Identifier: Apache-2.0
// The shape of a transformer by Megatron-LM's arguments.
#pragma once

#include <optional>

#include "core/io/jobs/options.hpp"
#include "core/model/transformer_config.hpp"

namespace pipedeck::io::jobs {

/// Returns nothing if the options have no sizes of blocks, or a kind of model without a shape here; the latter are left
/// out.
std::optional<TransformerConfig> model_of(Options& options);

}  // namespace pipedeck::io::jobs
