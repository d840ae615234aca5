// SPDX-License-Identifier: Apache-2.0
#include "core/sim/network/link_table.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

namespace pipedeck::sim::network {
namespace {

/// Each link once.
void merge(std::vector<LinkUse>& uses) {
  std::sort(uses.begin(), uses.end(), [](const LinkUse& a, const LinkUse& b) { return a.link < b.link; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < uses.size(); ++i)
    if (kept > 0 && uses[kept - 1].link == uses[i].link)
      uses[kept - 1].times += uses[i].times;
    else
      uses[kept++] = uses[i];
  uses.resize(kept);
}

std::vector<DeviceId> in_domain_of(const cost::Network& network, DeviceId one, std::span<const DeviceId> members) {
  std::vector<DeviceId> found;
  for (const DeviceId device : members)
    if (network.domain_of(device) == network.domain_of(one)) found.push_back(device);
  return found;
}

std::vector<DeviceId> one_per_node(const cost::Network& network, std::span<const DeviceId> members) {
  std::vector<DeviceId> found;
  std::set<NodeId> nodes;
  for (const DeviceId device : members)
    if (nodes.insert(network.node_of(device)).second) found.push_back(device);
  return found;
}

}  // namespace

std::vector<LinkUse> LinkTable::path(DeviceId from, DeviceId to) {
  std::vector<LinkUse> uses;
  add_hop(from, to, std::array{from, to}, uses);
  return uses;
}

std::vector<LinkUse> LinkTable::ring(std::span<const DeviceId> devices, std::span<const DeviceId> members) {
  std::vector<LinkUse> uses;
  if (devices.size() < 2) return uses;
  for (std::size_t i = 0; i < devices.size(); ++i)
    add_hop(devices[i], devices[(i + 1) % devices.size()], members, uses);
  merge(uses);
  return uses;
}

double LinkTable::bottleneck(std::span<const LinkUse> uses) const {
  double least = std::numeric_limits<double>::infinity();
  for (const LinkUse& use : uses) least = std::min(least, capacities_[static_cast<std::size_t>(use.link)] / use.times);
  return least;
}

void LinkTable::add_cards(Kind kind, std::span<const DeviceId> members, std::vector<LinkUse>& uses) {
  for (const DeviceId device : members)
    if (const auto card = network_.nic(network_.node_of(device)))
      uses.push_back({number({kind, device.value, 0}, *card), 1 / static_cast<double>(members.size())});
}

/// Adds the paths between the nodes at both ends, an equal part of the bytes each.
void LinkTable::add_links(std::span<const DeviceId> from, std::span<const DeviceId> to, std::vector<LinkUse>& uses) {
  const std::vector<DeviceId> starts = one_per_node(network_, from), ends = one_per_node(network_, to);
  const std::size_t paths = std::max(starts.size(), ends.size());
  for (std::size_t i = 0; i < paths; ++i)
    for (const cost::DirectedLink& passed : network_.directed_links(starts[i % starts.size()], ends[i % ends.size()]))
      uses.push_back({number({passed.backwards ? Kind::backwards : Kind::forwards, passed.link, 0},
                             network_.link(passed.link).bandwidth),
                      1 / static_cast<double>(paths)});
}

void LinkTable::add_hop(DeviceId from, DeviceId to, std::span<const DeviceId> members, std::vector<LinkUse>& uses) {
  const auto use = [&](Kind kind, int a, int b, BytesPerSecond capacity) {
    uses.push_back({number({kind, a, b}, capacity), 1});
  };
  const NodeId node = network_.node_of(from);
  if (!network_.is_node_uniform())
    return use(Kind::pair, from.value, to.value, network_.ring_path(from, to, {}, {}).bandwidth);
  if (network_.domain_of(from) == network_.domain_of(to)) {
    const BytesPerSecond own = network_.ring_path(from, to, {}, {}).bandwidth;
    if (network_.bus(node)) return use(Kind::bus, node.value, 0, own);
    use(Kind::out, from.value, 0, own);
    use(Kind::in, to.value, 0, own);
    return;
  }
  const std::vector<DeviceId> senders = in_domain_of(network_, from, members);
  const std::vector<DeviceId> receivers = in_domain_of(network_, to, members);
  add_cards(Kind::card_out, senders, uses);
  add_cards(Kind::card_in, receivers, uses);
  add_links(senders, receivers, uses);
}

int LinkTable::number(const Key& key, BytesPerSecond capacity) {
  const auto [known, fresh] = numbers_.try_emplace(key, static_cast<int>(capacities_.size()));
  if (fresh) capacities_.push_back(capacity.count);
  return known->second;
}

}  // namespace pipedeck::sim::network
