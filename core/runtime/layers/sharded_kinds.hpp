// SPDX-License-Identifier: Apache-2.0
// Parts of the kinds that are a smaller layer of their own kind: products by columns and by rows, and what treats each
// channel by itself. The same for every backend, of its own layers.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "core/runtime/layers/sharded_layer.hpp"

namespace pipedeck {

/// What a backend makes parts of.
struct PartKinds {
  std::map<std::string, KernelFactory> layers;
  /// The products alone, without bias and activation. Of what they save, the first is the input and, between the two
  /// backward passes, the second the output's gradient.
  KernelFactory linear_weights, convolution_weights;
  std::function<std::unique_ptr<LayerKernel>(KernelPart, std::int64_t output_columns, Activation)> rows_layer;
};

/// linear, convolution, embedding, batch_norm and the pools.
std::map<std::string, ShardedFactory> smaller_layers(PartKinds kinds);

}  // namespace pipedeck
