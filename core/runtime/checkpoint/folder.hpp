// SPDX-License-Identifier: Apache-2.0
// The folder of a run's checkpoints: a folder a step, in it a file a worker that writes. Nobody coordinates: a step
// counts once the parts in it hold every layer (PipeDream section 4).
//
//   DIR/.lock                          who writes here
//   DIR/step-0000000100/worker-0.pdck  what worker 0 keeps: stage 0
//   DIR/step-0000000100/worker-2.pdck  what worker 2 keeps: stage 1 (worker 1 is another replica of stage 0)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/runtime/checkpoint/part_file.hpp"

namespace pipedeck {

struct StepFolder {
  std::uint64_t step = 0;
  std::string path;
  std::vector<std::string> parts;       ///< paths of the parts, sorted
  std::vector<std::string> unfinished;  ///< left behind by a run that was killed
};

std::string step_folder(const std::string& folder, std::uint64_t step);
std::string part_path(const std::string& folder, std::uint64_t step, std::size_t worker);

/// The last step first. bad_input where there is no such folder.
Result<std::vector<StepFolder>> steps_in(const std::string& folder);

/// One step, looked at closely.
struct StepContent {
  StepFolder folder;
  std::vector<PartFile> parts;  ///< that are whole, of one lineage: the one that holds most layers
  std::vector<Error> problems;  ///< of files that are not
  std::string missing;          ///< "layers 2 to 4 ('norm' to 'head')"; empty: every layer is there
  bool complete() const { return missing.empty(); }
  Bytes bytes() const;
};

/// Reads all of it where `verified`, so that its checksums are known to be right; else what the headers say.
StepContent look_at(const StepFolder& folder, bool verified);

/// Removes a step, its first file first: a step that is half removed is not complete.
Result<void> remove_step(const StepFolder& folder);

/// What a run does before it writes into a folder of checkpoints, and holds while it does.
class FolderLock {
 public:
  /// Makes the folder where there is none. bad_input where another run has it (its process is named), or where it can't
  /// be written.
  static Result<FolderLock> take(const std::string& folder);
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;
  ~FolderLock();  ///< gives it back

 private:
  explicit FolderLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace pipedeck
