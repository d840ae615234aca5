// SPDX-License-Identifier: Apache-2.0
// A batch script that trains a model with a plan. It contains plan and model, so a machine needs only the script and
// pipedeck-cli.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "core/model/model.hpp"
#include "core/model/plan.hpp"
#include "core/model/run_backend.hpp"

namespace pipedeck::io::documents {

enum class JobLauncher { slurm, mpirun };
inline constexpr std::array job_launchers{JobLauncher::slurm, JobLauncher::mpirun};
std::string_view name_of(JobLauncher launcher);  // "slurm"

/// How `pipedeck-cli run` is started.
struct JobOptions {
  JobLauncher launcher = JobLauncher::slurm;
  int steps = 1;
  int processes = 1;     ///< each with a block of the plan's devices; several are joined by MPI
  RunBackend backend{};  ///< a job asks for a GPU a device, so that none is shared
};

/// One process has the plan's devices on one node, one CPU each. The launcher places several processes, in a folder
/// that all of them see. The model's data stay in place: their path must be absolute. A plan for other layers than the
/// model's, for fewer devices than processes, or with degrees that the trainer does not cover, is bad_input.
Result<std::string> job_script(const JobOptions& how, const Plan& plan, const ModelSpec& model);

}  // namespace pipedeck::io::documents
