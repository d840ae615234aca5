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
  const SlurmNodes& nodes = how.nodes;
  if (how.processes == 1 && nodes.count == 0) text += "#SBATCH --nodes=1\n";
  if (nodes.count > 0)
    text += fmt::format("#SBATCH --nodes={}\n#SBATCH --ntasks-per-node={}\n", nodes.count + nodes.spare,
                        how.processes / nodes.count);
  else
    text += fmt::format("#SBATCH --ntasks={}\n", how.processes);
  if (nodes.segment > 0) text += fmt::format("#SBATCH --segment={}\n", nodes.segment);
  if (nodes.spare > 0) text += "#SBATCH --no-kill\n";
  text += fmt::format("#SBATCH --cpus-per-task={}\n", each);
  if (how.backend.gpus) text += fmt::format("#SBATCH --gpus-per-task={}\n", each);
  return text + fmt::format("#SBATCH --output={}-%j.log\n", name);
}

Result<void> check(const SlurmNodes& nodes, int processes) {
  if (!nodes.any()) return {};
  if (nodes.count == 0)
    return fail(ErrorCode::bad_input, "found segments or spare nodes, expected a number of nodes next to them");
  if (processes % nodes.count != 0)
    return fail(ErrorCode::bad_input,
                fmt::format("found {} processes on {} nodes, expected equally many on each", processes, nodes.count));
  const int all = nodes.count + nodes.spare;
  if (nodes.segment > 0 && all % nodes.segment != 0)
    return fail(ErrorCode::bad_input, fmt::format("found {} nodes with the spare ones, expected a multiple of the {} "
                                                  "of a segment",
                                                  all, nodes.segment));
  return {};
}

/// Returns the lines that choose the first nodes that answer.
std::string choice_of_nodes(const SlurmNodes& nodes) {
  if (nodes.spare == 0) return {};
  return fmt::format(
      "# The first {0} nodes that answer train. Spare ones take the places of others.\n"
      "nodes=()\n"
      "for node in $(scontrol show hostnames \"$SLURM_JOB_NODELIST\"); do\n"
      "  if [ \"${{#nodes[@]}}\" -lt {0} ] && srun --overlap --nodes=1 --ntasks=1 --nodelist=\"$node\" true; then\n"
      "    nodes+=(\"$node\")\n"
      "  fi\n"
      "done\n"
      "if [ \"${{#nodes[@]}}\" -lt {0} ]; then\n"
      "  echo \"found ${{#nodes[@]}} nodes that answer, expected {0}\" >&2\n"
      "  exit 1\n"
      "fi\n",
      nodes.count);
}

std::string start(const JobOptions& how) {
  // A process must have all its processors, whatever the launcher would bind a rank to.
  if (how.launcher == JobLauncher::mpirun) return fmt::format("mpirun -np {} --bind-to none", how.processes);
  std::string on;
  if (how.nodes.count > 0) on = fmt::format(" --nodes={}", how.nodes.count);
  if (how.nodes.spare > 0) on += " --nodelist=\"$(IFS=,; echo \"${nodes[*]}\")\"";
  if (how.processes == 1) return fmt::format("srun{} --ntasks=1 --cpu-bind=none", on);
  return fmt::format("srun --mpi=pmix{} --ntasks={} --cpu-bind=none", on, how.processes);
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
  TRY_VOID(check(how.nodes, how.processes));
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
  text += choice_of_nodes(how.nodes);
  RunBackend unshared = how.backend;
  unshared.share_gpus = false;
  text += fmt::format(
      "{} \"${{PIPEDECK_CLI:-pipedeck-cli}}\" run --plan \"$folder/plan.json\" --model \"$folder/model.json\" \\\n"
      "  {} --steps {}{} --events \"$folder/events.jsonl\"\n",
      start(how), fmt::join(arguments_of(unshared), " "), how.steps, how.processes > 1 ? " --transport mpi" : "");
  return text;
}

}  // namespace pipedeck::io::documents
