// SPDX-License-Identifier: Apache-2.0
// A training log of another engine, with the files that it needs, as a measured run.
#pragma once

#include <stop_token>
#include <string>

#include "app/cli/options/job_options.hpp"
#include "core/base/result.hpp"
#include "core/study/accuracy/logged_run.hpp"

namespace pipedeck::cli::work {

struct LogOptions {
  std::string job_file;     ///< empty: the log prints the job
  std::string device;       ///< type of the GPUs; empty: the log names it
  options::JobOptions job;  ///< for what the job's file leaves open
  bool given() const { return !job_file.empty() || !device.empty() || job.given(); }
};

/// Returns the run of the log at `path`. Errors carry the file that they are about.
Result<study::accuracy::LoggedRun> logged_run(const std::string& path, const std::string& text, const LogOptions& how,
                                              const std::stop_token& stop);

/// Returns the measured time of a step, the lines that were left out, and what the table has no column for.
std::string text_of(const study::accuracy::LoggedRun& logged);

}  // namespace pipedeck::cli::work
