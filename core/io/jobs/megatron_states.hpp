// SPDX-License-Identifier: Apache-2.0
// The bytes that Megatron-LM's optimizers keep for each weight, by their arguments: import and export share it.
#pragma once

#include <string>

#include "core/model/training.hpp"

namespace pipedeck::io::jobs {

/// A set of arguments that decide on model states.
struct MegatronStates {
  bool narrow_gradients = false;  ///< --grad-reduce-in-bf16
  bool precision_aware = false;   ///< --use-precision-aware-optimizer
  bool narrow_main_gradients = false;
  int first_moment = 4, second_moment = 4;  ///< bytes: --exp-avg-dtype, --exp-avg-sq-dtype
  bool muon = false;
  bool operator==(const MegatronStates&) const = default;
};

/// Returns the bytes of a run with these arguments, its products and weights (parallelism.md, "Bytes per parameter").
StateBytes state_bytes_of(const MegatronStates& states, const Training& training);

/// Returns the lines of its arguments.
std::string arguments_of(const MegatronStates& states, const Training& training);

}  // namespace pipedeck::io::jobs
