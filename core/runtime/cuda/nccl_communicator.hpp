// SPDX-License-Identifier: Apache-2.0
// One rank's end of an NCCL communicator. Its calls never block: whoever waits looks whether the run has failed, and
// another thread may abort it at any time, which ends its work on streams, too.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "core/runtime/cuda/library.hpp"
#include "core/runtime/transport/control.hpp"

namespace pipedeck::cuda {

class Communicator {
 public:
  /// Of no group yet. `control` outlives it.
  explicit Communicator(RunControl& control) : control_(control) {}
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  /// Where the run goes on: after what was put on streams. Else aborts it.
  ~Communicator();

  /// Waits until all `size` ranks have come, on the current device. Throws CudaError, Interrupted.
  void connect(const ncclUniqueId& id, int size, int rank);
  bool connected() const;

  /// enqueue(communicator) makes one call, or one group of calls, of this name. Returns when it is on its stream.
  /// Throws CudaError, Interrupted.
  template <class Enqueue>
  void call(const char* name, const Enqueue& enqueue) {
    {
      const std::lock_guard lock(mutex_);
      if (aborted_) throw Interrupted{};
      check(enqueue(communicator_), name, communicator_);
    }
    wait_until_idle(name);
  }

  /// What went wrong since the last call, in words: a rank that was lost, say. From any thread.
  std::optional<std::string> failure();
  /// Ends all its work. From any thread.
  void abort() noexcept;

 private:
  /// Whether NCCL is through with the call. Throws CudaError.
  bool idle(const char* name);
  void wait_until_idle(const char* name);
  bool finalised() noexcept;

  RunControl& control_;
  mutable std::mutex mutex_;  ///< held for calls, which are short
  ncclComm_t communicator_ = nullptr;
  bool aborted_ = false, connected_ = false;
};

}  // namespace pipedeck::cuda
