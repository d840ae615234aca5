// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/model/run.hpp"
#include "core/model/workload.hpp"
#include "core/runtime/checkpoint/options.hpp"
#include "core/runtime/machine/pause.hpp"

namespace pipedeck::runtime::checkpoint {
class Checkpoint;
}  // namespace pipedeck::runtime::checkpoint

namespace pipedeck::runtime::train {

/// The default overlap: a stage's gradients are reduced at once after its last backward. Predictions for runs assume
/// the same.
inline constexpr Overlap trainer_overlap = Overlap::none;

/// An answer to a loss, gradients or weights that are infinite or NaN: the run fails, or it continues with a warning
/// and keeps no more checkpoints.
enum class OnDivergence { stop, warn };

/// The parameters of whole layers, in the model's order.
using Weights = std::vector<std::vector<float>>;

struct TrainOptions {
  int steps = 1;                             ///< number of the last step, including steps before a resumed checkpoint
  int timeline_every = 0;                    ///< interval of MeasuredTimeline events, in steps; 0: never
  Overlap overlap = trainer_overlap;         ///< when a synchronous run all-reduces gradients
  Bytes bucket = default_bucket;             ///< with Overlap::bucket
  std::chrono::milliseconds timeout{30000};  ///< a peer silent for longer fails the run
  OnDivergence on_divergence = OnDivergence::stop;
  std::chrono::milliseconds sample_every{0};    ///< interval of RunSample events; 0: never
  std::shared_ptr<machine::PauseGate> pause{};  ///< while it is closed, the run waits between two steps; null: never
  int adapter_alpha = 0;                        ///< of a plan's adapters, whose scale is alpha / rank; 0: the rank
  std::vector<int> cores{};  ///< one per device, in device order; empty: the operating system chooses
  Bytes memory_limit{};      ///< per device; a run that needs more fails. 0: unlimited
  std::optional<checkpoint::Options> checkpoint{};
  std::shared_ptr<const checkpoint::Checkpoint>
      resume{};  ///< of this model and optimizer; null: begin with initial weights
  /// A head that shares the embedding's table has a copy, as where the embedding is on other devices: for profiles.
  bool ends_apart = false;
  std::shared_ptr<const Weights> weights{};  ///< initial weights of all layers; null: drawn from the model's seed
};

/// All trained parameters of the model after the run, layer by layer. Tests compare them with one-device training.
struct TrainedParameters {
  Weights layers;
  Weights frozen{};  ///< of a run with adapters: the weights next to them; else empty
};

using EventSink = std::function<void(const RunEvent&)>;

}  // namespace pipedeck::runtime::train
