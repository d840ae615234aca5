// SPDX-License-Identifier: Apache-2.0
// Logs of trainings by other engines: the times of their steps, memory, and the job where the log prints it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/io/jobs/training_job.hpp"

namespace pipedeck::io::jobs {

/// A line about the steps since the line before, as their mean. A figure of 0 is not in the line.
struct LoggedSteps {
  std::int64_t last = 0;          ///< number of the last step
  double seconds = 0;             ///< of a step
  double samples_per_second = 0;  ///< of all GPUs
  double tokens_per_second = 0;   ///< of each GPU
  double tflops = 0;              ///< of each GPU
  int global_batch = 0;
  bool operator==(const LoggedSteps&) const = default;
};

struct TrainingLog {
  std::string engine;  ///< "Megatron-LM", "torchtitan", "DeepSpeed", "Hugging Face Trainer"
  std::string name;
  std::vector<LoggedSteps> steps;  ///< in their order, one a step number
  bool whole_run = false;          ///< the only time is the mean of all steps, the first ones too
  double peak_gib = 0;             ///< the most of all ranks that print it
  std::string peak_kind;           ///< "max allocated over printed ranks"
  std::string gpu;                 ///< the name that the log prints
  std::optional<TrainingJob> job;  ///< of arguments that the log prints (Megatron-LM)
};

/// A rank's most allocated memory, as Megatron-LM and Megatron-Bridge print it: torch.cuda.max_memory_allocated.
struct RankPeak {
  int rank = 0;
  double bytes = 0;
  bool operator==(const RankPeak&) const = default;
};

/// Returns the peak of each rank that the log prints, ascending by rank; it needs no time of a step. bad_input if it
/// prints none.
Result<std::vector<RankPeak>> rank_peaks_from(const std::string& log);

bool looks_like_training_log(const std::string& text);

/// Returns the log of a run of Megatron-LM, torchtitan, DeepSpeed or Hugging Face's Trainer, with any prefixes and
/// colours that launchers add. bad_input if no line has the time of a step.
Result<TrainingLog> training_log_from(const std::string& text, std::string name);

}  // namespace pipedeck::io::jobs
