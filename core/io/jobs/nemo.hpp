// SPDX-License-Identifier: Apache-2.0
// Jobs of NeMo 1.x by their configuration in YAML: `trainer` and `model`, which have Megatron-LM's choices under names
// of their own.
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/io/jobs/training_job.hpp"

namespace pipedeck::io::jobs {

bool looks_like_nemo(const std::string& text);

/// Returns bad_input with the option that cannot be read.
Result<TrainingJob> job_from_nemo(const std::string& text, std::string name);

}  // namespace pipedeck::io::jobs
