// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/transport/threads.hpp"

#include <algorithm>
#include <utility>

namespace pipedeck::runtime::transport {
namespace {

/// A member's handle of a ThreadGroup or a DeviceThreadGroup.
template <class Group>
class GroupCollective final : public Collective {
 public:
  GroupCollective(std::shared_ptr<Group> group, std::size_t rank) : group_(std::move(group)), rank_(rank) {}
  int rank() const override { return static_cast<int>(rank_); }
  int size() const override { return static_cast<int>(group_->size()); }
  tensor::Completion all_reduce(std::span<float> values) override { return group_->all_reduce(rank_, values); }
  tensor::Completion all_reduce_max(std::span<float> values) override { return group_->all_reduce_max(rank_, values); }
  tensor::Completion all_gather(std::span<const float> mine, std::span<float> all,
                                std::span<const std::size_t> counts) override {
    return group_->all_gather(rank_, mine, all, counts);
  }
  tensor::Completion reduce_scatter(std::span<const float> values, std::span<float> mine,
                                    std::span<const std::size_t> counts) override {
    return group_->reduce_scatter(rank_, values, mine, counts);
  }
  tensor::Completion all_to_all(std::span<const float> to, std::span<const std::size_t> to_counts,
                                std::span<float> from, std::span<const std::size_t> from_counts) override {
    return group_->all_to_all(rank_, to, to_counts, from, from_counts);
  }
  tensor::Completion broadcast(int root, std::span<float> values) override {
    return group_->broadcast(rank_, static_cast<std::size_t>(root), values);
  }

 private:
  std::shared_ptr<Group> group_;
  std::size_t rank_;
};

/// Returns the `nth` group of these members. The first member to ask creates it.
template <class Group, class Make>
std::shared_ptr<Group> nth_group(std::vector<std::shared_ptr<Group>>& groups, std::size_t nth, const Make& make) {
  if (groups.size() <= nth) groups.push_back(make());
  return groups[nth];
}

class ThreadEndpoint final : public Endpoint {
 public:
  ThreadEndpoint(std::deque<Mailbox>& mailboxes, std::size_t worker, RunControl& control)
      : mailboxes_(mailboxes), worker_(worker), control_(control) {}

  void send(std::size_t peer, MessageKey key, tensor::Tensor tensor) override {
    const tensor::Completion posted = mailboxes_[worker_].memory()->device().now();
    mailboxes_[peer].post(worker_, key, {std::move(tensor), posted});
  }
  Message receive(std::size_t peer, MessageKey key, int, std::int64_t) override {
    return mailboxes_[worker_].take(peer, key, control_);
  }
  std::optional<Message> receive_within(std::size_t peer, MessageKey key, std::chrono::milliseconds patience) override {
    return mailboxes_[worker_].receive_within(peer, key, patience);
  }

 private:
  std::deque<Mailbox>& mailboxes_;
  std::size_t worker_;
  RunControl& control_;
};

}  // namespace

ThreadTransport::ThreadTransport(const std::vector<std::shared_ptr<tensor::DeviceMemory>>& memories,
                                 RunControl& control)
    : control_(control) {
  for (std::size_t i = 0; i < memories.size(); ++i) {
    mailboxes_.emplace_back(memories[i]);
    endpoints_.push_back(std::make_unique<ThreadEndpoint>(mailboxes_, i, control_));
  }
}

std::unique_ptr<Collective> ThreadTransport::join(const std::vector<std::size_t>& members, std::size_t worker) {
  const std::size_t nth = joined_[{members, worker}]++;
  const auto rank = static_cast<std::size_t>(std::find(members.begin(), members.end(), worker) - members.begin());
  if (mailboxes_[worker].memory()->device().on_host()) {
    const auto make = [&] { return std::make_shared<ThreadGroup>(members.size(), control_); };
    return std::make_unique<GroupCollective<ThreadGroup>>(nth_group(groups_[members], nth, make), rank);
  }
  const auto make = [&] {
    std::vector<std::shared_ptr<tensor::DeviceMemory>> memories;
    for (const std::size_t member : members) memories.push_back(mailboxes_[member].memory());
    return std::make_shared<DeviceThreadGroup>(std::move(memories), control_);
  };
  return std::make_unique<GroupCollective<DeviceThreadGroup>>(nth_group(device_groups_[members], nth, make), rank);
}

}  // namespace pipedeck::runtime::transport
