// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/nccl_communicator.hpp"

#include <thread>
#include <utility>

// NCCL before 2.18 lacks this function; the module is loaded all the same.
#pragma weak ncclCommSplit

namespace pipedeck::runtime::cuda {
namespace {

constexpr std::chrono::microseconds communicator_poll{50};
constexpr std::chrono::milliseconds end_of_call{20};  ///< a call takes less, unless it waits for a lost rank

/// Children share the resources of their parent, whose own setting decides that (nccl.h, ncclConfig_t::splitShare).
ncclConfig_t configuration(bool blocks) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = blocks ? 1 : 0;
  config.splitShare = 1;
  return config;
}

}  // namespace

Communicator::~Communicator() {
  finalise();
  if (!finalised()) abort();
  if (communicator_) static_cast<void>(ncclCommDestroy(communicator_));
}

bool Communicator::splits() { return ncclCommSplit != nullptr; }

void Communicator::finalise() noexcept {
  const std::lock_guard lock(ending_);
  // A part that blocks ends in ncclCommDestroy.
  if (std::exchange(finalising_, true) || blocks_ || !connected_ || aborted_ || control_.interrupted()) return;
  const ncclResult_t status = ncclCommFinalize(communicator_);
  // A further error is ignored: the run has stored the first one.
  connected_ = status == ncclSuccess || status == ncclInProgress;
}

bool Communicator::finalised() noexcept {
  try {
    if (control_.interrupted()) return false;
    if (connected() && !blocks_) wait_until_idle("ncclCommFinalize");
    return connected();
  } catch (...) {
    return false;
  }
}

void Communicator::connect(const ncclUniqueId& id, int size, int rank) {
  ncclConfig_t config = configuration(false);
  {
    const std::lock_guard lock(ending_);
    if (aborted_) throw transport::Interrupted{};
    ncclComm_t made = nullptr;
    const ncclResult_t status = ncclCommInitRankConfig(&made, size, id, rank, &config);
    communicator_ = made;
    check(status, "ncclCommInitRankConfig", made);
  }
  wait_until_idle("ncclCommInitRankConfig");
  const std::lock_guard lock(ending_);
  connected_ = true;
}

void Communicator::split(int colour, int rank, Communicator* part) {
  ncclConfig_t config = configuration(true);
  call("ncclCommSplit", [&](ncclComm_t communicator) {
    return ncclCommSplit(communicator, colour, rank, part ? &part->split_off_ : &split_off_, &config);
  });
  if (!part) return;
  {
    const std::lock_guard lock(part->ending_);
    if (part->aborted_) throw transport::Interrupted{};
    part->communicator_ = std::exchange(part->split_off_, nullptr);
    part->blocks_ = true;
  }
  part->wait_until_idle("ncclCommSplit");
  const std::lock_guard lock(part->ending_);
  part->connected_ = true;
}

bool Communicator::connected() const {
  const std::lock_guard lock(ending_);
  return connected_ && !aborted_;
}

bool Communicator::idle(const char* name) {
  const std::lock_guard lock(ending_);
  if (aborted_) throw transport::Interrupted{};
  ncclResult_t state = ncclSuccess;
  check(ncclCommGetAsyncError(communicator_, &state), "ncclCommGetAsyncError", communicator_);
  check(state, name, communicator_);
  return state != ncclInProgress;
}

void Communicator::wait_until_idle(const char* name) {
  while (!idle(name)) {
    control_.throw_if_interrupted();
    if (control_.any_running()) control_.check_progress_timeout();
    std::this_thread::sleep_for(communicator_poll);
  }
}

std::optional<std::string> Communicator::failure() {
  const std::lock_guard lock(ending_);
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
  const std::lock_guard lock(ending_);
  aborted_ = true;
  // A call that ends soon is waited for. One that waits for a lost rank ends by the abort.
  const std::unique_lock call(calling_, end_of_call);
  for (const ncclComm_t one : {communicator_.exchange(nullptr), std::exchange(split_off_, nullptr)})
    if (one) static_cast<void>(ncclCommAbort(one));
}

}  // namespace pipedeck::runtime::cuda
