// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cpu/on_processor.hpp"
#include "core/runtime/cpu/size_reader.hpp"
#include "core/runtime/layers/batch_norm_layer.hpp"

namespace pipedeck {

Result<std::unique_ptr<LayerKernel>> make_batch_norm(const ModelLayer& layer) {
  SizeReader size(layer);
  const std::int64_t channels = size("channels"), height = size("height"), width = size("width");
  const auto activation = static_cast<Activation>(size("activation"));
  size.bounded("values a sample",
               static_cast<double>(channels) * static_cast<double>(height) * static_cast<double>(width));
  if (auto read = size.result(); !read) return tl::unexpected(read.error());
  return std::make_unique<BatchNorm<OnProcessor>>(channels, height * width, activation);
}

}  // namespace pipedeck
