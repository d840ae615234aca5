// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/tensor/optimizer.hpp"

#include <cmath>
#include <utility>

namespace pipedeck::runtime::tensor {

OptimizerState::OptimizerState(Optimizer kind, double learning_rate, std::int64_t parameters,
                               std::shared_ptr<DeviceMemory> memory)
    : kind_(kind), learning_rate_(learning_rate), memory_(std::move(memory)) {
  if (kind == Optimizer::momentum || kind == Optimizer::rmsprop || kind == Optimizer::adam)
    first_ = Tensor::zeros(memory_, 1, parameters);
  if (kind == Optimizer::adam) second_ = Tensor::zeros(memory_, 1, parameters);
}

void OptimizerState::update(Tensor& weights, Tensor& gradients) {
  begin_step();
  update(weights.values(), gradients.values(), 0);
}

void OptimizerState::update(std::span<float> weights, std::span<float> gradients, std::int64_t first) {
  UpdateRule rule{kind_, static_cast<float>(learning_rate_), 1};
  if (kind_ == Optimizer::adam) {
    rule.rate = static_cast<float>(learning_rate_ / (1 - std::pow(0.9, steps_)));
    rule.second_correction = static_cast<float>(1 / (1 - std::pow(0.999, steps_)));
  }
  const auto from = [&](Tensor& moment) { return moment.empty() ? nullptr : moment.data() + first; };
  memory_->device().update(
      rule, {weights.data(), gradients.data(), from(first_), from(second_), static_cast<std::int64_t>(weights.size())});
}

std::vector<Tensor*> OptimizerState::moments() {
  std::vector<Tensor*> lists;
  for (Tensor* list : {&first_, &second_})
    if (!list->empty()) lists.push_back(list);
  return lists;
}

std::vector<const Tensor*> OptimizerState::moments() const {
  std::vector<const Tensor*> lists;
  for (const Tensor* list : {&first_, &second_})
    if (!list->empty()) lists.push_back(list);
  return lists;
}

}  // namespace pipedeck::runtime::tensor
