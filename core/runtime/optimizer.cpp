// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/optimizer.hpp"

#include <algorithm>
#include <cmath>

#include "core/runtime/cpu/kernels.hpp"

namespace pipedeck {

OptimizerState::OptimizerState(Optimizer kind, double learning_rate, std::int64_t parameters,
                               const std::shared_ptr<DeviceMemory>& memory)
    : kind_(kind), learning_rate_(learning_rate) {
  if (kind == Optimizer::momentum || kind == Optimizer::rmsprop || kind == Optimizer::adam)
    first_ = Tensor::zeros(memory, 1, parameters);
  if (kind == Optimizer::adam) second_ = Tensor::zeros(memory, 1, parameters);
}

void OptimizerState::update(Tensor& weights, Tensor& gradients) {
  ++steps_;
  const auto rate = static_cast<float>(learning_rate_);
  switch (kind_) {
    case Optimizer::none:
      break;
    case Optimizer::sgd:
      sgd_update(weights.data(), gradients.data(), rate, weights.size());
      break;
    case Optimizer::momentum:
      momentum_update(weights.data(), gradients.data(), first_.data(), rate, weights.size());
      break;
    case Optimizer::rmsprop:
      rmsprop_update(weights.data(), gradients.data(), first_.data(), rate, weights.size());
      break;
    case Optimizer::adam: {
      const AdamFactors factors{static_cast<float>(learning_rate_ / (1 - std::pow(0.9, steps_))),
                                static_cast<float>(1 / (1 - std::pow(0.999, steps_)))};
      adam_update(weights.data(), gradients.data(), first_.data(), second_.data(), factors, weights.size());
      break;
    }
  }
  std::fill_n(gradients.data(), gradients.size(), 0.0f);
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

}  // namespace pipedeck
