// SPDX-License-Identifier: Apache-2.0
// The folder of a run's checkpoints: one folder per step, and in it one file per worker that writes. There is no
// coordination: a step is valid once the parts in it hold every layer (PipeDream section 4).
//
//   DIR/.lock                          names the process that writes here
//   DIR/step-0000000100/worker-0.pdck  part of worker 0: stage 0
//   DIR/step-0000000100/worker-2.pdck  part of worker 2: stage 1 (worker 1 is another replica of stage 0)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/runtime/checkpoint/shard_file.hpp"

namespace pipedeck::runtime::checkpoint {

struct StepFolder {
  std::uint64_t step = 0;
  std::string path;
  std::vector<std::string> parts;       ///< paths of the parts, sorted
  std::vector<std::string> unfinished;  ///< left behind by a killed run
};

std::string step_folder(const std::string& folder, std::uint64_t step);
std::string part_path(const std::string& folder, std::uint64_t step, std::size_t worker);

/// Returns the steps, latest first. bad_input if there is no such folder.
Result<std::vector<StepFolder>> steps_in(const std::string& folder);

/// A step with its inspected parts.
struct StepContent {
  StepFolder folder;
  std::vector<ShardFile> parts;  ///< intact parts of one lineage, the one with the most layers
  std::vector<Error> problems;   ///< of the other files
  std::string missing;           ///< "layers 2 to 4 ('norm' to 'head')"; empty if every layer is present
  bool complete() const { return missing.empty(); }
  Bytes bytes() const;
};

/// Inspects a step. If `verified`, it reads all values and their checksums; otherwise it trusts the headers.
StepContent inspect(const StepFolder& folder, bool verified);

/// Removes a step. Its first file goes first, so that a partly removed step is not complete.
Result<void> remove_step(const StepFolder& folder);

/// A lock that a run takes before it writes into a folder of checkpoints.
class FolderLock {
 public:
  /// Locks the folder and creates it if necessary. bad_input if another run holds the lock (its process is named), or
  /// if the folder is not writable.
  static Result<FolderLock> take(const std::string& folder);
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;
  ~FolderLock();  ///< unlocks the folder

 private:
  explicit FolderLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace pipedeck::runtime::checkpoint
