// SPDX-License-Identifier: Apache-2.0
// A model by its layer shapes. The runtime trains it, and profiles are computed from it where no measurements exist.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace pipedeck {

/// A layer of a model. The kinds and their sizes:
///   embedding    vocabulary, hidden, sequence, positions (default 1; 0: tokens alone), tied   token + position
///                embedding
///   transformer  hidden, heads, feed_forward, sequence, causal (0/1)   pre-norm block
///   decoder      hidden, heads, key_value_heads (default heads), head_width (default hidden / heads), feed_forward,
///                sequence, window, rotary_base, bias_qkv, norm_heads, epsilon_billionths   pre-norm block of Llama
///   attention, latent_attention, feed_forward, experts   halves of blocks; latent_decoder   a block (docs/formats.md)
///   layer_norm   hidden, sequence (default 1)
///   rms_norm     hidden, sequence (default 1), epsilon_billionths (default 10000: 1e-5)
///   linear       in, out, sequence (default 1), activation (0 none, 1 relu, 2 gelu), bias (default 1), tied
///                (default 0; 1 on both ends: the head's weights are the embedding's table)
///   convolution  in, out, kernel, stride, padding, height, width, activation (default 1), bias (default 1)
///   max_pool, average_pool  channels, kernel, stride, padding, height, width;  global_average_pool without the window
///   batch_norm   channels, height, width, activation
///   residual     in, out, stride, height, width; bottleneck: and middle  ResNet (v1.5) blocks with their projection
///   lstm         in, hidden, sequence, directions (1 or 2)
///   softmax_cross_entropy  classes, sequence             the loss; last layer
struct ModelLayer {
  std::string name;
  std::string kind;
  std::map<std::string, std::int64_t> sizes;
  bool operator==(const ModelLayer&) const = default;
  /// Returns a size, or its kind's default if it is absent. Throws std::out_of_range if there is none.
  std::int64_t size(const std::string& key) const;
};

/// A source of samples. Every source is deterministic: sample i of step k is the same on any plan.
struct DataSource {
  std::string kind = "synthetic";  ///< "synthetic", "text" (bytes of a file), "idx" or "images" (one folder per class)
  std::string path;                ///< file or folder, relative to the model file
  std::uint64_t seed = 1;
  bool operator==(const DataSource&) const = default;
};

struct ModelSpec {
  std::string name;
  std::string source;              ///< publication of the shapes
  std::vector<ModelLayer> layers;  ///< a chain
  DataSource data;
  double learning_rate = 1e-3;
  std::uint64_t seed = 1;       ///< of the initial weights
  bool trainable_here = false;  ///< small enough to train in seconds on two CPU cores
  std::string extra;
  bool operator==(const ModelSpec&) const = default;
};

}  // namespace pipedeck
