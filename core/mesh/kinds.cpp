// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/kinds.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace pipedeck::mesh {
namespace {

constexpr double alike = 0.1;  ///< share by which bandwidths of a kind may differ

/// A node as its devices see it.
struct NodeTraits {
  std::tuple<int, int, bool, std::size_t> shape;  ///< devices of node and domain, bus, links to others
  std::vector<double> bandwidths;                 ///< of its link, its cards and its links to others; 0: none

  bool is_like(const NodeTraits& other) const {
    const auto near = [](double a, double b) { return std::abs(a - b) <= alike * std::max(a, b); };
    return shape == other.shape && std::ranges::equal(bandwidths, other.bandwidths, near);
  }
};

std::vector<NodeTraits> traits_of(const Cluster& cluster) {
  std::map<std::string, int> domains;
  for (const Node& node : cluster.nodes) domains[node.domain] += device_count(node);
  std::map<std::string, std::vector<double>> links;
  for (const NetworkLink& one : cluster.links)
    for (const std::string& end : {one.from, one.to}) links[end].push_back(one.link.bandwidth.count);
  std::vector<NodeTraits> all;
  for (const Node& node : cluster.nodes) {
    std::vector<double>& own = links[node.name];
    std::ranges::sort(own);
    const int devices = device_count(node);
    NodeTraits traits{{devices, node.domain.empty() ? devices : domains[node.domain], node.bus, own.size()}, own};
    traits.bandwidths.push_back(node.link ? node.link->bandwidth.count : 0);
    traits.bandwidths.push_back(node.nic ? node.nic->count : 0);
    all.push_back(std::move(traits));
  }
  return all;
}

}  // namespace

std::vector<int> kinds_of(const Cluster& cluster) {
  const std::vector<Device> devices = devices_of(cluster);
  const std::vector<NodeTraits> traits = traits_of(cluster);
  std::vector<std::pair<int, const NodeTraits*>> known;
  std::vector<int> kinds;
  for (const Device& device : devices) {
    const NodeTraits& own = traits[device.node.index()];
    const auto same = std::ranges::find_if(known, [&](const auto& one) {
      return one.first == device.type && (one.second == &own || one.second->is_like(own));
    });
    kinds.push_back(static_cast<int>(same - known.begin()));
    if (same != known.end()) continue;
    known.emplace_back(device.type, &own);
    if (known.size() > most_kinds) break;
  }
  if (known.size() <= most_kinds) return kinds;
  std::map<int, int> by_type;
  kinds.clear();
  for (const Device& device : devices)
    kinds.push_back(by_type.try_emplace(device.type, static_cast<int>(by_type.size())).first->second);
  return kinds;
}

}  // namespace pipedeck::mesh
