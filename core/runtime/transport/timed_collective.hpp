// SPDX-License-Identifier: Apache-2.0
// A collective that times its calls. Each member has its own core or device, so that waits are real.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "core/runtime/tensor/device.hpp"
#include "core/runtime/transport/counting_collective.hpp"

namespace pipedeck::runtime::transport {

class TimingCollective final : public CountingCollective {
 public:
  explicit TimingCollective(std::unique_ptr<Collective> group) : group_(std::move(group)) {}
  /// Times collectives of values on a device with a queue. `hosts` joins the same members by host memory.
  TimingCollective(std::unique_ptr<Collective> group, std::shared_ptr<tensor::ComputeDevice> device,
                   std::unique_ptr<Collective> hosts)
      : group_(std::move(group)), device_(std::move(device)), host_transport_(std::move(hosts)) {}

  int rank() const override { return group_->rank(); }
  int size() const override { return group_->size(); }

  tensor::Completion all_reduce(std::span<float> values) override {
    return timed(static_cast<double>(values.size_bytes()), [&] { return group_->all_reduce(values); });
  }
  tensor::Completion all_reduce_max(std::span<float> values) override {
    return timed(static_cast<double>(values.size_bytes()), [&] { return group_->all_reduce_max(values); });
  }
  tensor::Completion all_gather(std::span<const float> mine, std::span<float> all,
                                std::span<const std::size_t> counts) override {
    return timed(static_cast<double>(all.size_bytes()) / 2, [&] { return group_->all_gather(mine, all, counts); });
  }
  tensor::Completion broadcast(int root, std::span<float> values) override {
    return timed(static_cast<double>(values.size_bytes()) / 2, [&] { return group_->broadcast(root, values); });
  }
  void barrier() override {
    float nothing = 0;
    (host_transport_ ? host_transport_ : group_)->all_reduce({&nothing, 1});
  }

  /// Returns the shortest time over all members of each collective, which is the time of its transfer. A device's queue
  /// begins to wait for the others when it gets there, and all end together. The last one to arrive waited for no
  /// other.
  std::vector<Seconds> collective_durations() override {
    if (spans_.empty()) return {};
    std::vector<float> negative;
    for (const auto& [began, ended] : std::exchange(spans_, {}))
      negative.push_back(-std::chrono::duration<float>(ended.time() - began.time()).count());
    host_transport_->all_reduce_max(negative);
    std::vector<Seconds> moved;
    for (const float time : negative) moved.emplace_back(-double{time});
    return moved;
  }

 private:
  template <class Work>
  tensor::Completion timed(double bytes, Work work) {
    const tensor::Completion began = work();
    if (device_) {
      spans_.emplace_back(began, device_->now());
      count(bytes, {});
    } else {
      count(bytes, Seconds(std::chrono::duration<double>(tensor::RunClock::now() - began.time()).count()));
    }
    return began;
  }

  std::unique_ptr<Collective> group_;
  std::shared_ptr<tensor::ComputeDevice> device_;  ///< null: the CPU
  std::unique_ptr<Collective> host_transport_;
  std::vector<std::pair<tensor::Completion, tensor::Completion>> spans_;
};

}  // namespace pipedeck::runtime::transport
