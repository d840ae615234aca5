// SPDX-License-Identifier: Apache-2.0
// Trains a model with a plan's schedule: one worker per device, each interpreting its lane (runtime.md).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/domain/model.hpp"
#include "core/domain/plan.hpp"
#include "core/domain/result.hpp"
#include "core/domain/run.hpp"
#include "core/domain/schedule.hpp"
#include "core/domain/workload.hpp"
#include "core/runtime/checkpoint/options.hpp"
#include "core/runtime/pause.hpp"

namespace pipedeck {

class Checkpoint;

/// The default overlap: a stage's gradients are reduced at once after its last backward. Predictions for runs assume
/// the same.
inline constexpr Overlap trainer_overlap = Overlap::none;

struct TrainOptions {
  int steps = 1;                              ///< number of the last step, including steps before a resumed checkpoint
  int timeline_every = 0;                     ///< interval of MeasuredTimeline events, in steps; 0: never
  Overlap overlap = trainer_overlap;          ///< when a synchronous run all-reduces gradients
  Bytes bucket = default_bucket;              ///< with Overlap::bucket
  std::chrono::milliseconds timeout{30000};   ///< a peer silent for longer fails the run
  std::chrono::milliseconds sample_every{0};  ///< interval of RunSample events; 0: never
  std::shared_ptr<PauseGate> pause{};         ///< while it is closed, the run waits between two steps; null: never
  std::vector<int> cores{};                   ///< one per device, in device order; empty: the operating system chooses
  Bytes memory_limit{};                       ///< per device; a run that needs more fails. 0: unlimited
  std::optional<CheckpointOptions> checkpoint{};
  std::shared_ptr<const Checkpoint> resume{};  ///< of this model and optimizer; null: begin with initial weights
};

/// All parameters of the model after the run, layer by layer. Tests compare them with one-device training.
struct TrainedParameters {
  std::vector<std::vector<float>> layers;
};

using EventSink = std::function<void(const RunEvent&)>;

/// Runs `schedule` (of `plan`) on CPU threads. Events come from one thread at a time. Stopping is no failure. It
/// finishes the current step, or drops it if no weights have changed in it; an asynchronous run finishes the steps that
/// it has begun. A step is a global batch: asynchronous steps follow each other without a flush. bad_input if the model
/// cannot run the plan (layers without a kernel, ranges that do not match). run_failed, naming device and operation,
/// when a worker failed or timed out.
Result<TrainedParameters> train_on_cpu(const ModelSpec& model, const Plan& plan, const Schedule& schedule,
                                       const TrainOptions& options, const EventSink& sink, std::stop_token stop = {});

/// Returns the number of layers that the runtime divides into stages: the model's without its loss. Equals the layers
/// of profile_from_shapes.
int plannable_layers(const ModelSpec& model);

}  // namespace pipedeck
