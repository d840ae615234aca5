// SPDX-License-Identifier: Apache-2.0
// A collective that reports its waits within a pass. The error of a stuck run can then name the worker that all others
// wait for.
#pragma once

#include <memory>
#include <utility>

#include "core/runtime/transport/transport.hpp"

namespace pipedeck::runtime::transport {

class MonitoredCollective final : public Collective {
 public:
  MonitoredCollective(std::unique_ptr<Collective> group, RunControl& control, std::size_t worker)
      : group_(std::move(group)), control_(control), worker_(worker) {}

  int rank() const override { return group_->rank(); }
  int size() const override { return group_->size(); }

  tensor::Completion all_reduce(std::span<float> values) override {
    return watched([&] { return group_->all_reduce(values); });
  }
  tensor::Completion all_reduce_max(std::span<float> values) override {
    return watched([&] { return group_->all_reduce_max(values); });
  }
  tensor::Completion all_gather(std::span<const float> mine, std::span<float> all,
                                std::span<const std::size_t> counts) override {
    return watched([&] { return group_->all_gather(mine, all, counts); });
  }
  tensor::Completion reduce_scatter(std::span<const float> values, std::span<float> mine,
                                    std::span<const std::size_t> counts) override {
    return watched([&] { return group_->reduce_scatter(values, mine, counts); });
  }
  tensor::Completion all_to_all(std::span<const float> to, std::span<const std::size_t> to_counts,
                                std::span<float> from, std::span<const std::size_t> from_counts) override {
    return watched([&] { return group_->all_to_all(to, to_counts, from, from_counts); });
  }
  tensor::Completion broadcast(int root, std::span<float> values) override {
    return watched([&] { return group_->broadcast(root, values); });
  }

 private:
  template <class Work>
  tensor::Completion watched(Work work) {
    control_.set_waiting(worker_, WaitReason::tensor_parallel);
    const auto began = work();
    control_.set_waiting(worker_, WaitReason::nothing);
    return began;
  }

  std::unique_ptr<Collective> group_;
  RunControl& control_;
  std::size_t worker_;
};

}  // namespace pipedeck::runtime::transport
