// SPDX-License-Identifier: Apache-2.0
// A batch script that trains a model with a plan: plan and model are in it, so that it is all that a machine needs
// beside pipedeck-cli.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/domain/model.hpp"
#include "core/domain/plan.hpp"
#include "core/domain/result.hpp"

namespace pipedeck {

enum class JobLauncher { slurm, mpirun };
inline constexpr std::array job_launchers{JobLauncher::slurm, JobLauncher::mpirun};
std::string_view name_of(JobLauncher launcher);  // "slurm"

/// The runtime trains on the threads of one node, one a device of the plan, so the job is one task on one node with
/// that many processors. A plan for other layers than the model's is bad_input.
Result<std::string> job_script(JobLauncher launcher, const Plan& plan, const ModelSpec& model, int steps);

}  // namespace pipedeck
