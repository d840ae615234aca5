// SPDX-License-Identifier: Apache-2.0
// A dry run of Megatron-LM on one GPU (`--fake-process-group`): the process that needs most memory runs alone, and its
// peak is compared with the prediction.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/base/units.hpp"
#include "core/io/jobs/training_log.hpp"
#include "core/mesh/question.hpp"
#include "core/study/engines/engine.hpp"

namespace pipedeck::study::engines {

/// A process with its predicted peak.
struct ProcessPeak {
  int process = 0;   ///< number in Megatron-LM's order
  Bytes predicted;   ///< allocated, as torch.cuda.max_memory_allocated has it
  Bytes measured{};  ///< by a log; 0: not measured
  bool operator==(const ProcessPeak&) const = default;
};

/// Returns the first process of the pipeline rank that needs most. bad_input if the degrees do not divide the model.
Result<ProcessPeak> fullest_process(const mesh::Question& question);

/// Returns the processes of a log next to their prediction. bad_input if the plan does not have as many processes.
Result<std::vector<ProcessPeak>> next_to_log(const mesh::Question& question,
                                             std::span<const io::jobs::RankPeak> measured);

/// Returns a script that runs the fullest process of a plan alone. Its plan keeps Megatron-LM's rules.
std::string megatron_dry_run(const EngineRequest& request);

}  // namespace pipedeck::study::engines
