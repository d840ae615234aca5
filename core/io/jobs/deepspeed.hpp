// SPDX-License-Identifier: Apache-2.0
// Jobs of DeepSpeed by their JSON configuration. Names are those of deepspeed/runtime/config.py at 00f47f0.
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/io/jobs/training_job.hpp"
#include "core/io/json/value.hpp"

namespace pipedeck::io::jobs {

bool looks_like_deepspeed(const json::Value& object);

/// The configuration has no model. bad_input with the key that cannot be read.
Result<TrainingJob> job_from_deepspeed(const json::Value& object, std::string name);

}  // namespace pipedeck::io::jobs
