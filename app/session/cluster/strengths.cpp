// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/cluster/strengths.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/cost/all_reduce.hpp"
#include "core/cost/network.hpp"

namespace pipedeck::session::cluster {

namespace {

constexpr std::size_t max_nodes = 512;  ///< one flow per node: more would take seconds

/// A maximum flow over the links, each with its bandwidth in both directions, and over the switches of domains, with
/// the ports of all devices of a node.
class Flow {
 public:
  explicit Flow(const Cluster& cluster) {
    std::map<std::string, std::size_t> position;
    for (const Node& node : cluster.nodes) position.emplace(node.name, position.size());
    for (const Switch& s : cluster.switches) position.emplace(s.name, position.size());
    std::map<std::string, std::size_t> domains;
    for (const Node& node : cluster.nodes)
      if (!node.domain.empty()) domains.emplace(node.domain, position.size() + domains.size());
    arcs_.resize(position.size() + domains.size());
    for (const Node& node : cluster.nodes) {
      if (node.domain.empty() || !node.link) continue;
      join(position.at(node.name), domains.at(node.domain), node.link->bandwidth.count * device_count(node));
    }
    for (const NetworkLink& link : cluster.links)
      join(position.at(link.from), position.at(link.to), link.link.bandwidth.count);
  }

  double between(std::size_t from, std::size_t to, double enough) {
    for (auto& of : arcs_)
      for (Arc& arc : of) arc.left = arc.capacity;
    double sum = 0;
    while (sum < enough) {
      const double more = push(from, to);
      if (more <= 0) break;
      sum += more;
    }
    return sum;
  }

  /// Returns the nodes that the last flow still reaches: the near side of the minimum cut.
  std::vector<bool> near_side(std::size_t from) {
    search(from);
    std::vector<bool> near(arcs_.size());
    for (std::size_t i = 0; i < near.size(); ++i) near[i] = i == from || came_[i].first != none;
    return near;
  }

 private:
  struct Arc {
    std::size_t to = 0, back = 0;
    double capacity = 0, left = 0;
  };
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  void join(std::size_t a, std::size_t b, double capacity) {
    arcs_[a].push_back({b, arcs_[b].size(), capacity, 0});
    arcs_[b].push_back({a, arcs_[a].size() - 1, capacity, 0});
  }

  void search(std::size_t from) {
    came_.assign(arcs_.size(), {none, none});
    std::vector<std::size_t> queue{from};
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const std::size_t at = queue[head];
      for (std::size_t k = 0; k < arcs_[at].size(); ++k) {
        const Arc& arc = arcs_[at][k];
        if (arc.left <= arc.capacity * 1e-12 || arc.to == from || came_[arc.to].first != none) continue;
        came_[arc.to] = {at, k};
        queue.push_back(arc.to);
      }
    }
  }

  /// Pushes flow along a shortest path with free capacity; returns 0 if there is none.
  double push(std::size_t from, std::size_t to) {
    search(from);
    if (came_[to].first == none) return 0;
    double room = 1e300;
    for (std::size_t at = to; at != from; at = came_[at].first)
      room = std::min(room, arcs_[came_[at].first][came_[at].second].left);
    for (std::size_t at = to; at != from; at = came_[at].first) {
      Arc& arc = arcs_[came_[at].first][came_[at].second];
      arc.left -= room;
      arcs_[at][arc.back].left += room;
    }
    return room;
  }

  std::vector<std::vector<Arc>> arcs_;
  std::vector<std::pair<std::size_t, std::size_t>> came_;
};

/// Computes the minimum over the flows from the first node to all others, since each cut separates it from some other.
std::optional<Strengths::MinCut> min_cut(const Cluster& cluster) {
  const std::size_t nodes = cluster.nodes.size();
  if (nodes < 2 || nodes > max_nodes || cluster.bandwidth_matrix) return std::nullopt;
  Flow flow(cluster);
  double least = 1e300;
  std::vector<bool> near;
  for (std::size_t other = 1; other < nodes; ++other) {
    const double sum = flow.between(0, other, least);
    if (sum >= least) continue;
    least = sum;
    near = flow.near_side(0);
  }
  const auto near_nodes = std::count(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(nodes), true);
  const bool smaller_is_near = 2 * near_nodes <= static_cast<std::ptrdiff_t>(nodes);
  Strengths::MinCut cut{{}, BytesPerSecond(least)};
  for (std::size_t i = 0; i < nodes; ++i)
    if (near[i] == smaller_is_near) cut.side.push_back(cluster.nodes[i].name);
  return cut;
}

std::optional<Strengths::AllReduce> all_reduce(const Cluster& cluster, Bytes bytes,
                                               const SimulationOptions& conventions) {
  const auto network = cost::Network::of(cluster, conventions);
  if (!network || network->device_count() < 2 || bytes.count <= 0) return std::nullopt;
  std::vector<DeviceId> all;
  std::vector<std::vector<DeviceId>> by_node(cluster.nodes.size());
  for (int i = 0; i < network->device_count(); ++i) {
    all.emplace_back(i);
    by_node[network->node_of(all.back()).index()].push_back(all.back());
  }
  Strengths::AllReduce result{bytes, cost::AllReduce(*network, all, conventions.collectives).time(bytes), {}, {}};
  if (cluster.nodes.size() < 2) return result;
  for (const auto& devices : by_node) {
    if (devices.size() < 2) continue;
    const Seconds time = cost::AllReduce(*network, devices, conventions.collectives).time(bytes);
    result.inside = result.inside ? std::max(*result.inside, time) : time;
  }
  const cost::Network sheet = cost::Network::of(cluster).value();
  const auto& some = sheet.representative_devices();
  for (const DeviceId a : some)
    for (const DeviceId b : some) {
      if (sheet.node_of(a) == sheet.node_of(b)) continue;
      const BytesPerSecond rate = sheet.path(a, b).bandwidth;
      result.between = result.between ? std::min(*result.between, rate) : rate;
    }
  return result;
}

std::vector<Strengths::Type> types_of(const Cluster& cluster) {
  std::map<std::string, int> counts;
  for (const Node& node : cluster.nodes)
    for (const DeviceGroup& group : node.devices) counts[group.type] += group.count;
  std::vector<Strengths::Type> types;
  std::map<std::string, double> speeds;
  for (const DeviceType& type : cluster.device_types) {
    if (!counts.contains(type.name)) continue;
    types.push_back({type.name, counts[type.name], 1});
    speeds[type.name] = type.relative_speed;
  }
  std::ranges::stable_sort(types, std::greater<>(), [&](const auto& type) { return speeds[type.name]; });
  for (auto& type : types) type.slowdown = speeds[types.front().name] / speeds[type.name];
  return types;
}

}  // namespace

Strengths summarize_cluster(const Cluster& cluster, Bytes gradients, const SimulationOptions& conventions) {
  Strengths strengths;
  strengths.types = types_of(cluster);
  strengths.all_reduce = all_reduce(cluster, gradients, conventions);
  if (strengths.all_reduce) strengths.narrowest = min_cut(cluster);
  return strengths;
}

}  // namespace pipedeck::session::cluster
