// SPDX-License-Identifier: Apache-2.0
// Jobs of Axolotl by their YAML. Names are those of axolotl/utils/schemas at 0.12.
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/io/jobs/training_job.hpp"

namespace pipedeck::io::jobs {

bool looks_like_axolotl(const std::string& text);

/// Returns the job of the configuration. Devices follow from its degrees; without sharded or replicated ranks, it has
/// none. bad_input with the name that cannot be read.
Result<TrainingJob> job_from_axolotl(const std::string& text, std::string name);

}  // namespace pipedeck::io::jobs
