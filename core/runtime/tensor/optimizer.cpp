// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/tensor/optimizer.hpp"

#include <cmath>

namespace pipedeck::runtime::tensor {

OptimizerState::OptimizerState(Optimizer kind, double learning_rate, std::int64_t parameters,
                               const std::shared_ptr<DeviceMemory>& memory)
    : kind_(kind), learning_rate_(learning_rate) {
  if (kind == Optimizer::momentum || kind == Optimizer::rmsprop || kind == Optimizer::adam)
    first_ = Tensor::zeros(memory, 1, parameters);
  if (kind == Optimizer::adam) second_ = Tensor::zeros(memory, 1, parameters);
}

void OptimizerState::update(Tensor& weights, Tensor& gradients) {
  ++steps_;
  UpdateRule rule{kind_, static_cast<float>(learning_rate_), 1};
  if (kind_ == Optimizer::adam) {
    rule.rate = static_cast<float>(learning_rate_ / (1 - std::pow(0.9, steps_)));
    rule.second_correction = static_cast<float>(1 / (1 - std::pow(0.999, steps_)));
  }
  weights.memory()->device().update(rule,
                                    {weights.data(), gradients.data(), first_.data(), second_.data(), weights.size()});
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
