// SPDX-License-Identifier: Apache-2.0
// Jobs of Hugging Face's Accelerate by its configuration in YAML: data-parallel ranks with FSDP, DDP or DeepSpeed.
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/io/jobs/training_job.hpp"

namespace pipedeck::io::jobs {

bool looks_like_accelerate(const std::string& text);

/// Returns bad_input with the option that cannot be read. The file has neither batch nor model.
Result<TrainingJob> job_from_accelerate(const std::string& text, std::string name);

}  // namespace pipedeck::io::jobs
