// SPDX-License-Identifier: Apache-2.0
// Weight updates: SGD, momentum 0.9, RMSProp (0.99), Adam (0.9, 0.999; Kingma and Ba, 2015), all with epsilon 1e-8.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/model/workload.hpp"
#include "core/runtime/tensor/tensor.hpp"

namespace pipedeck::runtime::tensor {

class OptimizerState {
 public:
  OptimizerState(Optimizer kind, double learning_rate, std::int64_t parameters, std::shared_ptr<DeviceMemory> memory);
  /// Updates the weights by one step along the negative gradient. Zeroes the gradients for the next step.
  void update(Tensor& weights, Tensor& gradients);
  /// Does the same in ranges: begin_step() once, then `update` for each range. The states of a range are those from
  /// `first` on.
  void begin_step() { ++steps_; }
  void update(std::span<float> weights, std::span<float> gradients, std::int64_t first);

  /// Returns the state per parameter: states_of(kind) - 1 lists.
  std::vector<Tensor*> moments();
  std::vector<const Tensor*> moments() const;
  std::uint64_t steps() const { return static_cast<std::uint64_t>(steps_); }
  void set_steps(std::uint64_t steps) { steps_ = static_cast<int>(steps); }

 private:
  Optimizer kind_;
  double learning_rate_;
  int steps_ = 0;
  std::shared_ptr<DeviceMemory> memory_;
  Tensor first_, second_;  ///< momentum and squares, if the kind has them
};

}  // namespace pipedeck::runtime::tensor
