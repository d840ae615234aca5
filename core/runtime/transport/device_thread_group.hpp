// SPDX-License-Identifier: Apache-2.0
// A ThreadGroup for workers whose values are in device memory. Their threads exchange pointers at a barrier and enqueue
// the work, which waits for the other devices on the device. Each device combines one part of all values in rank order
// and copies it to all.
#pragma once

#include <span>
#include <vector>

#include "core/runtime/tensor/tensor.hpp"
#include "core/runtime/transport/barrier.hpp"

namespace pipedeck::runtime::transport {

class DeviceThreadGroup {
 public:
  /// `memories` holds one memory per member, from which reductions allocate their workspace.
  DeviceThreadGroup(std::vector<std::shared_ptr<tensor::DeviceMemory>> memories, RunControl& control)
      : all_(memories.size(), control), memories_(std::move(memories)), members_(memories_.size()) {}
  std::size_t size() const { return members_.size(); }

  // The operations of Collective, each with the caller's rank. All throw Interrupted.
  tensor::Completion all_reduce(std::size_t rank, std::span<float> values) {
    return reduce(rank, values, &tensor::ComputeDevice::add);
  }
  tensor::Completion all_reduce_max(std::size_t rank, std::span<float> values) {
    return reduce(rank, values, &tensor::ComputeDevice::largest);
  }
  tensor::Completion all_gather(std::size_t rank, std::span<const float> mine, std::span<float> all,
                                std::span<const std::size_t> counts);
  tensor::Completion reduce_scatter(std::size_t rank, std::span<const float> values, std::span<float> mine,
                                    std::span<const std::size_t> counts);
  tensor::Completion all_to_all(std::size_t rank, std::span<const float> to, std::span<const std::size_t> to_counts,
                                std::span<float> from, std::span<const std::size_t> from_counts);
  tensor::Completion broadcast(std::size_t rank, std::size_t root, std::span<float> values);

 private:
  struct Member {
    std::span<float> values;
    std::span<const float> given;              ///< an input that is not changed
    std::span<const std::size_t> to_counts{};  ///< of an all-to-all
    tensor::Completion shown, done;
  };
  using Combine = void (tensor::ComputeDevice::*)(float* to, const float* from, std::int64_t count);
  tensor::Completion reduce(std::size_t rank, std::span<float> values, Combine combine);
  tensor::Tensor combined(std::size_t rank, std::size_t first, std::size_t count, Combine combine) const;
  tensor::Completion show(std::size_t rank, std::span<float> values, std::span<const float> given);
  void end(std::size_t rank);
  tensor::ComputeDevice& device(std::size_t rank) const { return memories_[rank]->device(); }

  Barrier all_;
  std::vector<std::shared_ptr<tensor::DeviceMemory>> memories_;
  std::vector<Member> members_;
};

}  // namespace pipedeck::runtime::transport
