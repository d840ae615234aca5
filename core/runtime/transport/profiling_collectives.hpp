// SPDX-License-Identifier: Apache-2.0
// Collectives that the profiler passes to layers: they count or time the calls.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/units.hpp"
#include "core/runtime/tensor/device.hpp"
#include "core/runtime/transport/transport.hpp"

namespace pipedeck::runtime::transport {

/// A collective that counts its bytes and calls while layers that are sharded over the group are timed.
class CountingCollective : public Collective {
 public:
  struct Taken {
    Bytes bytes;
    int meetings = 0;  ///< collectives, each a barrier of all members
    Seconds moving{};  ///< time from the arrival of all members; on a device it is known later (collective_durations)
    bool operator==(const Taken&) const = default;
  };
  /// Returns the counts since the last call. Bytes are counted as in TensorParallelPoint: all other
  /// collectives count half, because a ring all-reduce is a reduce-scatter and an all-gather of that many bytes.
  Taken all_reduce_counts() {
    const Taken taken{Bytes(std::llround(bytes_)), meetings_, moving_};
    bytes_ = 0, meetings_ = 0, moving_ = {};
    return taken;
  }
  /// Returns the duration of each collective since the last call, in order, from the arrival of all members. The
  /// device's queue must be empty. All members call it. Empty if Taken::moving holds the durations.
  virtual std::vector<Seconds> collective_durations() { return {}; }
  /// Waits until all members have arrived. It is not counted.
  virtual void barrier() {}

 protected:
  void count(double bytes, Seconds moving) { bytes_ += bytes, ++meetings_, moving_ += moving; }

 private:
  double bytes_ = 0;
  int meetings_ = 0;
  Seconds moving_;
};

/// A collective with one simulated rank. It times the computation of a single rank and counts the all-reduces that the
/// rank would do. No call waits. The rank's own values replace those of the others, so that numbers remain sound.
class SingleRankCollective final : public CountingCollective {
 public:
  /// `device` holds the values.
  SingleRankCollective(int rank, int size, std::shared_ptr<tensor::ComputeDevice> device = tensor::cpu_device())
      : rank_(rank), size_(size), device_(std::move(device)) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  tensor::Completion all_reduce(std::span<float> values) override {
    return counted(static_cast<double>(values.size_bytes()));
  }
  tensor::Completion all_reduce_max(std::span<float> values) override { return all_reduce(values); }
  tensor::Completion all_gather(std::span<const float> mine, std::span<float> all,
                                std::span<const std::size_t> counts) override {
    float* to = all.data();
    for (const std::size_t count : counts)
      for (std::size_t done = 0; done < count;) {
        const std::size_t part = std::min(count - done, mine.size());
        device_->copy(to, mine.data(), static_cast<std::int64_t>(part));
        to += part, done += part;
      }
    return counted(static_cast<double>(all.size_bytes()) / 2);
  }
  tensor::Completion reduce_scatter(std::span<const float> values, std::span<float> mine,
                                    std::span<const std::size_t> counts) override {
    const std::size_t own = offset_of(counts, static_cast<std::size_t>(rank_));
    if (mine.data() != values.data() + own)
      device_->copy(mine.data(), values.data() + own, static_cast<std::int64_t>(mine.size()));
    return counted(static_cast<double>(values.size_bytes()) / 2);
  }
  /// Fills what other ranks would send with the rank's own values.
  tensor::Completion all_to_all(std::span<const float> to, std::span<const std::size_t>, std::span<float> from,
                                std::span<const std::size_t>) override {
    for (std::size_t done = 0; done < from.size() && !to.empty();) {
      const std::size_t part = std::min(from.size() - done, to.size());
      device_->copy(from.data() + done, to.data(), static_cast<std::int64_t>(part));
      done += part;
    }
    if (to.empty()) device_->zero(from);
    return counted(static_cast<double>(to.size_bytes()) / 2);
  }
  tensor::Completion broadcast(int, std::span<float> values) override {
    return counted(static_cast<double>(values.size_bytes()) / 2);
  }

 private:
  tensor::Completion counted(double bytes) {
    count(bytes, {});
    return tensor::RunClock::now();
  }

  int rank_, size_;
  std::shared_ptr<tensor::ComputeDevice> device_;
};

/// A collective that times its calls. Each member has its own core or device, so that waits are real.
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
  tensor::Completion reduce_scatter(std::span<const float> values, std::span<float> mine,
                                    std::span<const std::size_t> counts) override {
    return timed(static_cast<double>(values.size_bytes()) / 2,
                 [&] { return group_->reduce_scatter(values, mine, counts); });
  }
  tensor::Completion all_to_all(std::span<const float> to, std::span<const std::size_t> to_counts,
                                std::span<float> from, std::span<const std::size_t> from_counts) override {
    return timed(static_cast<double>(to.size_bytes()) / 2,
                 [&] { return group_->all_to_all(to, to_counts, from, from_counts); });
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
