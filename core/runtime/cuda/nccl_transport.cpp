// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/nccl_transport.hpp"

#include <utility>

namespace pipedeck::cuda {

/// A channel is made when it is used first.
class NcclTransport::End final : public Endpoint {
 public:
  End(NcclTransport& transport, std::size_t worker) : transport_(transport), worker_(worker) {}

  void send(std::size_t peer, MessageKey key, Tensor tensor) override {
    channel(senders_, peer, {*transport_.notes_, worker_, peer}).send(key, std::move(tensor));
  }
  Message receive(std::size_t peer, MessageKey key, int, std::int64_t) override {
    return channel(receivers_, peer, {*transport_.notes_, peer, worker_}).receive(key);
  }

  /// All senders of a process end before its receivers do.
  void end_senders() { senders_.clear(); }

 private:
  template <class Channel>
  Channel& channel(std::map<std::size_t, std::unique_ptr<Channel>>& channels, std::size_t peer, const NcclPath& path) {
    auto& found = channels[peer];
    if (!found) found = std::make_unique<Channel>(transport_.watch_, transport_.workers_.at(worker_), path);
    return *found;
  }

  NcclTransport& transport_;
  std::size_t worker_;
  std::map<std::size_t, std::unique_ptr<NcclSender>> senders_;
  std::map<std::size_t, std::unique_ptr<NcclReceiver>> receivers_;
};

NcclTransport::NcclTransport(std::map<std::size_t, NcclWorker> workers, std::unique_ptr<Transport> meetings,
                             std::unique_ptr<NcclNotes> notes, RunControl& control)
    : workers_(std::move(workers)), meetings_(std::move(meetings)), notes_(std::move(notes)), watch_(control) {
  for (const auto& [number, worker] : workers_) ends_.emplace(number, std::make_unique<End>(*this, number));
}

NcclTransport::~NcclTransport() {
  for (const auto& [number, end] : ends_) end->end_senders();
  ends_.clear();
}

Endpoint& NcclTransport::endpoint(std::size_t worker) { return *ends_.at(worker); }

std::unique_ptr<Collective> NcclTransport::join(const std::vector<std::size_t>& members, std::size_t worker) {
  return std::make_unique<NcclCollective>(watch_, workers_.at(worker), meetings_->join(members, worker));
}

}  // namespace pipedeck::cuda
