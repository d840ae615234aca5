// SPDX-License-Identifier: Apache-2.0
// Weight updates: SGD, momentum 0.9, RMSProp (0.99), Adam (0.9, 0.999; Kingma and Ba, 2015), all with epsilon 1e-8.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/model/workload.hpp"
#include "core/runtime/tensor/tensor.hpp"

namespace pipedeck::runtime::tensor {

/// A place of an optimizer's states, and of its step.
enum class StatePlace {
  device,
  host,   ///< states and step are on the host (ZeRO-Offload, arXiv 2101.06840, section 4)
  paged,  ///< states are on the host, and come to the device for the step
};

/// Most floats of a list that a step on the host, or of paged states, copies at a time: 4 MiB.
inline constexpr std::int64_t copied_floats = std::int64_t{1} << 20;

class OptimizerState {
 public:
  /// States are in `memory`, or in pinned memory of its device's host, which then has a host link. A step on the host
  /// has a copy of the weights there, and of the gradients. Throws OutOfMemory, which names the host's memory if that
  /// lacks.
  OptimizerState(Optimizer kind, double learning_rate, std::int64_t parameters, std::shared_ptr<DeviceMemory> memory,
                 StatePlace place = StatePlace::device, std::int64_t copied = copied_floats);
  /// Updates the weights by one step along the negative gradient. Zeroes the gradients for the next step.
  void update(Tensor& weights, Tensor& gradients);
  /// Does the same in ranges: begin_step() once, `update` for each range, end_step() once. The states of a range are
  /// those from `first` on. The device's work after end_step() finds new weights.
  void begin_step() { ++steps_; }
  void update(std::span<float> weights, std::span<float> gradients, std::int64_t first);
  void end_step();

  /// Returns the state per parameter: states_of(kind) - 1 lists.
  std::vector<Tensor*> moments();
  std::vector<const Tensor*> moments() const;
  std::uint64_t steps() const { return static_cast<std::uint64_t>(steps_); }
  void set_steps(std::uint64_t steps) { steps_ = static_cast<int>(steps); }
  /// Notes that the device itself changed `count` weights, whose states are those from `first` on, since the last step.
  void weights_changed(std::int64_t first, std::int64_t count);
  /// Returns true if the host computes the step, from weights that it keeps (weights_changed).
  bool steps_on_host() const { return place_ == StatePlace::host; }
  /// Returns the pinned bytes of the host that this holds.
  Bytes on_host() const { return host_ ? host_->in_use() : Bytes(); }

 private:
  /// Values of a step, and the position of their states.
  struct Range {
    float *weights, *gradients;
    std::int64_t first, count;
  };
  UpdateRule rule() const;
  std::vector<Range> chunks() const;
  void fetch_weights(const Range& chunk, const Completion& ready);
  void step_on_host();
  void step_in_pages();

  Optimizer kind_;
  double learning_rate_;
  int steps_ = 0;
  StatePlace place_;
  std::int64_t copied_;                                         ///< floats at a time
  std::shared_ptr<DeviceMemory> memory_, host_;                 ///< host_: null if all is on the device
  Tensor first_, second_;                                       ///< momentum and squares, if the kind has them
  Tensor weights_, gradients_;                                  ///< on the host, if the step is
  bool has_weights_ = false;                                    ///< weights_ has the device's
  std::vector<Range> ranges_;                                   ///< of the step that has begun
  std::vector<std::pair<std::int64_t, std::int64_t>> changed_;  ///< by the device: first and end
};

}  // namespace pipedeck::runtime::tensor
