// SPDX-License-Identifier: Apache-2.0
// Habits of programs that train with Hugging Face's Accelerate.
#pragma once

#include <string_view>

#include "core/io/jobs/options.hpp"
#include "core/io/jobs/training_job.hpp"

namespace pipedeck::io::jobs {

/// Sets products and states for "bf16", "fp16", "fp8" or "no". The weights are the master copy; autocast and FSDP make
/// narrow ones of them.
void set_mixed_precision(TrainingJob& job, std::string_view name);

/// Sets the loss and the gradients of PyTorch, and notes what they stand for.
void set_torch_habits(TrainingJob& job, Options& options);

/// Sets sharding of weights by FSDP over the ranks of a copy. `ahead`: gathers of the forward are two units ahead.
void set_fully_sharded(TrainingJob& job, bool stays_gathered, int copies, bool ahead);

}  // namespace pipedeck::io::jobs
