// SPDX-License-Identifier: Apache-2.0
// What a layer keeps of each device that it was used on, such as a library's programs for its shape.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "core/runtime/cuda/cuda_device.hpp"

namespace pipedeck::cuda {

template <class Kept>
class OnEachDevice {
 public:
  /// Made by make(context) when first wanted; then used by that device's thread alone.
  template <class Make>
  Kept& of(CudaDevice& device, const Make& make) const {
    const std::lock_guard lock(mutex_);
    auto& kept = kept_[&device];
    if (!kept) kept = make(device.context());
    return *kept;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::map<const CudaDevice*, std::unique_ptr<Kept>> kept_;
};

}  // namespace pipedeck::cuda
