// SPDX-License-Identifier: Apache-2.0
// Jobs of Megatron-LM by their arguments: a job's script, or the list alone. Names are those of
// megatron/training/arguments.py of core 0.15.
#pragma once

#include <span>
#include <string>

#include "core/base/result.hpp"
#include "core/io/jobs/shell_script.hpp"
#include "core/io/jobs/training_job.hpp"

namespace pipedeck::io::jobs {

bool looks_like_megatron(const std::string& text);

/// Returns bad_input with the argument or line that cannot be read. `given`: variables that the script expects.
Result<TrainingJob> job_from_megatron(const std::string& text, std::string name, std::span<const Variable> given = {});

/// Returns the job of its arguments alone, "--num-layers", "32", ...
Result<TrainingJob> job_from_arguments(std::span<const std::string> words, std::string name);

}  // namespace pipedeck::io::jobs
