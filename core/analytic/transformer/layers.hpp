// SPDX-License-Identifier: Apache-2.0
// A transformer as a list of counted layers: embedding, blocks, head and loss.
#pragma once

#include <string_view>
#include <vector>

#include "core/analytic/times/layer_count.hpp"
#include "core/model/profile.hpp"
#include "core/model/transformer_config.hpp"
#include "core/model/transformer_origin.hpp"

namespace pipedeck::analytic::transformer {

struct CountOptions {
  int sequence = 1024;
  int micro_batch = 1;
  int element = 2;  ///< bytes per activation element: 2 in 16 bits, 4 in fp32
  AttentionMemory attention = AttentionMemory::fused;
};

struct CountedModel {
  std::vector<times::LayerCount> layers;
  std::vector<Edge> edges;  ///< if the layers are no chain: an encoder's last layer feeds every decoder block
};
/// The name of the saved item that is not kept where probabilities weigh an expert's activation instead of its output.
inline constexpr const char* expert_output = "experts: output, before it is weighed";

/// Returns true for the kinds of a block's layers: a whole block, or attention and experts of one.
constexpr bool is_block_kind(std::string_view kind) {
  return kind == "transformer" || kind == "attention" || kind == "experts";
}

CountedModel count_layers(const TransformerConfig& config, const CountOptions& options);

/// Returns the parameters of the whole model; shared weights count once.
double parameters_of(const TransformerConfig& config);

}  // namespace pipedeck::analytic::transformer
