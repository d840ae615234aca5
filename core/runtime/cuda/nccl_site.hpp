// SPDX-License-Identifier: Apache-2.0
// Shared parts of the NCCL transport: a worker's device, the watchdog of its communicators, and their first calls.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/runtime/cuda/device.hpp"
#include "core/runtime/cuda/nccl_communicator.hpp"
#include "core/runtime/tensor/tensor.hpp"

namespace pipedeck::runtime::cuda {

/// A worker of this process. No two workers of a run share a GPU: NCCL rejects that.
struct NcclDevice {
  /// `of` is the memory of a CudaDevice.
  explicit NcclDevice(std::shared_ptr<tensor::DeviceMemory> of);

  CudaDevice& device;
  int gpu;
  cudaStream_t compute;  ///< stream on which its tensors are computed and used
  std::shared_ptr<tensor::DeviceMemory> memory;
};

/// A watchdog of communicators. Its thread fails the run when NCCL has lost a rank or no worker makes progress. When
/// the run has failed, it aborts all communicators, so that no stream waits forever for a missing rank.
class NcclWatchdog {
 public:
  explicit NcclWatchdog(transport::RunControl& control);
  ~NcclWatchdog();
  NcclWatchdog(const NcclWatchdog&) = delete;
  NcclWatchdog& operator=(const NcclWatchdog&) = delete;

  std::shared_ptr<Communicator> make();
  transport::RunControl& control() { return control_; }

 private:
  void check();
  std::vector<std::shared_ptr<Communicator>> living();

  transport::RunControl& control_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_ = false;
  std::vector<std::weak_ptr<Communicator>> all_;
  std::thread thread_;
};

/// Runs `work` of a run on this thread. Its exceptions fail the run; `doing` names the activity.
template <class Work>
void fail_run(transport::RunControl& control, const std::string& doing, const Work& work) {
  try {
    work();
  } catch (const transport::Interrupted&) {
  } catch (const std::exception& error) {
    Error failure;
    failure.code = ErrorCode::run_failed;
    failure.message = doing + ": " + error.what();
    control.fail(std::move(failure));
  }
}

/// A kind of first calls. NCCL makes connections at the first call that needs them. That call takes long and waits for
/// the other ranks, which a step's calls must not.
enum class WarmUp {
  group,             ///< collectives among all ranks
  exchanging_group,  ///< the same, and transfers from each rank to each other one
  path               ///< transfers from rank 0 to rank 1
};

/// Makes one small call of each kind, on a stream of its own, and waits for all of them. All ranks of the communicator
/// call it, on their own threads. Throws CudaError, Interrupted; the communicator is aborted then.
void warm_up(const NcclDevice& worker, Communicator& communicator, WarmUp use, int rank, int size,
             transport::RunControl& control);

}  // namespace pipedeck::runtime::cuda
