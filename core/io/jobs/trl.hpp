// SPDX-License-Identifier: Apache-2.0
// Arguments of TRL's trainers and Hugging Face's Trainer as a YAML file, `trl sft --config`.
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/io/jobs/training_job.hpp"

namespace pipedeck::io::jobs {

bool looks_like_trl(const std::string& text);

/// Returns the job of data-parallel ranks that the file states: batch, precision, recomputation, FSDP. Devices and
/// degrees are in Accelerate's configuration. bad_input with the name that cannot be read.
Result<TrainingJob> job_from_trl(const std::string& text, std::string name);

}  // namespace pipedeck::io::jobs
