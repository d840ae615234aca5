// SPDX-License-Identifier: Apache-2.0
// Residual blocks on the CPU.
#include "core/runtime/layers/residual_block.hpp"

#include "core/runtime/cpu/cpu_ops.hpp"
#include "core/runtime/cpu/layers.hpp"

namespace pipedeck::runtime::cpu {

Result<std::unique_ptr<layers::LayerKernel>> make_block(const ModelLayer& layer) {
  TRY(const auto shape, layers::block_shape(layer));
  return std::make_unique<layers::Residual<CpuOps>>(shape);
}

Result<std::unique_ptr<layers::LayerKernel>> make_sharded_block(const ModelLayer& layer,
                                                                const layers::LayerSharding& sharding) {
  TRY(const auto part, layers::block_part(layer, sharding.partners));
  return std::make_unique<layers::Residual<CpuOps>>(part);
}

}  // namespace pipedeck::runtime::cpu
