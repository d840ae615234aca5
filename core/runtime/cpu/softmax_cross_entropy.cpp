// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cpu/softmax_cross_entropy.hpp"

#include <cmath>
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

SoftmaxCrossEntropy SoftmaxCrossEntropy::over(const Partners& partners) const {
  SoftmaxCrossEntropy cut = *this;
  cut.partners_ = partners;
  return cut;
}

std::int64_t SoftmaxCrossEntropy::target_at(const Tensor& targets, std::int64_t row) const {
  const auto target = static_cast<std::int64_t>(targets.data()[row]);
  if (target < 0 || target >= classes_)
    throw std::runtime_error(fmt::format("target {} is none of the {} classes", target, classes_));
  return target;
}

double SoftmaxCrossEntropy::forward(Tensor& logits, const Tensor& targets) const {
  if (partners_) return forward_over(logits, targets);
  double sum = 0;
  for (std::int64_t row = 0; row < targets.size(); ++row)
    sum += cross_entropy_row(logits.data() + row * classes_, target_at(targets, row), classes_);
  return sum;
}

/// The loss of a row is log(sum of e^(x - most)) - (x[target] - most), its gradient e^(x - most) / sum -
/// onehot(target).
double SoftmaxCrossEntropy::forward_over(Tensor& logits, const Tensor& targets) const {
  const ColumnRange own = partners_->own(classes_);
  const std::int64_t rows = targets.size();
  const auto row_of = [&](std::int64_t row) { return logits.data() + row * own.count; };
  const auto own_target = [&](std::int64_t row) {
    const std::int64_t column = target_at(targets, row) - own.first;
    return column >= 0 && column < own.count ? std::optional(column) : std::nullopt;
  };
  Tensor most(logits.memory(), 1, rows), sums(logits.memory(), 2, rows);
  for (std::int64_t row = 0; row < rows; ++row) most.data()[row] = largest_of_row(row_of(row), own.count);
  partners_->reduce_max(most);
  float *totals = sums.data(), *wanted = totals + rows;
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto column = own_target(row);
    wanted[row] = column ? row_of(row)[*column] - most.data()[row] : 0;
    totals[row] = exponentials_of_row(row_of(row), most.data()[row], own.count);
  }
  partners_->reduce(sums);
  double sum = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    scale(row_of(row), 1.0f / totals[row], own.count);
    if (const auto column = own_target(row)) row_of(row)[*column] -= 1.0f;
    sum += std::log(static_cast<double>(totals[row])) - static_cast<double>(wanted[row]);
  }
  return sum;
}

Tensor SoftmaxCrossEntropy::backward(Tensor saved, float scale_factor) const {
  scale(saved.data(), scale_factor, saved.size());
  return saved;
}

}  // namespace pipedeck
