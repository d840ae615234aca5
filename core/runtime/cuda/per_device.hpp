// SPDX-License-Identifier: Apache-2.0
// A layer's cache of objects per device, such as a library's programs for its shape.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "core/runtime/cuda/device.hpp"

namespace pipedeck::runtime::cuda {

template <class Kept>
class PerDevice {
 public:
  /// Returns the device's object. make(context) creates it on first use; then only that device's thread uses it.
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

}  // namespace pipedeck::runtime::cuda
