// SPDX-License-Identifier: Apache-2.0
// Trains a model with a plan's schedule: one worker per device, each interpreting its lane (docs/runtime.md).
#pragma once

#include <stop_token>

#include "core/base/result.hpp"
#include "core/model/model.hpp"
#include "core/model/plan.hpp"
#include "core/model/schedule.hpp"
#include "core/runtime/layers/backend.hpp"
#include "core/runtime/train/options.hpp"
#include "core/runtime/train/run.hpp"

namespace pipedeck::runtime {

/// Runs `schedule` (of `plan`) on CPU threads. Events come from one thread at a time. Stopping is no failure. It
/// finishes the current step, or drops it if no weights have changed in it; an asynchronous run finishes the steps that
/// it has begun. A step is a global batch: asynchronous steps follow each other without a flush. bad_input if the model
/// cannot run the plan (layers without a kernel, ranges that do not match). run_failed, naming device and operation,
/// when a worker failed or timed out.
Result<train::TrainedParameters> train_on_cpu(const ModelSpec& model, const Plan& plan, const Schedule& schedule,
                                              const train::TrainOptions& options, const train::EventSink& sink,
                                              std::stop_token stop = {});

/// Trains with a given backend and environment. train_on_cpu uses it with the CPU's kernels and threads.
Result<train::TrainedParameters> train_with(const layers::Backend& backend, const ModelSpec& model, const Plan& plan,
                                            const Schedule& schedule, const train::TrainOptions& options,
                                            const train::EventSink& sink, std::stop_token stop = {},
                                            const train::RunEnvironment& site = train::single_process());

}  // namespace pipedeck::runtime
