// SPDX-License-Identifier: Apache-2.0
#include "core/sim/network/link_table.hpp"

#include <algorithm>
#include <array>
#include <limits>

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

void LinkTable::add_cards(Kind kind, NodeId node, std::span<const DeviceId> members, std::vector<LinkUse>& uses) {
  const auto card = network_.nic(node);
  if (!card) return;
  const auto is_here = [&](DeviceId device) { return network_.node_of(device) == node; };
  const auto count = static_cast<double>(std::count_if(members.begin(), members.end(), is_here));
  for (const DeviceId device : members)
    if (is_here(device)) uses.push_back({number({kind, device.value, 0}, *card), 1 / count});
}

void LinkTable::add_hop(DeviceId from, DeviceId to, std::span<const DeviceId> members, std::vector<LinkUse>& uses) {
  const auto use = [&](Kind kind, int a, int b, BytesPerSecond capacity) {
    uses.push_back({number({kind, a, b}, capacity), 1});
  };
  const NodeId node = network_.node_of(from);
  if (!network_.is_node_uniform()) return use(Kind::pair, from.value, to.value, network_.path(from, to).bandwidth);
  if (node == network_.node_of(to)) {
    const BytesPerSecond own = network_.path(from, to).bandwidth;
    if (network_.bus(node)) return use(Kind::bus, node.value, 0, own);
    use(Kind::out, from.value, 0, own);
    use(Kind::in, to.value, 0, own);
    return;
  }
  add_cards(Kind::card_out, node, members, uses);
  add_cards(Kind::card_in, network_.node_of(to), members, uses);
  for (const cost::DirectedLink& passed : network_.directed_links(from, to))
    use(passed.backwards ? Kind::backwards : Kind::forwards, passed.link, 0, network_.link(passed.link).bandwidth);
}

int LinkTable::number(const Key& key, BytesPerSecond capacity) {
  const auto [known, fresh] = numbers_.try_emplace(key, static_cast<int>(capacities_.size()));
  if (fresh) capacities_.push_back(capacity.count);
  return known->second;
}

}  // namespace pipedeck::sim::network
