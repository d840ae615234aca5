// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/transport/threads.hpp"

#include <algorithm>
#include <utility>

namespace pipedeck {
namespace {

class ThreadCollective final : public Collective {
 public:
  ThreadCollective(std::shared_ptr<ThreadGroup> group, std::size_t rank) : group_(std::move(group)), rank_(rank) {}
  int rank() const override { return static_cast<int>(rank_); }
  int size() const override { return static_cast<int>(group_->size()); }
  RunClock::time_point all_reduce(std::span<float> values) override { return group_->all_reduce(rank_, values); }
  RunClock::time_point all_reduce_max(std::span<float> values) override {
    return group_->all_reduce_max(rank_, values);
  }
  RunClock::time_point all_gather(std::span<const float> mine, std::span<float> all,
                                  std::span<const std::size_t> counts) override {
    return group_->all_gather(rank_, mine, all, counts);
  }
  RunClock::time_point broadcast(int root, std::span<float> values) override {
    return group_->broadcast(rank_, static_cast<std::size_t>(root), values);
  }

 private:
  std::shared_ptr<ThreadGroup> group_;
  std::size_t rank_;
};

class ThreadEndpoint final : public Endpoint {
 public:
  ThreadEndpoint(std::deque<Mailbox>& mailboxes, std::size_t worker, RunControl& control)
      : mailboxes_(mailboxes), worker_(worker), control_(control) {}

  void send(std::size_t peer, MessageKey key, Tensor tensor) override {
    const auto posted = RunClock::now();
    mailboxes_[peer].post(worker_, key, {std::move(tensor), posted});
  }
  Message receive(std::size_t peer, MessageKey key, int, std::int64_t) override {
    return mailboxes_[worker_].take(peer, key, control_);
  }

 private:
  std::deque<Mailbox>& mailboxes_;
  std::size_t worker_;
  RunControl& control_;
};

}  // namespace

ThreadTransport::ThreadTransport(const std::vector<std::shared_ptr<DeviceMemory>>& memories, RunControl& control)
    : control_(control) {
  for (std::size_t i = 0; i < memories.size(); ++i) {
    mailboxes_.emplace_back(memories[i]);
    endpoints_.push_back(std::make_unique<ThreadEndpoint>(mailboxes_, i, control_));
  }
}

std::unique_ptr<Collective> ThreadTransport::join(const std::vector<std::size_t>& members, std::size_t worker) {
  const std::size_t nth = joined_[{members, worker}]++;
  auto& groups = groups_[members];
  if (groups.size() <= nth) groups.push_back(std::make_shared<ThreadGroup>(members.size(), control_));
  const auto rank = std::find(members.begin(), members.end(), worker) - members.begin();
  return std::make_unique<ThreadCollective>(groups[nth], static_cast<std::size_t>(rank));
}

}  // namespace pipedeck
