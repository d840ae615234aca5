// SPDX-License-Identifier: Apache-2.0
// Training with a given backend and environment. train_on_cpu uses it with the CPU's kernels and threads.
#pragma once

#include "core/runtime/backend.hpp"
#include "core/runtime/run.hpp"
#include "core/runtime/trainer.hpp"

namespace pipedeck {

Result<TrainedParameters> train_with(const Backend& backend, const ModelSpec& model, const Plan& plan,
                                     const Schedule& schedule, const TrainOptions& options, const EventSink& sink,
                                     std::stop_token stop = {}, const Site& site = this_process());

}  // namespace pipedeck
