// SPDX-License-Identifier: Apache-2.0
// Jobs of torchtitan by their TOML configuration. Names are those of torchtitan/config/job_config.py at b5bcd76, and of
// the sections that it had before.
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/io/jobs/training_job.hpp"

namespace pipedeck::io::jobs {

bool looks_like_torchtitan(const std::string& text);

/// Returns bad_input with the line or key that cannot be read.
Result<TrainingJob> job_from_torchtitan(const std::string& text, std::string name);

}  // namespace pipedeck::io::jobs
