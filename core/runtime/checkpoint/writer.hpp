// SPDX-License-Identifier: Apache-2.0
// Writes checkpoints beside the training: a worker copies its values and goes on computing, a thread of its own brings
// them to the disk.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/runtime/checkpoint/part.hpp"
#include "core/runtime/transport/control.hpp"

namespace pipedeck {

/// A part that is on the disk.
struct WrittenPart {
  std::uint64_t step = 0;
  std::size_t worker = 0;
  Bytes bytes;
  RunClock::time_point began, ended;  ///< from when it was copied on
};

/// One a process. Its thread is left behind where a disk hangs: it shares what it touches.
class CheckpointWriter {
 public:
  /// `workers` of the run; each has a buffer, made by its first copy and used again.
  CheckpointWriter(std::string folder, std::size_t workers);
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;
  ~CheckpointWriter();

  /// Where worker `worker` copies its values into: not before those of its checkpoint before are on the disk. Throws
  /// Interrupted; fails the run when the disk has taken nothing for the time-out.
  std::vector<float>& buffer(std::size_t worker, RunControl& control);
  /// Returns at once. `part` says what is in the buffer, `began` when its copying did.
  void write(std::size_t worker, CheckpointPart part, RunClock::time_point began);
  /// Something else for the thread to do behind what it has to write.
  void later(std::function<Result<void>()> work);

  /// What was written since the last call.
  std::vector<WrittenPart> take_written();
  std::optional<Error> failure() const;
  /// Until all is done or something failed; run_failed where the disk takes nothing for the time-out.
  Result<void> wait(std::chrono::milliseconds timeout);

 private:
  struct Shared;
  static void run(const std::shared_ptr<Shared>& shared);
  std::shared_ptr<Shared> shared_;
};

}  // namespace pipedeck
