// SPDX-License-Identifier: Apache-2.0
// The checkpoints of a run: which worker saves which layers, when, and the checkpoint from which the run resumes.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/model/run.hpp"
#include "core/runtime/checkpoint/options.hpp"
#include "core/runtime/checkpoint/resume.hpp"
#include "core/runtime/checkpoint/writer.hpp"
#include "core/runtime/exec/layout.hpp"
#include "core/runtime/exec/worker.hpp"

namespace pipedeck::runtime::checkpoint {

/// Restores the weight versions in flight of asynchronous training. If the plan differs from the checkpoint's, the
/// pipeline is filled again with the latest weights everywhere.
void set_older_versions(exec::Layout& layout, const Plan& plan, const Checkpoint& from);

/// Loads a worker's state from a checkpoint in place of its initial weights. Errors: the checkpoint's files changed.
Result<void> restore(const Checkpoint& from, const exec::Layout& layout, exec::Worker& worker);

class RunCheckpoints {
 public:
  /// Prepares the checkpoints of a run. `layout` outlives this object. `seed`: as Origin::seed. `first` is true in the
  /// process of the run that locks the folder and removes old steps. bad_input if the folder belongs to another run, or
  /// holds steps that this run does not resume from.
  static Result<std::unique_ptr<RunCheckpoints>> open(const Options& options, const ModelSpec& model, const Plan& plan,
                                                      std::uint64_t seed, const exec::Layout& layout,
                                                      const Checkpoint* from, bool first);

  /// Copies the values that `worker` saves of this step, if a checkpoint is due and the values are finite. Steps count
  /// from the beginning of the run's lineage. Called on any thread while the worker is between two steps. Throws
  /// Interrupted.
  void take(const exec::Worker& worker, std::uint64_t step, bool last, transport::RunControl& control);

  /// Returns the steps that became complete since the last call, when all processes have done `step`. Only the first
  /// process returns any. run_failed if one cannot be written.
  Result<std::vector<RunCheckpoint>> completed(std::uint64_t step, bool last);
  /// Like completed(), after all copies were written. run_failed if writing makes no progress for the time-out.
  Result<std::vector<RunCheckpoint>> finish(std::uint64_t step, bool last, std::chrono::milliseconds timeout);
  /// Waits for the copies that were taken to be on the disk, as long as that makes progress: a failed run keeps them.
  void wait_for_writes(std::chrono::milliseconds timeout) { static_cast<void>(writer_.wait(timeout)); }

 private:
  RunCheckpoints(const Options& options, Origin origin, const exec::Layout& layout);
  std::vector<RunCheckpoint> noticed();
  Result<void> prepare_folder(const Checkpoint* from);
  bool whole(std::uint64_t step) const { return (step - origin_.step) % whole_ == 0; }
  bool due(std::uint64_t step, bool last) const;
  void remove_old(std::uint64_t step);

  bool all_there(std::uint64_t step) const;
  Bytes bytes_there(std::uint64_t step) const;

  /// A step of which files may still be missing. Times cover the files of this process.
  struct Pending {
    Bytes bytes;
    tensor::RunClock::time_point began = tensor::RunClock::now(), ended = began;
    std::size_t written = 0;
  };

  Options options_;
  const exec::Layout& layout_;
  Origin origin_;                     ///< of step 0 of this run
  std::uint64_t whole_ = 1;           ///< interval of steps that end the rounds of asynchronous replicas
  std::vector<std::size_t> writers_;  ///< writing workers of the run, in all processes
  std::optional<FolderLock> lock_;
  std::vector<std::atomic<std::uint64_t>> taken_;  ///< last step copied, per worker
  std::map<std::uint64_t, Pending> pending_;
  std::uint64_t announced_ = 0;          ///< last step that all have done and that is saved
  std::vector<std::uint64_t> complete_;  ///< steps in the folder, ascending
  bool first_ = true;
  Writer writer_;
};

}  // namespace pipedeck::runtime::checkpoint
