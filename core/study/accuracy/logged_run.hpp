// SPDX-License-Identifier: Apache-2.0
// A training log of another engine as a row of the table of measured runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/io/jobs/training_job.hpp"
#include "core/io/jobs/training_log.hpp"
#include "core/model/device_model.hpp"
#include "core/model/transformer_config.hpp"
#include "core/study/accuracy/runs_table.hpp"

namespace pipedeck::study::accuracy {

/// The time of a step behind the warm-up.
struct SteadyStep {
  double seconds = 0;                  ///< median over lines of the log
  double low = 0, high = 0;            ///< quartiles
  std::int64_t first = 0, last = 0;    ///< steps
  int lines = 0;                       ///< that count
  int warm_up = 0, other_batches = 0;  ///< lines left out: at the start, and with another global batch (a ramp)
  int unreadable = 0;                  ///< lines left out: the time is no positive number
};

/// Leaves out the first line, then those at the start that are slower than the median of the second half by a tenth.
/// `job`: completed. bad_input if the log has another global batch.
Result<SteadyStep> steady_step(const io::jobs::TrainingLog& log, const io::jobs::TrainingJob& job);

struct LoggedRun {
  PublishedRun run;
  SteadyStep step;
  std::vector<std::string> lost;  ///< of the job, for which the table has no column: "stages of 3, 5, 4, 4 blocks"
};

/// Returns the run of a log with its completed job, the job's model and the type of its GPUs.
Result<LoggedRun> logged_run(const io::jobs::TrainingLog& log, const io::jobs::TrainingJob& job,
                             const TransformerConfig& model, const std::string& gpu,
                             const std::vector<DeviceModel>& catalogue);

}  // namespace pipedeck::study::accuracy
