// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/transport/device_thread_group.hpp"

#include "core/runtime/transport/transport.hpp"

namespace pipedeck::runtime::transport {

/// Combines `count` of the members' given values. Values that this device cannot access are copied first.
tensor::Tensor DeviceThreadGroup::combined(std::size_t rank, std::size_t first, std::size_t count,
                                           Combine combine) const {
  tensor::ComputeDevice& own = device(rank);
  const auto floats = static_cast<std::int64_t>(count);
  tensor::Tensor sums(memories_[rank], 1, floats), near;
  own.copy(sums.data(), members_[0].given.data() + first, floats);
  for (std::size_t other = 1; other < members_.size(); ++other) {
    const float* theirs = members_[other].given.data() + first;
    if (!own.reaches(device(other))) {
      if (near.empty()) near = sums.empty_like();
      own.copy(near.data(), theirs, floats);
      theirs = near.data();
    }
    (own.*combine)(sums.data(), theirs, floats);
  }
  return sums;
}

tensor::Completion DeviceThreadGroup::reduce(std::size_t rank, std::span<float> values, Combine combine) {
  const tensor::Completion begin = show(rank, values, values);
  const std::size_t size = values.size(), count = members_.size();
  const std::size_t first = size * rank / count, end_of_part = size * (rank + 1) / count;
  if (end_of_part > first) {
    const tensor::Tensor sums = combined(rank, first, end_of_part - first, combine);
    for (const Member& member : members_) device(rank).copy(member.values.data() + first, sums.data(), sums.size());
  }
  end(rank);
  return begin;
}

tensor::Completion DeviceThreadGroup::reduce_scatter(std::size_t rank, std::span<const float> values,
                                                     std::span<float> mine, std::span<const std::size_t> counts) {
  const tensor::Completion begin = show(rank, {}, values);
  if (counts[rank] > 0) {
    const std::size_t first = offset_of(counts, rank);
    const tensor::Tensor sums = combined(rank, first, counts[rank], &tensor::ComputeDevice::add);
    device(rank).copy(mine.data(), sums.data(), sums.size());
  }
  end(rank);
  return begin;
}

tensor::Completion DeviceThreadGroup::all_to_all(std::size_t rank, std::span<const float> to,
                                                 std::span<const std::size_t> to_counts, std::span<float> from,
                                                 std::span<const std::size_t> from_counts) {
  members_[rank].to_counts = to_counts;
  const tensor::Completion begin = show(rank, {}, to);
  float* place = from.data();
  for (std::size_t other = 0; other < members_.size(); place += from_counts[other], ++other) {
    const auto& theirs = members_[other].to_counts;
    ensure(theirs[rank] == from_counts[other], "members of a collective agree on what each has");
    const std::size_t skipped = offset_of(theirs, rank);
    if (from_counts[other] > 0)
      device(rank).copy(place, members_[other].given.data() + skipped, static_cast<std::int64_t>(from_counts[other]));
  }
  end(rank);
  return begin;
}

tensor::Completion DeviceThreadGroup::all_gather(std::size_t rank, std::span<const float> mine, std::span<float> all,
                                                 std::span<const std::size_t> counts) {
  const tensor::Completion begin = show(rank, {}, mine);
  float* to = all.data();
  for (std::size_t other = 0; other < members_.size(); ++other) {
    if (counts[other] > 0 && members_[other].given.data() != to)
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
