// SPDX-License-Identifier: Apache-2.0
#include "core/io/jobs/megatron_states.hpp"

#include <string_view>

namespace pipedeck::io::jobs {
namespace {

std::string_view type_of(int bytes) { return bytes == 1 ? "fp8" : bytes == 2 ? "bf16" : "fp32"; }

}  // namespace

StateBytes state_bytes_of(const MegatronStates& states, const Training& training) {
  StateBytes bytes{.weights = 2, .gradients = 4, .optimizer = 12};
  if (training.narrow_weights && training.products == "mxfp8") bytes.weights = 2 + 1.0 / 16;
  if (states.muon) {
    bytes.optimizer = 8;
  } else if (states.precision_aware) {
    // The master copy is a 16-bit remainder of 16-bit weights, a whole one of narrow weights.
    const bool whole = training.products == "mxfp8" || (training.products == "fp8" && training.recipe != "delayed");
    bytes.optimizer = (whole ? 4 : 2) + states.first_moment + states.second_moment;
    if (states.narrow_main_gradients) bytes.gradients = 2;
  } else if (states.narrow_gradients) {
    bytes.gradients = 2, bytes.step = 4;  // fp32 copies of the gradients, distrib_optimizer.py:2792
  }
  return bytes;
}

std::string arguments_of(const MegatronStates& states, const Training& training) {
  std::string text;
  const auto type = [&](std::string_view name, int bytes) {
    if (bytes != 4) text += std::string("  --") + std::string(name) + " " + std::string(type_of(bytes)) + "\n";
  };
  if (states.precision_aware) text += "  --use-precision-aware-optimizer\n";
  type("exp-avg-dtype", states.first_moment);
  type("exp-avg-sq-dtype", states.second_moment);
  if (states.narrow_main_gradients) text += "  --main-grads-dtype bf16\n";
  // fp16 models reduce in 16 bits by default, bf16 models in fp32 (arguments.py:1213).
  if (training.products == "fp16") {
    if (!states.narrow_gradients) text += "  --accumulate-allreduce-grads-in-fp32\n";
  } else if (states.narrow_gradients) {
    text += "  --grad-reduce-in-bf16\n";
  }
  return text;
}

}  // namespace pipedeck::io::jobs
