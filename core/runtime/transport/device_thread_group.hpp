// SPDX-License-Identifier: Apache-2.0
// A ThreadGroup for workers whose values are in device memory. Their threads exchange pointers at a barrier and enqueue
// the work, which waits for the other devices on the device. Each device combines one part of all values in rank order
// and copies it to all.
#pragma once

#include <span>
#include <vector>

#include "core/runtime/tensor.hpp"
#include "core/runtime/transport/meeting_point.hpp"

namespace pipedeck {

class DeviceThreadGroup {
 public:
  /// `memories` holds one memory per member, from which reductions allocate their workspace.
  DeviceThreadGroup(std::vector<std::shared_ptr<DeviceMemory>> memories, RunControl& control)
      : all_(memories.size(), control), memories_(std::move(memories)), members_(memories_.size()) {}
  std::size_t size() const { return members_.size(); }

  // The operations of Collective, each with the caller's rank. All throw Interrupted.
  Moment all_reduce(std::size_t rank, std::span<float> values) { return reduce(rank, values, &ComputeDevice::add); }
  Moment all_reduce_max(std::size_t rank, std::span<float> values) {
    return reduce(rank, values, &ComputeDevice::largest);
  }
  Moment all_gather(std::size_t rank, std::span<const float> mine, std::span<float> all,
                    std::span<const std::size_t> counts);
  Moment broadcast(std::size_t rank, std::size_t root, std::span<float> values);

 private:
  struct Member {
    std::span<float> values;
    std::span<const float> given;  ///< input of an all-gather
    Moment shown, done;
  };
  using Combine = void (ComputeDevice::*)(float* to, const float* from, std::int64_t count);
  Moment reduce(std::size_t rank, std::span<float> values, Combine combine);
  Moment show(std::size_t rank, std::span<float> values, std::span<const float> given);
  void end(std::size_t rank);
  ComputeDevice& device(std::size_t rank) const { return memories_[rank]->device(); }

  MeetingPoint all_;
  std::vector<std::shared_ptr<DeviceMemory>> memories_;
  std::vector<Member> members_;
};

}  // namespace pipedeck
