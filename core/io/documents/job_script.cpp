// SPDX-License-Identifier: Apache-2.0
#include "core/io/documents/job_script.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/one_line.hpp"
#include "core/io/documents/formats.hpp"
#include "core/plan/validate.hpp"

namespace pipedeck::io::documents {
namespace {

/// Ends the documents in the script; no line of JSON is just this.
constexpr std::string_view end_mark = "PIPEDECK_END";

/// The loss, last, needs no stage: it belongs to the last one.
int layers_to_plan(const ModelSpec& model) {
  const bool loss = !model.layers.empty() && model.layers.back().kind == "softmax_cross_entropy";
  return static_cast<int>(model.layers.size()) - (loss ? 1 : 0);
}

/// A name that needs no quotes anywhere.
std::string plain_name(const std::string& name) {
  std::string plain;
  for (const char c : name) {
    const bool keeps = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
    if (keeps) {
      plain += c;
    } else if (!plain.empty() && plain.back() != '-') {
      plain += '-';
    }
  }
  while (!plain.empty() && (plain.back() == '-' || plain.back() == '.')) plain.pop_back();
  constexpr std::size_t longest = 60;
  return plain.empty() ? "pipedeck" : plain.substr(0, longest);
}

std::string head(const JobOptions& how, const std::string& name, int devices) {
  if (how.launcher == JobLauncher::mpirun) return "#!/bin/bash\n";
  const int each = (devices + how.processes - 1) / how.processes;
  std::string text = fmt::format("#!/bin/bash\n#SBATCH --job-name={}\n", name);
  if (how.processes == 1) text += "#SBATCH --nodes=1\n";
  text += fmt::format("#SBATCH --ntasks={}\n#SBATCH --cpus-per-task={}\n", how.processes, each);
  if (how.backend.gpus) text += fmt::format("#SBATCH --gpus-per-task={}\n", each);
  return text + fmt::format("#SBATCH --output={}-%j.log\n", name);
}

std::string start(const JobOptions& how) {
  // A process must have all its processors, whatever the launcher would bind a rank to.
  if (how.launcher == JobLauncher::mpirun) return fmt::format("mpirun -np {} --bind-to none", how.processes);
  if (how.processes == 1) return "srun --ntasks=1 --cpu-bind=none";
  return fmt::format("srun --mpi=pmix --ntasks={} --cpu-bind=none", how.processes);
}

std::string document(std::string_view file, std::string json) {
  if (!json.ends_with('\n')) json += '\n';
  return fmt::format("cat > \"$folder/{}\" <<'{}'\n{}{}\n", file, end_mark, json, end_mark);
}

}  // namespace

std::string_view name_of(JobLauncher launcher) { return launcher == JobLauncher::slurm ? "slurm" : "mpirun"; }

Result<std::string> job_script(const JobOptions& how, const Plan& plan, const ModelSpec& model) {
  if (how.backend.gpus) TRY_VOID(plan::validate_covered(plan));  // the GPU runtime has no further degrees
  const int planned = plan.stages.empty() ? 0 : plan.stages.back().last;
  if (planned != layers_to_plan(model) && planned != std::ssize(model.layers))
    return fail(ErrorCode::bad_input, fmt::format("found a plan for {} layers, expected {}, the layers of {} without "
                                                  "its loss: a job trains the plan's own model",
                                                  planned, layers_to_plan(model), model.name));
  const int devices = static_cast<int>(devices_used(plan).size());
  if (how.processes > devices)
    return fail(ErrorCode::bad_input,
                fmt::format("found {} processes, expected at most {}, the plan's devices", how.processes, devices));
  const std::string name = plain_name(plan.name);
  std::string text = head(how, name, devices);
  text += fmt::format("# Trains {} with the plan {}: {} devices, {} steps.\n", strip_control_characters(model.name),
                      strip_control_characters(plan.name), devices, how.steps);
  text += "# PIPEDECK_CLI names the program where it is not on the path; PIPEDECK_DIR is where results go.\n";
  if (how.processes > 1) text += "# All hosts of the job must see that folder.\n";
  text += "set -euo pipefail\n";
  text += fmt::format("folder=\"${{PIPEDECK_DIR:-$PWD}}/{}-{}\"\n", name,
                      how.launcher == JobLauncher::slurm ? "${SLURM_JOB_ID:-$$}" : "$$");
  text += "mkdir -p \"$folder\"\n";
  text += document("plan.json", plan_to_json(plan));
  text += document("model.json", model_to_json(model));
  RunBackend unshared = how.backend;
  unshared.share_gpus = false;
  text += fmt::format(
      "{} \"${{PIPEDECK_CLI:-pipedeck-cli}}\" run --plan \"$folder/plan.json\" --model \"$folder/model.json\" \\\n"
      "  {} --steps {}{} --events \"$folder/events.jsonl\"\n",
      start(how), fmt::join(arguments_of(unshared), " "), how.steps, how.processes > 1 ? " --transport mpi" : "");
  return text;
}

}  // namespace pipedeck::io::documents
