// SPDX-License-Identifier: Apache-2.0
#include "core/planner/pipedream/levels.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

namespace pipedeck::planner::pipedream {

namespace {

/// Returns the narrowest path between two devices for whose nodes `joins` returns true, bytes/s.
template <class Joins>
double narrowest(const cost::Network& network, Joins joins) {
  double least = std::numeric_limits<double>::infinity();
  for (const DeviceId a : network.representative_devices())
    for (const DeviceId b : network.representative_devices())
      if (a != b && joins(network.node_of(a), network.node_of(b)))
        least = std::min(least, network.path(a, b).bandwidth.count);
  return least;
}

/// Returns the distinct bandwidths of paths between nodes, bytes/s.
std::set<double> widths_between(const cost::Network& network) {
  std::set<double> widths;
  for (const DeviceId a : network.representative_devices())
    for (const DeviceId b : network.representative_devices())
      if (network.node_of(a) != network.node_of(b)) widths.insert(network.path(a, b).bandwidth.count);
  return widths;
}

using Nodes = std::vector<std::vector<DeviceId>>;

Nodes nodes_of(const cost::Network& network) {
  Nodes nodes(static_cast<std::size_t>(network.node_count()));
  for (int d = 0; d < network.device_count(); ++d) nodes[network.node_of(DeviceId(d)).index()].push_back(DeviceId(d));
  return nodes;
}

template <class Lists>
bool of_one_size(const Lists& lists) {
  return std::all_of(lists.begin(), lists.end(), [&](const auto& list) { return list.size() == lists.front().size(); });
}

/// A hierarchy of groups of nodes, from single nodes up to all.
class Grouping {
 public:
  Grouping(const cost::Network& network, const Nodes& nodes) : count_(nodes.size()), width_(count_ * count_) {
    for (std::size_t a = 0; a < count_; ++a) {
      groups_.push_back({a});
      for (std::size_t b = 0; b < count_; ++b) {
        width_[a * count_ + b] = std::numeric_limits<double>::infinity();
        if (a == b) continue;
        const std::size_t every = network.is_node_uniform() ? 1 : nodes[a].size();
        for (std::size_t x = 0; x < every; ++x)
          for (std::size_t y = 0; y < every; ++y)
            width_[a * count_ + b] =
                std::min(width_[a * count_ + b], network.path(nodes[a][x], nodes[b][y]).bandwidth.count);
      }
    }
  }

  /// A level for every width at which nodes join to groups of one size; the last joins all.
  std::vector<Level> levels(int devices_a_node) {
    std::set<double, std::greater<>> widths(width_.begin(), width_.end());
    widths.erase(std::numeric_limits<double>::infinity());
    std::vector<Level> levels;
    for (const double width : widths) {
      const auto larger = width == *widths.rbegin() ? std::vector<std::vector<std::size_t>>{all()} : joined(width);
      if (!of_one_size(larger) || larger.size() == groups_.size()) continue;
      const auto devices = static_cast<int>(groups_.front().size()) * devices_a_node;
      levels.push_back({static_cast<int>(groups_.size() / larger.size()), between(larger), devices});
      merge(larger);
    }
    return levels;
  }

  const std::vector<std::size_t>& order() const { return groups_.front(); }

 private:
  std::vector<std::size_t> all() const {
    std::vector<std::size_t> every(groups_.size());
    std::iota(every.begin(), every.end(), std::size_t{0});
    return every;
  }

  double width(std::size_t a, std::size_t b) const { return std::min(width_[a * count_ + b], width_[b * count_ + a]); }

  bool reach(std::size_t a, std::size_t b, double wide) const {
    for (const std::size_t x : groups_[a])
      for (const std::size_t y : groups_[b])
        if (width(x, y) >= wide) return true;
    return false;
  }

  /// Returns the positions of groups that paths of at least this bandwidth join.
  std::vector<std::vector<std::size_t>> joined(double wide) const {
    std::vector<std::vector<std::size_t>> larger;
    std::vector<bool> taken(groups_.size());
    for (std::size_t first = 0; first < groups_.size(); ++first) {
      if (taken[first]) continue;
      std::vector<std::size_t> group{first};
      taken[first] = true;
      for (std::size_t head = 0; head < group.size(); ++head)
        for (std::size_t next = first + 1; next < groups_.size(); ++next)
          if (!taken[next] && reach(group[head], next, wide)) group.push_back(next), taken[next] = true;
      std::sort(group.begin(), group.end());
      larger.push_back(std::move(group));
    }
    return larger;
  }

  /// Returns B_k: the narrowest path between groups that are merged, bytes/s.
  double between(const std::vector<std::vector<std::size_t>>& larger) const {
    double least = std::numeric_limits<double>::infinity();
    for (const auto& group : larger)
      for (const std::size_t a : group)
        for (const std::size_t b : group)
          for (const std::size_t x : groups_[a])
            for (const std::size_t y : groups_[b])
              if (a != b) least = std::min(least, width(x, y));
    return least;
  }

  void merge(const std::vector<std::vector<std::size_t>>& larger) {
    std::vector<std::vector<std::size_t>> merged;
    for (const auto& group : larger) {
      merged.emplace_back();
      for (const std::size_t member : group)
        merged.back().insert(merged.back().end(), groups_[member].begin(), groups_[member].end());
    }
    groups_ = std::move(merged);
  }

  std::size_t count_;
  std::vector<double> width_;                     ///< node x node
  std::vector<std::vector<std::size_t>> groups_;  ///< of nodes
};

}  // namespace

Topology pipedream_topology(const cost::Network& network, bool flat) {
  Topology topology;
  for (int d = 0; d < network.device_count(); ++d) topology.devices.push_back(DeviceId(d));
  if (network.device_count() == 1) return topology;
  const Nodes nodes = nodes_of(network);
  if (flat || !of_one_size(nodes)) {
    topology.levels = {{network.device_count(), narrowest(network, [](NodeId, NodeId) { return true; }), 1}};
    return topology;
  }
  const auto in_node = static_cast<int>(nodes.front().size());
  if (in_node > 1)
    topology.levels.push_back({in_node, narrowest(network, [](NodeId a, NodeId b) { return a == b; }), 1});
  if (nodes.size() == 1) return topology;
  if (const auto widths = widths_between(network); widths.size() == 1) {  // nothing to group, for any number of nodes
    topology.levels.push_back({static_cast<int>(nodes.size()), *widths.begin(), in_node});
    return topology;
  }
  Grouping grouping(network, nodes);
  for (const Level& level : grouping.levels(in_node)) topology.levels.push_back(level);
  topology.devices.clear();
  for (const std::size_t node : grouping.order())
    topology.devices.insert(topology.devices.end(), nodes[node].begin(), nodes[node].end());
  return topology;
}

namespace {

/// Returns the topology of the first `components` of each level.
Topology first_components(const Topology& all, const std::vector<int>& components) {
  Topology some;
  std::vector<int> positions{0};
  for (std::size_t k = 0; k < all.levels.size(); ++k) {
    if (components[k] > 1)
      some.levels.push_back({components[k], all.levels[k].bandwidth, static_cast<int>(positions.size())});
    const std::vector<int> component = std::exchange(positions, {});
    for (int c = 0; c < components[k]; ++c)
      for (const int position : component) positions.push_back(c * all.levels[k].devices + position);
  }
  for (const int position : positions) some.devices.push_back(all.devices[static_cast<std::size_t>(position)]);
  return some;
}

}  // namespace

std::vector<Topology> smaller_topologies(const Topology& all) {
  std::vector<std::vector<int>> choices{{}};
  for (const Level& level : all.levels) {
    std::vector<std::vector<int>> longer;
    for (const std::vector<int>& choice : choices)
      for (int c = level.components; c >= 1; --c) {
        longer.push_back(choice);
        longer.back().push_back(c);
      }
    choices = std::move(longer);
  }
  std::vector<Topology> smaller;
  for (std::size_t i = 1; i < choices.size(); ++i) smaller.push_back(first_components(all, choices[i]));
  std::stable_sort(smaller.begin(), smaller.end(),
                   [](const auto& a, const auto& b) { return a.devices.size() > b.devices.size(); });
  return smaller;
}

}  // namespace pipedeck::planner::pipedream
