// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/layers/softmax_cross_entropy.hpp"

#include <fmt/format.h>

#include "core/runtime/layers/layer_kernel.hpp"

namespace pipedeck::runtime::layers {

Result<SoftmaxCrossEntropy> SoftmaxCrossEntropy::of(const ModelSpec& model, std::int64_t input_width) {
  const std::string place = fmt::format("/layers/{}", model.layers.size() - 1);
  const ModelLayer& layer = model.layers.back();
  if (layer.kind != "softmax_cross_entropy")
    return fail(
        ErrorCode::bad_input,
        fmt::format(
            "the last layer, '{}', is of kind '{}'; to be trained, a model ends in its loss, softmax_cross_entropy",
            layer.name, layer.kind),
        place);
  const auto classes = size_of(layer, "classes"), sequence = size_of(layer, "sequence");
  for (const auto* size : {&classes, &sequence})
    if (!*size) return fail(ErrorCode::bad_input, size->error().message, place);
  if (*classes * *sequence != input_width)
    return fail(ErrorCode::bad_input,
                fmt::format("the loss '{}' takes {} values per sample, but the layer before it gives {}", layer.name,
                            *classes * *sequence, input_width),
                place);
  return SoftmaxCrossEntropy(*classes, *sequence);
}

SoftmaxCrossEntropy SoftmaxCrossEntropy::over(const TensorParallelGroup& partners) const {
  SoftmaxCrossEntropy cut = *this;
  cut.partners_ = partners;
  return cut;
}

SoftmaxCrossEntropy SoftmaxCrossEntropy::of_positions(std::int64_t sequence) const {
  SoftmaxCrossEntropy part = *this;
  part.sequence_ = sequence;
  return part;
}

}  // namespace pipedeck::runtime::layers
