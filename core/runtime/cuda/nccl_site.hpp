// SPDX-License-Identifier: Apache-2.0
// What the parts of the NCCL transport share: one worker's place, and who looks after its communicators.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/runtime/cuda/cuda_device.hpp"
#include "core/runtime/cuda/nccl_communicator.hpp"
#include "core/runtime/tensor.hpp"

namespace pipedeck::cuda {

/// A worker of this process. No two workers of a run share a GPU: NCCL refuses that.
struct NcclWorker {
  /// Of a CudaDevice.
  explicit NcclWorker(std::shared_ptr<DeviceMemory> of);

  CudaDevice& device;
  int gpu;
  cudaStream_t compute;  ///< on which its tensors are made and used
  std::shared_ptr<DeviceMemory> memory;
};

/// Looks after communicators: a thread fails the run when NCCL has lost a rank or nobody gets on, and aborts all
/// communicators when the run has failed, so that no stream waits for ever for a rank that does not come.
class NcclWatch {
 public:
  explicit NcclWatch(RunControl& control);
  ~NcclWatch();
  NcclWatch(const NcclWatch&) = delete;
  NcclWatch& operator=(const NcclWatch&) = delete;

  std::shared_ptr<Communicator> make();
  RunControl& control() { return control_; }

 private:
  void look();
  std::vector<std::shared_ptr<Communicator>> living();

  RunControl& control_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_ = false;
  std::vector<std::weak_ptr<Communicator>> all_;
  std::thread thread_;
};

/// Runs `work` on this thread for a run: what it throws fails the run, `doing` says what it was.
template <class Work>
void fail_run_of(RunControl& control, const std::string& doing, const Work& work) {
  try {
    work();
  } catch (const Interrupted&) {
  } catch (const std::exception& error) {
    Error failure;
    failure.code = ErrorCode::run_failed;
    failure.message = doing + ": " + error.what();
    control.fail(std::move(failure));
  }
}

}  // namespace pipedeck::cuda
