// SPDX-License-Identifier: Apache-2.0
// A rank of an NCCL communicator. Another thread may abort it at any time, which ends a call that waits in NCCL and all
// work on streams. The communicator of all workers does not block: its threads check if the run has failed. NCCL has a
// thread per call of those, so the parts that are split off block: their calls return once the work is enqueued.
#pragma once

#include <atomic>
#include <chrono>
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
  /// enqueued. The first call to a rank waits for that rank. Throws CudaError, Interrupted.
  template <class Enqueue>
  void call(const char* name, const Enqueue& enqueue) {
    {
      const std::lock_guard lock(calling_);
      const ncclComm_t communicator = communicator_;
      if (aborted_) throw transport::Interrupted{};
      const ncclResult_t status = enqueue(communicator);
      if (aborted_) throw transport::Interrupted{};
      check(status, name, communicator);
    }
    if (!blocks_) wait_until_idle(name);
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
  std::timed_mutex calling_;   ///< locked during calls, which can wait for another rank
  mutable std::mutex ending_;  ///< locked while it is looked at, or aborted; never during a call
  std::atomic<ncclComm_t> communicator_ = nullptr;
  ncclComm_t split_off_ = nullptr;  ///< written by NCCL during a split; stays null without a group
  std::atomic<bool> aborted_ = false;
  bool connected_ = false, finalising_ = false, blocks_ = false;
};

}  // namespace pipedeck::runtime::cuda
