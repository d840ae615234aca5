// SPDX-License-Identifier: Apache-2.0
// The layer and pass to which each operator and backward function of a recording belongs, and the times of layers.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analytic/recorded/layers.hpp"

namespace pipedeck::analytic::recorded {

/// A layer in a pass; none if `pass` is -1.
struct Owner {
  std::int32_t pass = -1, layer = -1;
  bool known() const { return pass >= 0; }
  bool operator==(const Owner&) const = default;
};

/// A run of a backward function, with its recorded operator and the forward operators of its sequence.
struct Evaluation {
  Owner owner;
  std::uint32_t function = 0;         ///< index in Recording::operators of the function itself; none: operators.size()
  std::uint32_t first = 0, last = 0;  ///< in Attribution::by_sequence: forward operators of its sequence, by start
  std::uint32_t again = 0;  ///< the last operator of its sequence in a module that ran again; none: operators.size()
};

/// A pass's times in nanoseconds, with a flag for a recorded backward pass.
struct PassTimes {
  std::vector<double> forward, backward;  ///< by layer
  bool has_backward = false;
};

/// GPU time of a recording without communication, in nanoseconds, by where its kernels were launched.
struct GpuTime {
  double layers = 0;      ///< layers and the loss, all passes
  double optimizer = 0;   ///< the optimizer's step
  double elsewhere = 0;   ///< outside of the chosen passes' modules
  double unlaunched = 0;  ///< the file has no launch of theirs
  double of_model() const { return layers + elsewhere + unlaunched; }
};

struct Attribution {
  std::vector<PassTimes> passes;
  std::vector<Evaluation> evaluations;     ///< parallel to Recording::evaluations
  std::vector<std::uint32_t> by_sequence;  ///< in Recording::operators: main thread's, with a sequence
  std::vector<Owner> operator_owner;       ///< parallel to `by_sequence`
  bool on_gpu = false;
  GpuTime gpu;
  double unowned = 0;        ///< of backward functions without a layer
  double backward = 0;       ///< of all backward functions
  double communication = 0;  ///< of NCCL kernels, which belong to no layer
};

/// Attributes operators and backward functions to layers. Sorts the recording's operators and launches. Work that ran
/// again is attributed by the names of its modules.
Attribution attribute(ProfilerTrace& recording, const Calls& calls, const std::vector<std::size_t>& layers);

}  // namespace pipedeck::analytic::recorded
