// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/transport/device_thread_group.hpp"

namespace pipedeck::runtime::transport {

/// Reduces the rank's own part of the values. Parts of other members that this device cannot access are copied first.
tensor::Completion DeviceThreadGroup::reduce(std::size_t rank, std::span<float> values, Combine combine) {
  const tensor::Completion begin = show(rank, values, {});
  tensor::ComputeDevice& own = device(rank);
  const std::size_t size = values.size(), count = members_.size();
  const std::size_t first = size * rank / count, end_of_part = size * (rank + 1) / count;
  if (const auto floats = static_cast<std::int64_t>(end_of_part - first); floats > 0) {
    tensor::Tensor sums(memories_[rank], 1, floats), near;
    own.copy(sums.data(), members_[0].values.data() + first, floats);
    for (std::size_t other = 1; other < count; ++other) {
      const float* theirs = members_[other].values.data() + first;
      if (!own.reaches(device(other))) {
        if (near.empty()) near = sums.empty_like();
        own.copy(near.data(), theirs, floats);
        theirs = near.data();
      }
      (own.*combine)(sums.data(), theirs, floats);
    }
    for (const Member& member : members_) own.copy(member.values.data() + first, sums.data(), floats);
  }
  end(rank);
  return begin;
}

tensor::Completion DeviceThreadGroup::all_gather(std::size_t rank, std::span<const float> mine, std::span<float> all,
                                                 std::span<const std::size_t> counts) {
  const tensor::Completion begin = show(rank, {}, mine);
  float* to = all.data();
  for (std::size_t other = 0; other < members_.size(); ++other) {
    device(rank).copy(to, members_[other].given.data(), static_cast<std::int64_t>(counts[other]));
    to += counts[other];
  }
  end(rank);
  return begin;
}

tensor::Completion DeviceThreadGroup::broadcast(std::size_t rank, std::size_t root, std::span<float> values) {
  const tensor::Completion begin = show(rank, values, {});
  if (rank != root)
    device(rank).copy(values.data(), members_[root].values.data(), static_cast<std::int64_t>(values.size()));
  end(rank);
  return begin;
}

/// Makes the device's queue wait until all members have published their values. Returns the time when it begins to
/// access them.
tensor::Completion DeviceThreadGroup::show(std::size_t rank, std::span<float> values, std::span<const float> given) {
  members_[rank].values = values, members_[rank].given = given;
  members_[rank].shown = device(rank).now();
  all_.arrive_and_wait();
  for (const Member& member : members_) device(rank).wait(member.shown);
  return device(rank).now();
}

/// Makes the device's queue wait until all members have finished with the values. Afterwards inputs may be changed.
void DeviceThreadGroup::end(std::size_t rank) {
  members_[rank].done = device(rank).now();
  all_.arrive_and_wait();
  for (const Member& member : members_) device(rank).wait(member.done);
}

}  // namespace pipedeck::runtime::transport
