// SPDX-License-Identifier: Apache-2.0
// Training with a given set of kernels: what train_on_cpu does with the CPU's.
#pragma once

#include "core/runtime/layer_kernel.hpp"
#include "core/runtime/trainer.hpp"

namespace pipedeck {

Result<TrainedParameters> train_with(const Kernels& kernels, const ModelSpec& model, const Plan& plan,
                                     const Schedule& schedule, const TrainOptions& options, const EventSink& sink,
                                     std::stop_token stop = {});

}  // namespace pipedeck
