// SPDX-License-Identifier: Apache-2.0
// A writer that saves checkpoints during training. A worker copies its values and continues to compute. A separate
// thread writes them to the disk.
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

namespace pipedeck::runtime::checkpoint {

/// A part on the disk.
struct WrittenPart {
  std::uint64_t step = 0;
  std::size_t worker = 0;
  Bytes bytes;
  tensor::RunClock::time_point began, ended;  ///< beginning with its copy
};

/// A writer, one per process. Its thread is detached if a disk hangs, and therefore shares its data.
class Writer {
 public:
  /// `workers` is their number in the run. The first copy of a worker allocates its buffer, which is reused.
  Writer(std::string folder, std::size_t workers);
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer();

  /// Returns the buffer for the values of `worker`, after those of its previous checkpoint are on the disk. Throws
  /// Interrupted. Fails the run if the disk has made no progress for the time-out.
  std::vector<float>& buffer(std::size_t worker, transport::RunControl& control);
  /// Queues the buffer and returns at once. `part` describes its content; `began` is when the copy began.
  void write(std::size_t worker, Part part, tensor::RunClock::time_point began);
  /// Queues other work for the thread, after the pending writes.
  void later(std::function<Result<void>()> work);

  /// Returns the parts written since the last call.
  std::vector<WrittenPart> consume_written();
  std::optional<Error> failure() const;
  /// Waits until all is written or something failed. run_failed if the disk makes no progress for the time-out.
  Result<void> wait(std::chrono::milliseconds timeout);

 private:
  struct Shared;
  static void run(const std::shared_ptr<Shared>& shared);
  std::shared_ptr<Shared> shared_;
};

}  // namespace pipedeck::runtime::checkpoint
