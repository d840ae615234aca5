// SPDX-License-Identifier: Apache-2.0
// A rank's part of a layer, made of a kernel for fewer columns and of what joins it with the other ranks'
// (sharding.hpp).
#pragma once

#include <memory>
#include <vector>

#include "core/runtime/cpu/activation.hpp"
#include "core/runtime/layer_kernel.hpp"
#include "core/runtime/sharding.hpp"

namespace pipedeck {

/// The kernel of a part, that of the whole layer (from which weights are drawn), and where the one's parameters lie in
/// the other's.
struct KernelPart {
  std::unique_ptr<LayerKernel> part, whole;
  std::vector<ParameterBlock> blocks;
  LayerSharding sharding;
};

/// The part has some of the output's columns. With a whole input its gradient is summed.
std::unique_ptr<LayerKernel> make_columns_layer(KernelPart part, std::int64_t output_columns);

/// The part is a product with some of the weights' rows, without bias and activation, which follow on the sum.
/// `output_columns` are as many as the bias has values, where there is one.
std::unique_ptr<LayerKernel> make_rows_layer(KernelPart part, std::int64_t output_columns, Activation activation);

}  // namespace pipedeck
