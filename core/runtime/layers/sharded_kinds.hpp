// SPDX-License-Identifier: Apache-2.0
// Shards of layer kinds that are a smaller layer of their own kind: products by columns and by rows, and layers that
// treat each channel by itself. All backends share them, with their own layers.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "core/runtime/layers/sharded_layer.hpp"

namespace pipedeck::runtime::layers {

/// A backend's factories, from which shards are made.
struct PartKinds {
  std::map<std::string, KernelFactory> layers;
  /// Products without bias and activation. The first tensor that they save is the input. Between the two backward
  /// passes, the second is the output's gradient.
  KernelFactory linear_weights, convolution_weights;
  std::function<std::unique_ptr<LayerKernel>(KernelPart, std::int64_t output_columns, Activation)> rows_layer;
};

/// Returns the factories of linear, convolution, embedding, batch_norm and the pools.
std::map<std::string, ShardedFactory> smaller_layers(PartKinds kinds);

}  // namespace pipedeck::runtime::layers
