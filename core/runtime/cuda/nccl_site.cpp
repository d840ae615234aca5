// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/nccl_site.hpp"

#include <algorithm>

namespace pipedeck::runtime::cuda {
namespace {

constexpr std::chrono::milliseconds site_poll{10};

}  // namespace

NcclDevice::NcclDevice(std::shared_ptr<tensor::DeviceMemory> of)
    : device(dynamic_cast<CudaDevice&>(of->device())),
      gpu(device.context().device()),
      compute(device.stream()),
      memory(std::move(of)) {}

NcclWatchdog::NcclWatchdog(transport::RunControl& control) : control_(control), thread_([this] { check(); }) {}

NcclWatchdog::~NcclWatchdog() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::shared_ptr<Communicator> NcclWatchdog::make() {
  auto made = std::make_shared<Communicator>(control_);
  const std::lock_guard lock(mutex_);
  std::erase_if(all_, [](const auto& one) { return one.expired(); });
  all_.push_back(made);
  return made;
}

std::vector<std::shared_ptr<Communicator>> NcclWatchdog::living() {
  std::vector<std::shared_ptr<Communicator>> found;
  const std::lock_guard lock(mutex_);
  for (const auto& one : all_)
    if (auto communicator = one.lock()) found.push_back(std::move(communicator));
  return found;
}

void NcclWatchdog::check() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (changed_.wait_for(lock, site_poll, [this] { return ends_; })) return;
    }
    const auto all = living();
    for (const auto& communicator : all)
      if (const auto words = communicator->failure(); words && !control_.interrupted())
        fail_run(control_, "a transfer between GPUs", [&] { throw CudaError(*words); });
    if (control_.any_running()) control_.check_progress_timeout();
    if (control_.interrupted())
      for (const auto& communicator : all) communicator->abort();
  }
}

}  // namespace pipedeck::runtime::cuda
