// SPDX-License-Identifier: Apache-2.0
// A rank of an NCCL communicator. Its calls never block: waiting threads check if the run has failed, and another
// thread may abort it at any time, which also ends its work on streams.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "core/runtime/cuda/library.hpp"
#include "core/runtime/transport/control.hpp"

namespace pipedeck::runtime::cuda {

class Communicator {
 public:
  /// Creates a rank without a group. `control` outlives it.
  explicit Communicator(transport::RunControl& control) : control_(control) {}
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  /// Ends after the work on streams if the run continues; otherwise aborts it.
  ~Communicator();

  /// Waits until all `size` ranks have arrived, on the current device. Throws CudaError, Interrupted.
  void connect(const ncclUniqueId& id, int size, int rank);
  bool connected() const;
  /// Splits the group. All ranks of this one call it, in the same order, on the current device. Ranks of one `colour`
  /// become a group, in the order of `rank`; `part` is this rank of it. A null `part` joins none. Throws CudaError,
  /// Interrupted.
  void split(int colour, int rank, Communicator* part);
  /// Aborts if the run has failed, so that its streams can end.
  void abort_if_interrupted() noexcept {
    if (control_.interrupted()) abort();
  }
  /// Begins to end. A thread with ranks of several groups calls it for all of them before any is destroyed.
  void finalise() noexcept;
  /// True if this NCCL can split.
  static bool splits();

  /// Calls enqueue(communicator), which makes one call, or one group of calls, of this name. Returns when the work is
  /// enqueued. Throws CudaError, Interrupted.
  template <class Enqueue>
  void call(const char* name, const Enqueue& enqueue) {
    {
      const std::lock_guard lock(mutex_);
      if (aborted_) throw transport::Interrupted{};
      check(enqueue(communicator_), name, communicator_);
    }
    wait_until_idle(name);
  }

  /// Returns a description of an error since the last call, such as a lost rank. Any thread may call it.
  std::optional<std::string> failure();
  /// Ends all its work. Any thread may call it.
  void abort() noexcept;

 private:
  /// True if NCCL has finished the call. Throws CudaError.
  bool idle(const char* name);
  void wait_until_idle(const char* name);
  bool finalised() noexcept;

  transport::RunControl& control_;
  mutable std::mutex mutex_;  ///< locked during calls, which are short
  ncclComm_t communicator_ = nullptr;
  ncclComm_t split_off_ = nullptr;  ///< written by NCCL during a split; stays null without a group
  bool aborted_ = false, connected_ = false, finalising_ = false;
};

}  // namespace pipedeck::runtime::cuda
