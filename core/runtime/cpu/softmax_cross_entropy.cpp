// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cpu/softmax_cross_entropy.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/layer_kernel.hpp"

namespace pipedeck {

Result<SoftmaxCrossEntropy> SoftmaxCrossEntropy::of(const ModelSpec& model, std::int64_t input_width) {
  const std::string place = fmt::format("/layers/{}", model.layers.size() - 1);
  const ModelLayer& layer = model.layers.back();
  if (layer.kind != "softmax_cross_entropy")
    return fail(ErrorCode::bad_input,
                fmt::format("the last layer, '{}', is of kind '{}'; to be trained, a model ends in its loss, "
                            "softmax_cross_entropy",
                            layer.name, layer.kind),
                place);
  const auto classes = size_of(layer, "classes"), sequence = size_of(layer, "sequence");
  for (const auto* size : {&classes, &sequence})
    if (!*size) return fail(ErrorCode::bad_input, size->error().message, place);
  if (*classes * *sequence != input_width)
    return fail(ErrorCode::bad_input,
                fmt::format("the loss '{}' takes {} values a sample, but the layer before it gives {}", layer.name,
                            *classes * *sequence, input_width),
                place);
  return SoftmaxCrossEntropy(*classes, *sequence);
}

double SoftmaxCrossEntropy::forward(Tensor& logits, const Tensor& targets) const {
  double sum = 0;
  for (std::int64_t row = 0; row < targets.size(); ++row) {
    const auto target = static_cast<std::int64_t>(targets.data()[row]);
    if (target < 0 || target >= classes_)
      throw std::runtime_error(fmt::format("target {} is none of the {} classes", target, classes_));
    sum += cross_entropy_row(logits.data() + row * classes_, target, classes_);
  }
  return sum;
}

Tensor SoftmaxCrossEntropy::backward(Tensor saved, float scale_factor) const {
  scale(saved.data(), scale_factor, saved.size());
  return saved;
}

}  // namespace pipedeck
