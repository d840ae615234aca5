// SPDX-License-Identifier: Apache-2.0
// Names: megatron/training/arguments.py and initialize.py, core 0.15. Megatron-LM needs PyTorch 2.3 for it, refuses the
// flex dispatcher, and prints a rank's memory from its first data-parallel rank alone (utils.py, report_memory).
#include "core/study/engines/dry_run.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <fmt/format.h>

#include "core/base/one_line.hpp"
#include "core/mesh/memory.hpp"
#include "core/mesh/plan_question.hpp"
#include "core/sim/step/fold.hpp"
#include "core/study/engines/megatron.hpp"

namespace pipedeck::study::engines {
namespace {

/// Returns the allocated peak of each pipeline rank.
Result<std::vector<double>> peaks_of(const mesh::Question& question) {
  TRY(const std::vector<mesh::StageMemory> memory, sim::step::memory_of(question));
  std::vector<double> peaks;
  for (int p = 0; p < question.pipeline; ++p) {
    std::vector<mesh::StageMemory> own;
    for (std::size_t s = static_cast<std::size_t>(p); s < memory.size();
         s += static_cast<std::size_t>(question.pipeline))
      own.push_back(memory[s]);
    peaks.push_back(mesh::rank_memory(question, p, own).peak);
  }
  return peaks;
}

Bytes whole(double bytes) { return Bytes(static_cast<std::int64_t>(bytes)); }

/// Returns the arguments without those of the run's length and its exchanges.
std::string arguments_of_one_process(const EngineRequest& request) {
  std::string text = "PIPEDECK_ARGUMENTS=(\n";
  bool begun = false;
  for (const std::string& word : megatron_words(request)) {
    const bool option = word.starts_with("--");
    if (option && begun) text += "\n";
    const bool plain = word.find_first_of("|*()[]\"' ") == word.npos;
    const std::string& value = word == "flex" ? std::string("alltoall") : word;  // arguments.py refuses it
    text += (option ? "  " : " ") + (plain ? value : "\"" + value + "\"");
    begun = true;
  }
  return text + "\n)\n";
}

}  // namespace

Result<ProcessPeak> fullest_process(const mesh::Question& question) {
  TRY(const std::vector<double> peaks, peaks_of(question));
  const auto fullest = std::ranges::max_element(peaks);
  const int rank = static_cast<int>(fullest - peaks.begin());
  return ProcessPeak{rank * (question.devices() / question.pipeline), whole(*fullest)};
}

Result<std::vector<ProcessPeak>> next_to_log(const mesh::Question& question,
                                             std::span<const io::jobs::RankPeak> measured) {
  TRY(const std::vector<double> peaks, peaks_of(question));
  std::vector<ProcessPeak> processes;
  for (const io::jobs::RankPeak& one : measured) {
    if (one.rank >= question.devices())
      return fail(ErrorCode::bad_input, fmt::format("found the memory of rank {}, expected ranks below the plan's {}",
                                                    one.rank, question.devices()));
    const auto rank = static_cast<std::size_t>(one.rank / (question.devices() / question.pipeline));
    processes.push_back({one.rank, whole(peaks[rank]), whole(one.bytes)});
  }
  return processes;
}

std::string megatron_dry_run(const EngineRequest& request) {
  const Plan& plan = request.plan;
  const auto question = mesh::question_of(plan, request.profile, std::make_shared<const Cluster>(request.cluster));
  const auto fullest = question ? fullest_process(*question) : tl::unexpected(question.error());
  const int process = fullest ? fullest->process : 0;
  std::string text = fmt::format(
      "#!/bin/bash\n# Megatron-LM's dry run for plan '{}': process {} of {} alone, on one GPU, without the others.\n",
      strip_control_characters(plan.name), process, devices_used(plan).size());
  text += fullest ? fmt::format("# It needs most: {:.2f} GiB are predicted (torch.cuda.max_memory_allocated).\n",
                                static_cast<double>(fullest->predicted.count) / (1 << 30))
                  : "# The profile does not predict which process needs most.\n";
  text +=
      "# In Megatron-LM's folder, with PyTorch 2.3 or newer:\n"
      "#   bash THIS 2>&1 | tee dry-run.log\n"
      "#   pipedeck-cli simulate --plan ... --dry-run dry-run.log\n"
      "# Times mean nothing. Tokens are exchanged all-to-all: the flex dispatcher has no such run.\n"
      "set -euo pipefail\n";
  text += fmt::format("export WORLD_SIZE={} RANK={} LOCAL_RANK=0\n", devices_used(plan).size(), process);
  text += "export MASTER_ADDR=localhost MASTER_PORT=29500 CUDA_DEVICE_MAX_CONNECTIONS=1\n";
  text += arguments_of_one_process(request);
  const std::int64_t words = request.origin ? request.origin->config.vocabulary : 0;
  text += "python3 pretrain_gpt.py \"${PIPEDECK_ARGUMENTS[@]}\" --fake-process-group --mock-data \\\n";
  // The tokenizer adds one word.
  text += fmt::format("  --tokenizer-type NullTokenizer --vocab-size {} \\\n",
                      words > 0 ? fmt::format("{}", words - 1) : std::string("\"${VOCABULARY:?words, less one}\""));
  if (request.origin && request.origin->config.experts) text += "  --moe-router-force-load-balancing \\\n";
  return text + "  --train-iters 3 --lr 1e-5 --min-lr 1e-6 --eval-iters 0 --log-interval 1 \"$@\"\n";
}

}  // namespace pipedeck::study::engines
