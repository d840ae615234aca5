// SPDX-License-Identifier: Apache-2.0
// Which layer, of which pass, each operator and backward function of a recording belongs to, and how long layers took.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analytic/recorded_layers.hpp"

namespace pipedeck::recorded {

/// A layer in a pass; of none where `pass` is -1.
struct Owner {
  std::int32_t pass = -1, layer = -1;
  bool known() const { return pass >= 0; }
  bool operator==(const Owner&) const = default;
};

/// A backward function that ran: what it was recorded with, and the forward operators of its sequence.
struct Evaluation {
  Owner owner;
  std::uint32_t function = 0;         ///< in Recording::operators: the function itself; none: operators.size()
  std::uint32_t first = 0, last = 0;  ///< in Attribution::by_sequence: forward operators of its sequence, by start
  std::uint32_t again = 0;            ///< the last such one of a module that ran again; none: operators.size()
};

/// Nanoseconds, and whether the pass has been seen in both directions.
struct PassTimes {
  std::vector<double> forward, backward;  ///< a layer each
  bool has_backward = false;
};

struct Attribution {
  std::vector<PassTimes> passes;
  std::vector<Evaluation> evaluations;     ///< as Recording::evaluations
  std::vector<std::uint32_t> by_sequence;  ///< in Recording::operators: those of the main thread with a sequence
  std::vector<Owner> operator_owner;       ///< as `by_sequence`
  bool on_gpu = false;
  double unowned = 0;        ///< of backward functions of no layer
  double backward = 0;       ///< of all backward functions
  double communication = 0;  ///< of NCCL's kernels, which no layer has
};

/// Sorts the recording's operators and launches. Layers of what ran again are told by `layer_of_name`, of modules.
Attribution attribute(Recording& recording, const Calls& calls, const std::vector<std::size_t>& layers);

}  // namespace pipedeck::recorded
