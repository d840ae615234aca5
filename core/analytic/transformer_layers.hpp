// SPDX-License-Identifier: Apache-2.0
// A transformer as a list of counted layers: embedding, blocks, head and loss.
#pragma once

#include <vector>

#include "core/analytic/layer_count.hpp"
#include "core/domain/profile.hpp"
#include "core/domain/transformer_config.hpp"
#include "core/domain/transformer_origin.hpp"

namespace pipedeck {

struct CountOptions {
  int sequence = 1024;
  int micro_batch = 1;
  int element = 2;  ///< bytes of a number in activations: 2 in 16 bits, 4 in fp32
  AttentionMemory attention = AttentionMemory::fused;
};

struct CountedModel {
  std::vector<LayerCount> layers;
  std::vector<Edge> edges;  ///< where the layers are no chain: an encoder's last layer feeds every decoder block
};
CountedModel count_layers(const TransformerConfig& config, const CountOptions& options);

/// Of the whole model, weights that are used twice counted once.
double parameters_of(const TransformerConfig& config);

}  // namespace pipedeck
