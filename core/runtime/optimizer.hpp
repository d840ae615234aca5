// SPDX-License-Identifier: Apache-2.0
// Weight updates: SGD, momentum 0.9, RMSProp (0.99), Adam (0.9, 0.999; Kingma and Ba, 2015), all with epsilon 1e-8.
#pragma once

#include <memory>

#include "core/domain/workload.hpp"
#include "core/runtime/tensor.hpp"

namespace pipedeck {

class OptimizerState {
 public:
  OptimizerState(Optimizer kind, double learning_rate, std::int64_t parameters,
                 const std::shared_ptr<DeviceMemory>& memory);
  /// One step down the gradient, which becomes zero for the next one.
  void update(Tensor& weights, Tensor& gradients);

 private:
  Optimizer kind_;
  double learning_rate_;
  int steps_ = 0;
  Tensor first_, second_;  ///< momentum and squares, where the kind has them
};

}  // namespace pipedeck
