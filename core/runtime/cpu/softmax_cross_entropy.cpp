// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cpu/softmax_cross_entropy.hpp"

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/layers/loss_kernel.hpp"

namespace pipedeck::runtime::cpu {

using layers::SoftmaxCrossEntropy;

namespace {

std::int64_t target_at(const SoftmaxCrossEntropy& loss, const tensor::Tensor& targets, std::int64_t row) {
  const auto target = static_cast<std::int64_t>(targets.data()[row]);
  if (target < 0 || target >= loss.classes())
    throw std::runtime_error(fmt::format("target {} is none of the {} classes", target, loss.classes()));
  return target;
}

/// The loss of a row is log(sum of e^(x - most)) - (x[target] - most), its gradient e^(x - most) / sum -
/// onehot(target).
double forward_sharded(const SoftmaxCrossEntropy& loss, tensor::Tensor& logits, const tensor::Tensor& targets) {
  const layers::ShardRange own = loss.partners()->local_range(loss.classes());
  const std::int64_t rows = targets.size();
  const auto row_of = [&](std::int64_t row) { return logits.data() + row * own.count; };
  const auto own_target = [&](std::int64_t row) {
    const std::int64_t column = target_at(loss, targets, row) - own.first;
    return column >= 0 && column < own.count ? std::optional(column) : std::nullopt;
  };
  tensor::Tensor most(logits.memory(), 1, rows), sums(logits.memory(), 2, rows);
  for (std::int64_t row = 0; row < rows; ++row) most.data()[row] = largest_of_row(row_of(row), own.count);
  loss.partners()->reduce_max(most);
  float *totals = sums.data(), *wanted = totals + rows;
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto column = own_target(row);
    wanted[row] = column ? row_of(row)[*column] - most.data()[row] : 0;
    totals[row] = exponentials_of_row(row_of(row), most.data()[row], own.count);
  }
  loss.partners()->all_reduce(sums);
  double sum = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    scale(row_of(row), 1.0f / totals[row], own.count);
    if (const auto column = own_target(row)) row_of(row)[*column] -= 1.0f;
    sum += std::log(static_cast<double>(totals[row])) - static_cast<double>(wanted[row]);
  }
  return sum;
}

class ProcessorLoss final : public layers::LossKernel {
 public:
  explicit ProcessorLoss(const SoftmaxCrossEntropy& loss) : loss_(loss) {}
  layers::LossSum forward(tensor::Tensor& logits, const tensor::Tensor& targets, float scale, bool) const override {
    const double sum = cross_entropy(loss_, logits, targets);
    logits = cross_entropy_gradient(std::move(logits), scale);
    return layers::LossSum(sum);
  }

 private:
  SoftmaxCrossEntropy loss_;
};

}  // namespace

double cross_entropy(const SoftmaxCrossEntropy& loss, tensor::Tensor& logits, const tensor::Tensor& targets) {
  if (loss.partners()) return forward_sharded(loss, logits, targets);
  double sum = 0;
  for (std::int64_t row = 0; row < targets.size(); ++row)
    sum += cross_entropy_row(logits.data() + row * loss.classes(), target_at(loss, targets, row), loss.classes());
  return sum;
}

tensor::Tensor cross_entropy_gradient(tensor::Tensor saved, float factor) {
  scale(saved.data(), factor, saved.size());
  return saved;
}

std::shared_ptr<const layers::LossKernel> processor_loss(const SoftmaxCrossEntropy& loss) {
  return std::make_shared<ProcessorLoss>(loss);
}

}  // namespace pipedeck::runtime::cpu
