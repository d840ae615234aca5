// SPDX-License-Identifier: Apache-2.0
// Models of the papers that are made of a few figures instead of a file each.
#pragma once

#include <vector>

#include "core/model/model.hpp"
#include "core/model/transformer_config.hpp"

namespace pipedeck::presets {

/// The deeper ones of DAPPLE's Table VIII, 106, 215 and 428 blocks, out of BERT-48.
std::vector<ModelSpec> deeper_berts(const ModelSpec& bert_48);

/// Whale's M6 (USENIX ATC 2022, section 5.3): the dense one and those of experts. Their notes name the published parts.
std::vector<ParsedTransformer> m6_models();

}  // namespace pipedeck::presets
