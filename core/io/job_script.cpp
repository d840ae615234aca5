// SPDX-License-Identifier: Apache-2.0
#include "core/io/job_script.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/domain/one_line.hpp"
#include "core/io/json_formats.hpp"

namespace pipedeck {
namespace {

/// Ends the documents in the script; no line of JSON is just this.
constexpr std::string_view end_mark = "PIPEDECK_END";

/// The loss, last, has no stage of its own.
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

std::string head(JobLauncher launcher, const std::string& name, std::size_t devices) {
  if (launcher == JobLauncher::mpirun) return "#!/bin/bash\n";
  return fmt::format(
      "#!/bin/bash\n#SBATCH --job-name={}\n#SBATCH --nodes=1\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task={}\n"
      "#SBATCH --output={}-%j.log\n",
      name, devices, name);
}

std::string start(JobLauncher launcher) {
  // One process: it must have all its processors, whatever the launcher would bind a rank to.
  return launcher == JobLauncher::slurm ? "srun --ntasks=1 --cpu-bind=none" : "mpirun -np 1 --bind-to none";
}

std::string document(std::string_view file, std::string json) {
  if (!json.ends_with('\n')) json += '\n';
  return fmt::format("cat > \"$folder/{}\" <<'{}'\n{}{}\n", file, end_mark, json, end_mark);
}

}  // namespace

std::string_view name_of(JobLauncher launcher) { return launcher == JobLauncher::slurm ? "slurm" : "mpirun"; }

Result<std::string> job_script(JobLauncher launcher, const Plan& plan, const ModelSpec& model, int steps) {
  const int planned = plan.stages.empty() ? 0 : plan.stages.back().last;
  if (planned != layers_to_plan(model))
    return fail(ErrorCode::bad_input,
                fmt::format("found a plan for {} layers, expected {}, the layers of {} without its "
                            "loss: a job trains the plan's own model",
                            planned, layers_to_plan(model), model.name));
  const std::size_t devices = devices_used(plan).size();
  const std::string name = plain_name(plan.name);
  std::string text = head(launcher, name, devices);
  text += fmt::format("# Trains {} with the plan {}: {} devices, {} steps.\n", one_line(model.name),
                      one_line(plan.name), devices, steps);
  text += "# PIPEDECK_CLI names the program where it is not on the path; PIPEDECK_DIR is where results go.\n";
  text += "set -euo pipefail\n";
  text += fmt::format("folder=\"${{PIPEDECK_DIR:-$PWD}}/{}-{}\"\n", name,
                      launcher == JobLauncher::slurm ? "${SLURM_JOB_ID:-$$}" : "$$");
  text += "mkdir -p \"$folder\"\n";
  text += document("plan.json", plan_to_json(plan));
  text += document("model.json", model_to_json(model));
  text += fmt::format(
      "{} \"${{PIPEDECK_CLI:-pipedeck-cli}}\" run --plan \"$folder/plan.json\" --model \"$folder/model.json\" \\\n"
      "  --backend cpu --steps {} --events \"$folder/events.jsonl\"\n",
      start(launcher), steps);
  return text;
}

}  // namespace pipedeck
