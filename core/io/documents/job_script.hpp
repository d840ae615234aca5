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

/// A request of nodes from Slurm.
struct SlurmNodes {
  int count = 0;    ///< that train, with as many processes on each; 0: as Slurm places the processes
  int segment = 0;  ///< nodes that stay in one block of Slurm's topology (`--segment`); 0: anywhere
  int spare = 0;    ///< in addition: they take the places of nodes that do not answer at the start
  bool any() const { return count > 0 || segment > 0 || spare > 0; }
};

/// How `pipedeck-cli run` is started.
struct JobOptions {
  JobLauncher launcher = JobLauncher::slurm;
  int steps = 1;
  int processes = 1;     ///< each with a block of the plan's devices; several are joined by MPI
  RunBackend backend{};  ///< a job asks for a GPU a device, so that none is shared
  SlurmNodes nodes{};
};

/// One process has the plan's devices on one node, one CPU each. The launcher places several processes, in a folder
/// that all of them see. The model's data stay in place: their path must be absolute. A plan for other layers than the
/// model's, for fewer devices than processes, or with degrees that the trainer does not cover, is bad_input. So are
/// nodes that do not divide the processes, and segments that do not divide the nodes.
Result<std::string> job_script(const JobOptions& how, const Plan& plan, const ModelSpec& model);

}  // namespace pipedeck::io::documents
