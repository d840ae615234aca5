// SPDX-License-Identifier: Apache-2.0
// When the inputs of an operation were computed and when they were there: waits before it are for computation, then for
// communication.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/sim/engine/engine.hpp"

namespace pipedeck::sim::engine {

/// The time in which all inputs of an operation are computed and the last of them is on its way.
struct OnTheWay {
  std::size_t row = 0;  ///< of the lane
  std::int64_t begin = 0, end = 0;
};

class InputTimes {
 public:
  InputTimes(const EngineInput& run, const Trace& trace);

  /// Returns it for the rows of a lane before which the device is idle, ascending; rows without such a time are left
  /// out.
  std::vector<OnTheWay> of_lane(std::size_t lane) const;

 private:
  /// Ends by worker and its micro-batches; -1: none.
  using Ends = std::vector<std::vector<std::int64_t>>;
  struct Inputs {
    std::int64_t computed = -1, arrived = -1;
  };
  void add_passes(const Trace& trace);
  void add_transfers(const Trace& trace);
  std::size_t worker_of(std::size_t lane, const Operation& operation) const;
  bool has(std::size_t worker, int micro_batch) const;
  std::size_t place(std::size_t worker, int micro_batch) const;
  void take_inputs(std::size_t lane, const Operation& operation, Inputs& inputs) const;

  const EngineInput& run_;
  const Trace& trace_;
  Ends forward_, backward_;                        // of passes
  Ends activations_, gradients_;                   // arrivals; asynchronous plans alone wait for something else as well
  std::vector<std::vector<int>> before_, behind_;  // channels into a worker, of activations and gradients
};

}  // namespace pipedeck::sim::engine
