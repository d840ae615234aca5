// SPDX-License-Identifier: Apache-2.0
#include "core/planner/dapple/places.hpp"

#include <algorithm>
#include <numeric>

#include "core/cost/ring_times.hpp"
#include "core/planner/search/arithmetic.hpp"

namespace pipedeck::planner::dapple {

namespace {

constexpr double probe = 0x1p40;  // bytes, for the slope of a line

class DevicePicker {
 public:
  DevicePicker(const std::vector<int>& sizes, const std::vector<int>& used, int wanted)
      : sizes_(sizes), used_(used), wanted_(wanted), taken_(sizes.size(), 0) {}

  /// Takes all free devices of nodes that are (not) in use, node by node.
  void fill(bool in_use) {
    for (std::size_t n = 0; n < sizes_.size(); ++n)
      if ((used_[n] > 0) == in_use) take(n, free(n));
  }

  /// Takes one device at a time from each of these nodes in turn.
  void scatter(bool in_use) {
    for (bool any = true; any && wanted_ > 0;) {
      any = false;
      for (std::size_t n = 0; n < sizes_.size(); ++n)
        if ((used_[n] > 0) == in_use && free(n) > 0 && wanted_ > 0) take(n, 1), any = true;
    }
  }

  std::vector<int> taken() const { return taken_; }

 private:
  int free(std::size_t n) const { return sizes_[n] - used_[n] - taken_[n]; }
  void take(std::size_t n, int most) {
    const int count = std::min(most, wanted_);
    taken_[n] += count;
    wanted_ -= count;
  }

  const std::vector<int>& sizes_;
  const std::vector<int>& used_;
  int wanted_;
  std::vector<int> taken_;
};

}  // namespace

std::optional<std::vector<int>> place(PlacementPolicy policy, const std::vector<int>& sizes,
                                      const std::vector<int>& used, int wanted) {
  const int free = std::accumulate(sizes.begin(), sizes.end(), 0) - std::accumulate(used.begin(), used.end(), 0);
  if (free < wanted) return {};
  DevicePicker taker(sizes, used, wanted);
  switch (policy) {
    case PlacementPolicy::fresh_first:
      taker.fill(false), taker.fill(true);
      break;
    case PlacementPolicy::append_first:
      taker.fill(true), taker.fill(false);
      break;
    case PlacementPolicy::scatter_first:
      taker.scatter(true), taker.scatter(false);
      break;
  }
  return taker.taken();
}

Places::Places(const cost::Network& network, const PlaceRules& rules) : network_(network), rules_(rules) {
  nodes_.resize(search::at(network.node_count()));
  for (int d = 0; d < network.device_count(); ++d) nodes_[network.node_of(DeviceId(d)).index()].push_back(DeviceId(d));
  for (const auto& node : nodes_) sizes_.push_back(static_cast<int>(node.size()));
  group_of(std::vector<int>(nodes_.size(), 0), 0);
  states_.push_back({});
}

int Places::group_of(std::vector<int> used, int stages) {
  const auto [found, added] = index_.try_emplace({used, stages}, static_cast<int>(groups_.size()));
  if (added) {
    Group group;
    group.left = network_.device_count() - std::accumulate(used.begin(), used.end(), 0);
    group.used = std::move(used);
    group.stages = stages;
    group.next.resize(units(group.left) + 1);
    groups_.push_back(std::move(group));
  }
  return found->second;
}

Places::Next Places::next(int state, int replicas) {
  const int from = states_[search::at(state)].group;
  if (!groups_[search::at(from)].next[units(replicas)].known) {
    Next next = placements(from, replicas);
    next.known = true;
    groups_[search::at(from)].next[units(replicas)] = next;
  }
  return groups_[search::at(from)].next[units(replicas)];
}

Places::Next Places::placements(int from, int replicas) {
  Next next;
  const int stages = groups_[search::at(from)].stages + (rules_.counts_stages() ? 1 : 0);
  if (stages > rules_.stage_limit() || (rules_.replicas && replicas != *rules_.replicas)) return next;
  const std::vector<int> used = groups_[search::at(from)].used;
  std::vector<std::vector<int>> seen;
  for (const auto policy :
       {PlacementPolicy::fresh_first, PlacementPolicy::append_first, PlacementPolicy::scatter_first}) {
    const auto taken = place(policy, sizes_, used, replicas);
    if (!taken || std::find(seen.begin(), seen.end(), *taken) != seen.end()) continue;
    seen.push_back(*taken);
    State state;
    std::vector<int> after = used;
    for (std::size_t n = 0; n < nodes_.size(); ++n)
      for (int i = 0; i < (*taken)[n]; ++i) state.devices.push_back(nodes_[n][search::at(after[n]++)]);
    state.group = group_of(std::move(after), stages);
    next.states[search::at(next.count++)] = static_cast<int>(states_.size());
    states_.push_back(std::move(state));
  }
  return next;
}

const Places::Paths& Places::paths(const std::function<bool()>& interrupted) {
  static const Paths none;
  if (paths_) return *paths_;
  Paths paths{.shortest = search::never};
  for (int a = 0; a < network_.device_count(); ++a) {
    if (interrupted && interrupted()) return none;
    for (int b = 0; b < network_.device_count(); ++b) {
      if (a == b) continue;
      const cost::Path path = network_.widest_ring_path(DeviceId(a), DeviceId(b));
      paths.widest = std::max(paths.widest, path.bandwidth.count);
      paths.shortest = std::min(paths.shortest, path.latency.count);
      if (network_.node_of(DeviceId(a)) != network_.node_of(DeviceId(b)))
        paths.widest_between = std::max(paths.widest_between, path.bandwidth.count);
    }
  }
  return paths_.emplace(paths);
}

bool Places::may_end(int state) const {
  const Group& group = groups_[search::at(states_[search::at(state)].group)];
  if (rules_.stages && group.stages != *rules_.stages) return false;
  return rules_.allow_idle || group.left == 0;
}

double Places::all_reduce(int state, Bytes bytes) {
  State& where = states_[search::at(state)];
  if (bytes.count == 0 || where.devices.size() < 2) return 0;
  if (!where.lines) where.lines = lines_of(where.devices);
  const double size = static_cast<double>(bytes.count);
  return std::min(where.lines->ring + where.lines->ring_slope * size,
                  where.lines->tree + where.lines->tree_slope * size);
}

/// Both times are lines in the bytes (for any but 0): read off at two points.
Places::AllReduceLines Places::lines_of(const std::vector<DeviceId>& devices) const {
  const auto line = [&](auto time, double& from, double& slope) {
    const double one = time(network_, devices, Bytes(1)).count;
    const double large = time(network_, devices, Bytes(static_cast<std::int64_t>(probe))).count;
    slope = (large - one) / (probe - 1);
    from = one - slope;
  };
  AllReduceLines lines;
  line(cost::ring_all_reduce, lines.ring, lines.ring_slope);
  line(cost::hierarchical_all_reduce, lines.tree, lines.tree_slope);
  return lines;
}

}  // namespace pipedeck::planner::dapple
