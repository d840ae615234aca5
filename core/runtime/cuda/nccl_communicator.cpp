// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/nccl_communicator.hpp"

#include <thread>

namespace pipedeck::cuda {
namespace {

constexpr std::chrono::microseconds look_up{50};

}  // namespace

Communicator::~Communicator() {
  if (control_.interrupted() || !finalised()) abort();
  if (communicator_) static_cast<void>(ncclCommDestroy(communicator_));
}

bool Communicator::finalised() noexcept {
  try {
    if (connected()) call("ncclCommFinalize", [](ncclComm_t communicator) { return ncclCommFinalize(communicator); });
    return connected();
  } catch (...) {  // nobody is there to be told, and the run has its first error
    return false;
  }
}

void Communicator::connect(const ncclUniqueId& id, int size, int rank) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  {
    const std::lock_guard lock(mutex_);
    if (aborted_) throw Interrupted{};
    check(ncclCommInitRankConfig(&communicator_, size, id, rank, &config), "ncclCommInitRankConfig", communicator_);
  }
  wait_until_idle("ncclCommInitRankConfig");
  const std::lock_guard lock(mutex_);
  connected_ = true;
}

bool Communicator::connected() const {
  const std::lock_guard lock(mutex_);
  return connected_ && !aborted_;
}

bool Communicator::idle(const char* name) {
  const std::lock_guard lock(mutex_);
  if (aborted_) throw Interrupted{};
  ncclResult_t state = ncclSuccess;
  check(ncclCommGetAsyncError(communicator_, &state), "ncclCommGetAsyncError", communicator_);
  check(state, name, communicator_);
  return state != ncclInProgress;
}

void Communicator::wait_until_idle(const char* name) {
  while (!idle(name)) {
    control_.throw_if_interrupted();
    if (control_.at_work()) control_.fail_if_stuck();
    std::this_thread::sleep_for(look_up);
  }
}

std::optional<std::string> Communicator::failure() {
  const std::lock_guard lock(mutex_);
  if (!connected_ || aborted_) return std::nullopt;
  try {
    ncclResult_t state = ncclSuccess;
    check(ncclCommGetAsyncError(communicator_, &state), "ncclCommGetAsyncError", communicator_);
    check(state, "NCCL", communicator_);
  } catch (const CudaError& error) {
    return error.what();
  }
  return std::nullopt;
}

void Communicator::abort() noexcept {
  const std::lock_guard lock(mutex_);
  if (communicator_) static_cast<void>(ncclCommAbort(communicator_));
  communicator_ = nullptr;
  aborted_ = true;
}

}  // namespace pipedeck::cuda
