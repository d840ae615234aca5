// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/data/sample_shape.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/model/layer_kinds.hpp"
#include "core/runtime/cpu/layers.hpp"

namespace pipedeck::runtime::data {
namespace {

bool is_bidirectional(const ModelLayer& layer) {
  return (layer.kind == "transformer" && find_size(layer, "causal") == 0) ||
         (layer.kind == "lstm" && find_size(layer, "directions") == 2);
}

std::optional<ImageShape> image_of(const ModelLayer& layer) {
  const auto height = find_size(layer, "height"), width = find_size(layer, "width");
  auto channels = find_size(layer, "channels");
  if (!channels) channels = find_size(layer, "in");
  if (!height || !width || !channels) return std::nullopt;
  return ImageShape{*channels, *height, *width};
}

}  // namespace

Result<SampleShape> sample_shape(const ModelSpec& model) {
  const ModelLayer &first = model.layers.front(), &loss = model.layers.back();
  const layers::KernelRegistry kernels = cpu::cpu_kernel_registry();
  const auto known = kernels.layers.find(first.kind);
  if (known == kernels.layers.end())
    return fail(ErrorCode::bad_input, fmt::format("there is no data for a layer of kind '{}'", first.kind),
                "/layers/0");
  TRY(const auto kernel, known->second(first));
  const auto positions = layers::size_of(loss, "sequence"), classes = layers::size_of(loss, "classes");
  for (const auto* size : {&positions, &classes})
    if (!*size) return tl::unexpected(size->error());

  SampleShape shape;
  shape.values = kernel->input_width();
  shape.positions = *positions;
  shape.classes = *classes;
  shape.image = image_of(first);
  shape.is_bidirectional = std::any_of(model.layers.begin(), model.layers.end(), is_bidirectional);
  if (first.kind == "embedding") shape.vocabulary = first.size("vocabulary");
  if (shape.values % shape.positions != 0 || (shape.vocabulary && shape.values != shape.positions))
    return fail(ErrorCode::bad_input,
                fmt::format("the loss has {} positions a sample, the first layer takes {} values: expected {}",
                            shape.positions, shape.values,
                            shape.vocabulary ? "as many positions as tokens" : "as many values at each position"));
  return shape;
}

}  // namespace pipedeck::runtime::data
