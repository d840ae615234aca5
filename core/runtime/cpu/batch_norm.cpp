// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cpu/cpu_ops.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/layers/batch_norm_layer.hpp"
#include "core/runtime/layers/size_reader.hpp"

namespace pipedeck::runtime::cpu {

Result<std::unique_ptr<layers::LayerKernel>> make_batch_norm(const ModelLayer& layer) {
  layers::SizeReader size(layer);
  const std::int64_t channels = size("channels"), height = size("height"), width = size("width");
  const auto activation = static_cast<layers::Activation>(size("activation"));
  size.bounded("values per sample",
               static_cast<double>(channels) * static_cast<double>(height) * static_cast<double>(width));
  TRY_VOID(size.result());
  return std::make_unique<layers::BatchNorm<CpuOps>>(channels, height * width, activation);
}

}  // namespace pipedeck::runtime::cpu
