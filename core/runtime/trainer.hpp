// SPDX-License-Identifier: Apache-2.0
// Trains a model for real with a plan's schedule: one worker a device, each interpreting its lane (runtime.md).
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

/// Unless told otherwise the runtime reduces a stage's gradients in one go after its last backward: what a run is
/// compared with is predicted so.
inline constexpr Overlap trainer_overlap = Overlap::none;

struct TrainOptions {
  int steps = 1;                              ///< the last one's number; what is resumed counts
  int timeline_every = 0;                     ///< emit a MeasuredTimeline every so many steps; 0: never
  Overlap overlap = trainer_overlap;          ///< when a synchronous run all-reduces gradients
  Bytes bucket = default_bucket;              ///< with Overlap::bucket
  std::chrono::milliseconds timeout{30000};   ///< a peer silent for longer fails the run
  std::chrono::milliseconds sample_every{0};  ///< emit a RunSample so often; 0: never
  std::shared_ptr<PauseGate> pause{};         ///< where it is closed the run waits between two steps; null: never
  std::vector<int> cores{};                   ///< a device, in device order; empty: the operating system chooses
  Bytes memory_limit{};                       ///< of each device; a run that needs more fails. 0: what the system gives
  std::optional<CheckpointOptions> checkpoint{};
  std::shared_ptr<const Checkpoint> resume{};  ///< of this model and optimizer; null: begin with first weights
};

/// All parameters of the model after the run, layer by layer: what tests compare with one-device training.
struct TrainedParameters {
  std::vector<std::vector<float>> layers;
};

using EventSink = std::function<void(const RunEvent&)>;

/// Runs `schedule` (of `plan`) on CPU threads. Events come from one thread at a time. Stopping finishes the step at
/// hand, or drops it where no weights have changed in it, and is no failure; an asynchronous run finishes the steps
/// that it has begun. A step is a global batch: asynchronous steps follow each other without a flush. bad_input where
/// the model can't run the plan (layers that no kernel exists for, ranges that do not match); run_failed when a worker
/// failed or timed out, naming device and operation.
Result<TrainedParameters> train_on_cpu(const ModelSpec& model, const Plan& plan, const Schedule& schedule,
                                       const TrainOptions& options, const EventSink& sink, std::stop_token stop = {});

/// Layers the runtime cuts stages between: the model's without its loss. Equals the layers of profile_from_shapes.
int plannable_layers(const ModelSpec& model);

}  // namespace pipedeck
