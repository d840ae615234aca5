// SPDX-License-Identifier: Apache-2.0
#include "core/cost/direct_sends.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/base/checks.hpp"

namespace pipedeck::cost {
namespace {

/// The seconds of everything that sends pass, as they are added. All members receive as much as they send, so counting
/// what they send is sufficient.
class SendLoads {
 public:
  SendLoads(const Network& network, std::span<const DeviceId> devices, int beside)
      : network_(network), devices_(devices), beside_(beside), port_(devices.size()), card_(devices.size()) {}

  NodeId node_of(std::size_t member) const { return network_.node_of(devices_[member]); }
  bool in_one_domain(std::size_t a, std::size_t b) const { return network_.in_one_domain(node_of(a), node_of(b)); }

  /// Adds bytes from one member, by its position, to another.
  void add(std::size_t from, std::size_t to, double bytes) {
    if (!network_.is_node_uniform()) {
      add_pair(from, to, bytes);
    } else if (in_one_domain(from, to)) {
      add_inside(from, to, bytes);
    } else {
      add_leaving(from, bytes);
      add_between(from, to, bytes);
    }
  }

  /// Adds bytes from a member to others of its domain, of which `to` is one.
  void add_inside(std::size_t from, std::size_t to, double bytes) {
    const NodeId node = node_of(from);
    const Path path = network_.path(devices_[from], devices_[to]);
    sends_.kept_inside += bytes;
    sends_.latency_inside = std::max(sends_.latency_inside, path.latency);
    if (network_.bus(node))
      bus_[node] += beside_ * bytes / path.bandwidth.count;
    else
      port_[from] += bytes / path.bandwidth.count;
  }

  /// Adds bytes from a member to all other domains.
  void add_leaving(std::size_t from, double bytes) {
    sends_.leaving += bytes;
    if (const auto nic = network_.nic(node_of(from))) card_[from] += bytes / nic->count;
  }

  /// Adds bytes from one member's node to another's.
  void add_between(std::size_t from, std::size_t to, double bytes) {
    const DeviceId sender = devices_[from], receiver = devices_[to];
    sends_.latency_between = std::max(sends_.latency_between, network_.path(sender, receiver).latency);
    for (const DirectedLink& passed : network_.directed_links(sender, receiver))
      links_[{passed.link, passed.backwards}] += beside_ * bytes / network_.link(passed.link).bandwidth.count;
  }

  DirectSends result() {
    for (const double seconds : port_) sends_.inside = std::max(sends_.inside, seconds);
    for (const auto& [node, seconds] : bus_) sends_.inside = std::max(sends_.inside, seconds);
    for (const double seconds : card_) sends_.between = std::max(sends_.between, seconds);
    for (const auto& [link, seconds] : links_) sends_.between = std::max(sends_.between, seconds);
    const auto members = static_cast<double>(devices_.size());
    sends_.kept_inside /= members, sends_.leaving /= members;
    return sends_;
  }

 private:
  /// A matrix has a bandwidth for each pair and no latencies. A member sends to one after the other.
  void add_pair(std::size_t from, std::size_t to, double bytes) {
    const double seconds = bytes / network_.path(devices_[from], devices_[to]).bandwidth.count;
    const bool inside = in_one_domain(from, to);
    (inside ? port_ : card_)[from] += seconds;
    (inside ? sends_.kept_inside : sends_.leaving) += bytes;
  }

  const Network& network_;
  std::span<const DeviceId> devices_;
  double beside_;
  std::vector<double> port_, card_;  ///< seconds, by member
  std::map<NodeId, double> bus_;
  std::map<std::pair<int, bool>, double> links_;
  DirectSends sends_;
};

}  // namespace

Seconds DirectSends::time(Bytes bytes) const {
  if (bytes.count == 0) return {};
  return std::max(latency_inside, latency_between) +
         Seconds(static_cast<double>(bytes.count) * std::max(inside, between));
}

Seconds DirectSends::hierarchical_time(double inside_bytes, double between_bytes) const {
  if (inside_bytes <= 0 && between_bytes <= 0) return {};
  ensure((between_bytes > 0) == (leaving > 0), "bytes leave a node exactly where the group has several");
  const double in = kept_inside > 0 ? inside_bytes / kept_inside * inside : 0;
  const double out = leaving > 0 ? between_bytes / leaving * between : 0;
  return (kept_inside > 0 ? latency_inside : Seconds()) + latency_between + Seconds(std::max(in, out));
}

/// Adds what members of a domain or a node have in common at once, so that many members take no longer than many nodes.
DirectSends all_to_all_sends(const Network& network, std::span<const DeviceId> devices, int beside) {
  SendLoads loads(network, devices, beside);
  const double all = static_cast<double>(devices.size()), part = 1 / all;
  if (!network.is_node_uniform()) {
    for (std::size_t from = 0; from < devices.size(); ++from)
      for (std::size_t to = 0; to < devices.size(); ++to)
        if (from != to) loads.add(from, to, part);
    return loads.result();
  }
  std::map<NodeId, std::vector<std::size_t>> nodes;   // members by node
  std::map<int, std::vector<std::size_t>> by_domain;  // members by domain
  for (std::size_t i = 0; i < devices.size(); ++i) {
    nodes[loads.node_of(i)].push_back(i);
    by_domain[network.domain_of(devices[i])].push_back(i);
  }
  for (const auto& [domain, members] : by_domain) {
    const auto here = static_cast<double>(members.size());
    for (const std::size_t from : members) {
      if (members.size() > 1) loads.add_inside(from, from == members[0] ? members[1] : members[0], (here - 1) * part);
      if (by_domain.size() > 1) loads.add_leaving(from, (all - here) * part);
    }
  }
  for (const auto& [node, members] : nodes)
    for (const auto& [other, receivers] : nodes)
      if (!network.in_one_domain(node, other))
        loads.add_between(members[0], receivers[0],
                          static_cast<double>(members.size()) * static_cast<double>(receivers.size()) * part);
  return loads.result();
}

DirectSends ring_sends(const Network& network, std::span<const DeviceId> devices, int beside) {
  SendLoads loads(network, devices, beside);
  if (devices.size() > 1)
    for (std::size_t from = 0; from < devices.size(); ++from) loads.add(from, (from + 1) % devices.size(), 1);
  return loads.result();
}

}  // namespace pipedeck::cost
