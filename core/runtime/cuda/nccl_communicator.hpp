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
  /// After what was put on streams, where the run goes on. Else aborts it.
  ~Communicator();

  /// Waits until all `size` ranks have come, on the current device. Throws CudaError, Interrupted.
  void connect(const ncclUniqueId& id, int size, int rank);
  bool connected() const;
  /// All ranks of this one call it, in the same order, on the current device: those of one `colour` become a group, in
  /// the order of `rank`, of which `part` is this one's end. A null `part` belongs to none. Throws CudaError,
  /// Interrupted.
  void split(int colour, int rank, Communicator* part);
  /// Where the run has failed: ends its work, so that its streams can end.
  void abort_if_interrupted() noexcept {
    if (control_.interrupted()) abort();
  }
  /// Begins to end; who has ends of several groups begins with all of them before any is destroyed.
  void finalise() noexcept;
  /// Whether this NCCL can split.
  static bool splits();

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
  ncclComm_t split_off_ = nullptr;  ///< by NCCL, while what it is split off is at work; of none it stays null
  bool aborted_ = false, connected_ = false, finalising_ = false;
};

}  // namespace pipedeck::cuda
