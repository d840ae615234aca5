// SPDX-License-Identifier: Apache-2.0
// One member of a group whose others are there, each with a core to itself: what is waited for is waited for.
#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include "core/runtime/transport/counted_collective.hpp"

namespace pipedeck {

class TimedCollective final : public CountedCollective {
 public:
  explicit TimedCollective(std::unique_ptr<Collective> group) : group_(std::move(group)) {}

  int rank() const override { return group_->rank(); }
  int size() const override { return group_->size(); }

  Moment all_reduce(std::span<float> values) override {
    return timed(static_cast<double>(values.size_bytes()), [&] { return group_->all_reduce(values); });
  }
  Moment all_reduce_max(std::span<float> values) override {
    return timed(static_cast<double>(values.size_bytes()), [&] { return group_->all_reduce_max(values); });
  }
  Moment all_gather(std::span<const float> mine, std::span<float> all, std::span<const std::size_t> counts) override {
    return timed(static_cast<double>(all.size_bytes()) / 2, [&] { return group_->all_gather(mine, all, counts); });
  }
  Moment broadcast(int root, std::span<float> values) override {
    return timed(static_cast<double>(values.size_bytes()) / 2, [&] { return group_->broadcast(root, values); });
  }
  void gather_members() override {
    float nothing = 0;
    group_->all_reduce({&nothing, 1});
  }

 private:
  template <class Work>
  Moment timed(double bytes, Work work) {
    const Moment began = work();
    count(bytes, Seconds(std::chrono::duration<double>(RunClock::now() - began.time()).count()));
    return began;
  }

  std::unique_ptr<Collective> group_;
};

}  // namespace pipedeck
