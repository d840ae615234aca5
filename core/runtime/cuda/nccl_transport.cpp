// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/nccl_transport.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <utility>

#include "core/runtime/cuda/nccl_site.hpp"

namespace pipedeck::runtime::cuda {

/// A worker's endpoint. It creates a channel on first use.
class NcclTransport::End final : public transport::Endpoint {
 public:
  End(NcclTransport& transport, std::size_t worker) : transport_(transport), worker_(worker) {}
  ~End() override {
    for (const auto& [peer, receiver] : receivers_)
      if (receiver) receiver->begin_end();  // null after it could not be made
  }

  void send(std::size_t peer, transport::MessageKey key, tensor::Tensor tensor) override {
    channel(senders_, peer, worker_, peer).send(key, std::move(tensor));
  }
  transport::Message receive(std::size_t peer, transport::MessageKey key, int, std::int64_t) override {
    return channel(receivers_, peer, peer, worker_).receive(key);
  }
  std::optional<transport::Message> receive_within(std::size_t, transport::MessageKey,
                                                   std::chrono::milliseconds) override {
    ensure(false, "tensors on GPUs are waited for by their worker");
    return std::nullopt;
  }

  /// Ends all senders of a process before its receivers.
  void end_senders() { senders_.clear(); }

 private:
  template <class Channel>
  Channel& channel(std::map<std::size_t, std::unique_ptr<Channel>>& channels, std::size_t peer, std::size_t from,
                   std::size_t to) {
    auto& found = channels[peer];
    if (!found) {
      const std::size_t list = transport_.path(from, to);
      found = std::make_unique<Channel>(
          transport_.watch_, transport_.workers_.at(worker_),
          NcclPath{*transport_.host_transport_, from, to, transport_.parts_.at(worker_).split.at(list)});
    }
    return *found;
  }

  NcclTransport& transport_;
  std::size_t worker_;
  std::map<std::size_t, std::unique_ptr<NcclSender>> senders_;
  std::map<std::size_t, std::unique_ptr<NcclReceiver>> receivers_;
};

NcclTransport::NcclTransport(std::map<std::size_t, NcclDevice> workers, std::size_t all,
                             std::unique_ptr<transport::Transport> hosts, const transport::WorkerLinks& links,
                             transport::RunControl& control)
    : workers_(std::move(workers)),
      host_transport_(std::move(hosts)),
      groups_(links.groups.size()),
      exchanging_(links.exchanging),
      lists_(links.groups),
      watch_(control) {
  lists_.insert(lists_.end(), links.paths.begin(), links.paths.end());
  rounds_ = transport::disjoint_rounds(lists_);
  std::vector<std::size_t> everybody(all);
  std::iota(everybody.begin(), everybody.end(), std::size_t{0});
  for (const auto& [number, worker] : workers_) {
    Part& part = parts_[number];
    part.meeting = host_transport_->join(everybody, number);
    part.all = watch_.make();
    for (std::size_t i = 0; i < lists_.size(); ++i)
      if (std::ranges::find(lists_[i], number) != lists_[i].end()) part.split[i] = watch_.make();
    ends_.emplace(number, std::make_unique<End>(*this, number));
  }
}

NcclTransport::~NcclTransport() {
  for (const auto& [number, end] : ends_) end->end_senders();
  ends_.clear();
  for (auto& [number, part] : parts_) {
    static_cast<void>(cudaSetDevice(workers_.at(number).gpu));
    part.split.clear();
  }
  for (const auto& [number, part] : parts_) {
    static_cast<void>(cudaSetDevice(workers_.at(number).gpu));
    part.all->finalise();
  }
  for (auto& [number, part] : parts_) {
    static_cast<void>(cudaSetDevice(workers_.at(number).gpu));
    part.all.reset();
  }
}

/// Connects a worker. The first worker distributes NCCL's identifier. Communicators are split off in rounds of all
/// workers.
void NcclTransport::connect(std::size_t worker) {
  check(cudaSetDevice(workers_.at(worker).gpu), "cudaSetDevice");
  Part& part = parts_.at(worker);
  std::array<float, sizeof(ncclUniqueId) / sizeof(float)> carried{};
  ncclUniqueId id{};
  if (worker == 0) {
    check(ncclGetUniqueId(&id), "ncclGetUniqueId");
    std::memcpy(carried.data(), id.internal, sizeof id.internal);
  }
  part.meeting->broadcast(0, carried);
  std::memcpy(id.internal, carried.data(), sizeof id.internal);
  part.all->connect(id, part.meeting->size(), static_cast<int>(worker));
  for (const std::vector<std::size_t>& round : rounds_) {
    const auto mine = std::ranges::find_if(round, [&](std::size_t list) { return part.split.contains(list); });
    if (mine == round.end()) {
      part.all->split(NCCL_SPLIT_NOCOLOR, 0, nullptr);
      continue;
    }
    const auto& members = lists_[*mine];
    const auto rank = static_cast<int>(std::ranges::find(members, worker) - members.begin());
    Communicator& own = *part.split.at(*mine);
    part.all->split(static_cast<int>(mine - round.begin()), rank, &own);
    // Members of a round's lists have no other list in it: no two wait for each other.
    warm_up(workers_.at(worker), own, first_calls(*mine), rank, static_cast<int>(members.size()), watch_.control());
  }
}

WarmUp NcclTransport::first_calls(std::size_t list) const {
  if (list >= groups_) return WarmUp::path;
  return exchanging_.contains(list) ? WarmUp::exchanging_group : WarmUp::group;
}

transport::Endpoint& NcclTransport::endpoint(std::size_t worker) { return *ends_.at(worker); }

std::size_t NcclTransport::group(const std::vector<std::size_t>& members, std::size_t nth) const {
  return found(members, 0, groups_, nth);
}
std::size_t NcclTransport::path(std::size_t from, std::size_t to) const {
  return found({from, to}, groups_, lists_.size(), 0);
}

std::size_t NcclTransport::found(const std::vector<std::size_t>& members, std::size_t first, std::size_t end,
                                 std::size_t nth) const {
  for (std::size_t i = first; i < end; ++i)
    if (lists_[i] == members && nth-- == 0) return i;
  ensure(false, "who has to do with each other is known before a run");
  return lists_.size();
}

std::unique_ptr<transport::Collective> NcclTransport::join(const std::vector<std::size_t>& members,
                                                           std::size_t worker) {
  Part& part = parts_.at(worker);
  const std::size_t list = group(members, part.joined[members]++);
  const auto rank = static_cast<int>(std::ranges::find(members, worker) - members.begin());
  return std::make_unique<NcclCollective>(workers_.at(worker), part.split.at(list), rank,
                                          static_cast<int>(members.size()));
}

}  // namespace pipedeck::runtime::cuda
