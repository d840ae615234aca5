// SPDX-License-Identifier: Apache-2.0
// The number of GPUs of a job by its launcher: torchrun, srun, Slurm's batch directives.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace pipedeck::io::jobs {

/// Returns nodes x processes of each; 0 if words and script do not have them. `script`: with its "#SBATCH" lines.
int devices_of_launch(std::span<const std::string> words, std::string_view script);

}  // namespace pipedeck::io::jobs
