// SPDX-License-Identifier: Apache-2.0
// The checkpoints of a run: which worker keeps what, when; what is there to go on from.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/domain/run.hpp"
#include "core/runtime/checkpoint/options.hpp"
#include "core/runtime/checkpoint/resume.hpp"
#include "core/runtime/checkpoint/writer.hpp"
#include "core/runtime/layout.hpp"
#include "core/runtime/worker.hpp"

namespace pipedeck {

/// Asynchronous training goes on with the older versions of the weights that the checkpoint's had under way; on another
/// plan than its own the pipeline fills anew, with the latest weights everywhere.
void set_older_versions(Layout& layout, const Plan& plan, const Checkpoint& from);

/// What a worker begins with, in place of its first weights. Errors: the checkpoint's files changed.
Result<void> restore(const Checkpoint& from, const Layout& layout, Worker& worker);

class RunCheckpoints {
 public:
  /// `layout` outlives this. `first`: of the run's processes, the one that has the folder's lock and removes what is
  /// not needed any more. bad_input where the folder is another run's, or holds steps that this run does not go on
  /// from.
  static Result<std::unique_ptr<RunCheckpoints>> open(const CheckpointOptions& options, const ModelSpec& model,
                                                      const Plan& plan, const Layout& layout, const Checkpoint* from,
                                                      bool first);

  /// Copies what `worker` keeps of this step (counted from the run's very beginning), if it is to keep it. On any
  /// thread while the worker is between two steps. Throws Interrupted.
  void take(const Worker& worker, std::uint64_t step, bool last, RunControl& control);

  /// Steps that became complete since the last call, all processes having done `step`; on the first process alone.
  /// run_failed where one can't be written.
  Result<std::vector<RunCheckpoint>> completed(std::uint64_t step, bool last);
  /// The same when all that was taken is on the disk; run_failed when that takes the time-out without getting on.
  Result<std::vector<RunCheckpoint>> finish(std::uint64_t step, std::chrono::milliseconds timeout);

 private:
  RunCheckpoints(const CheckpointOptions& options, CheckpointOrigin origin, const Layout& layout);
  std::vector<RunCheckpoint> noticed();
  Result<void> prepare_folder(const Checkpoint* from);
  bool whole(std::uint64_t step) const { return (step - origin_.step) % whole_ == 0; }
  bool due(std::uint64_t step, bool last) const;
  void remove_old(std::uint64_t step);

  bool all_there(std::uint64_t step) const;
  Bytes bytes_there(std::uint64_t step) const;

  /// A step of which not every file is known to be there. Times are of those written here.
  struct Pending {
    Bytes bytes;
    RunClock::time_point began = RunClock::now(), ended = began;
    std::size_t written = 0;
  };

  CheckpointOptions options_;
  const Layout& layout_;
  CheckpointOrigin origin_;           ///< of step 0 of this run
  std::uint64_t whole_ = 1;           ///< steps of which each ends rounds of asynchronous replicas
  std::vector<std::size_t> writers_;  ///< workers of the run, wherever they live
  std::optional<FolderLock> lock_;
  std::vector<std::atomic<std::uint64_t>> taken_;  ///< a worker: the last step
  std::map<std::uint64_t, Pending> pending_;
  std::uint64_t announced_ = 0;          ///< the last step that all have done and that is kept
  std::vector<std::uint64_t> complete_;  ///< steps in the folder, ascending
  bool first_ = true;
  CheckpointWriter writer_;
};

}  // namespace pipedeck
