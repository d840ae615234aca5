// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/exec/model_parts.hpp"

#include <utility>

namespace pipedeck::runtime::exec {

Result<ModelParts> make_parts(const ModelSpec& model, const layers::Kernels& kernels) {
  auto layers = layers::make_layers(model, kernels);
  if (!layers) return tl::unexpected(layers.error());
  const auto loss = layers::SoftmaxCrossEntropy::of(model, layers->back()->output_width());
  if (!loss) return tl::unexpected(loss.error());
  auto source = data::make_source(model);
  if (!source) return tl::unexpected(source.error());
  return ModelParts{*std::move(layers), *loss, *std::move(source)};
}

}  // namespace pipedeck::runtime::exec
