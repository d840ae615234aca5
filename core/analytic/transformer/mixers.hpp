// SPDX-License-Identifier: Apache-2.0
// The sub-layers that let tokens see others: attention, latent and linear attention, state spaces.
#pragma once

#include "core/analytic/transformer/layer_parts.hpp"

namespace pipedeck::analytic::transformer {

class Mixers : public LayerParts {
 public:
  Mixers(const TransformerConfig& config, const CountOptions& options)
      : LayerParts(config, options), attention_(options.attention) {}

 protected:
  /// Adds the current block's mixer with its norms and its sum with the residual.
  void mixer(times::LayerCount& layer) const;
  /// Adds queries from the decoder, and keys and values from the encoder's output, with the same number of tokens.
  void cross_attention(times::LayerCount& layer, bool first) const;

 private:
  /// A product of two activations: `pairs` of them, each m x k by k x n.
  struct Scan {
    const char* name;
    const char* formula;
    double m, k, n, pairs;
  };

  double seen(bool causal) const;
  void attend(times::LayerCount& layer, double key, double value, bool causal) const;
  void self_attention(times::LayerCount& layer) const;
  void latent_attention(times::LayerCount& layer, const LatentAttention& l) const;
  void index_positions(times::LayerCount& layer, const Indexer& index, double query_input) const;
  void compressed_attention(times::LayerCount& layer, const CompressedAttention& x) const;
  void compress(times::LayerCount& layer, const std::string& name, double width, bool overlaps) const;
  void linear_attention(times::LayerCount& layer, const LinearAttention& l) const;
  void state_space(times::LayerCount& layer, const StateSpace& x) const;
  void convolution(times::LayerCount& layer, double channels, int length, bool bias) const;
  static void scan(times::LayerCount& layer, const Scan& product);
  void project(times::LayerCount& layer, double width, const char* sizes, bool bias) const;

  AttentionMemory attention_;
};

}  // namespace pipedeck::analytic::transformer
