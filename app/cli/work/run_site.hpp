// SPDX-License-Identifier: Apache-2.0
// --transport of run: where the workers are, and what the processes of a run have to agree on. All of them read and
// check the same files; one speaks.
#pragma once

#include <memory>
#include <string>

#include "core/runtime/train/run.hpp"

namespace CLI {
class App;
}

namespace pipedeck::runtime::mpi {
class ProcessGroup;
}  // namespace pipedeck::runtime::mpi

namespace pipedeck::cli::work {}

namespace pipedeck::cli::work {

class RunTransport {
 public:
  RunTransport();
  ~RunTransport();
  void declare(CLI::App& app);

  /// Joins the other processes, with --transport mpi. From now on only the first one prints. bad_usage if there is no
  /// MPI, or if this process was not started together with others.
  Result<void> open(std::chrono::milliseconds timeout);
  /// Agrees with all processes: a refusal by one is one by all, and so are `inputs` (as text) that differ.
  Result<void> agree_on_error(const Result<void>& checked, const Plan& plan, const std::string& inputs) const;
  Result<void> agree_on_error(const Result<void>& checked) const;
  /// True if no other process takes part.
  bool alone() const { return !processes_; }
  bool first() const { return site_.processes->is_rank_zero(); }
  const runtime::train::RunEnvironment& site() const { return site_; }
  /// On standard error, by the first process that is not lost.
  void say(const std::string& message) const;

  /// Ends the command: leaves the other processes. After a failed run it ends all of them with its status, hanging ones
  /// included, once the first process has printed the reason.
  Result<int> end(Result<int> result);

 private:
  std::string transport_ = "threads";
  std::shared_ptr<runtime::mpi::ProcessGroup> processes_;  ///< null: threads of this process
  runtime::train::RunEnvironment site_;
};

/// Returns true if another process of the same run reports the error in these arguments of `run`. Waits until it could.
bool is_reported_elsewhere(const std::vector<std::string>& arguments);

}  // namespace pipedeck::cli::work
