// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/exec/model_parts.hpp"

#include <utility>

namespace pipedeck::runtime::exec {

Result<ModelParts> make_parts(const ModelSpec& model, const layers::KernelRegistry& kernels) {
  auto layers = layers::make_layers(model, kernels);
  if (!layers) return tl::unexpected(layers.error());
  TRY(const auto loss, layers::SoftmaxCrossEntropy::of(model, layers->back()->output_width()));
  TRY(auto source, data::make_source(model));
  return ModelParts{*std::move(layers), loss, std::move(source)};
}

}  // namespace pipedeck::runtime::exec
