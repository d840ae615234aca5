// SPDX-License-Identifier: Apache-2.0
// Megatron-LM's arguments for the sizes of a transformer's blocks.
#pragma once

#include <optional>
#include <string>

#include "core/model/transformer_origin.hpp"

namespace pipedeck::study::engines {

/// The parts of the plan that decide how a block is computed.
struct BlockUse {
  int tensor = 1;
  bool recompute = false;             ///< all of every block, or some of its modules, run again in the backward
  std::optional<bool> sequence = {};  ///< sequence parallelism; absent: the profile's
};

/// Lines of a bash array, all but the number of blocks: widths, heads, sequence, positions, norms, biases, experts.
std::string model_arguments(const TransformerOrigin& origin, const BlockUse& use);

}  // namespace pipedeck::study::engines
