// SPDX-License-Identifier: Apache-2.0
#include "core/cost/evaluate_levels.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>

namespace pipedeck {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

using Level = EvaluationLevel;

double width(const Evaluation& e, DeviceId a, DeviceId b) {
  return std::min(e.network.path(a, b).bandwidth.count, e.network.path(b, a).bandwidth.count);
}

std::vector<DeviceId> all_devices(const Evaluation& e) {
  std::vector<DeviceId> all;
  for (int d = 0; d < e.network.device_count(); ++d) all.push_back(DeviceId(d));
  return all;
}

/// Devices whose figures stand for every node: all of a bandwidth matrix's, else the first two of each node.
std::vector<DeviceId> asked(const Evaluation& e) {
  if (e.problem.cluster->bandwidth_matrix) return all_devices(e);
  std::map<NodeId, int> seen;
  std::vector<DeviceId> some;
  for (const DeviceId device : all_devices(e))
    if (++seen[e.network.node_of(device)] <= 2) some.push_back(device);
  return some;
}

/// Narrowest between components of `below` that `level` makes one.
double narrowest(const Evaluation& e, const std::vector<DeviceId>& devices, const Level& below, const Level& level) {
  double least = never;
  for (const DeviceId a : devices)
    for (const DeviceId b : devices)
      if (level.of(a) == level.of(b) && below.of(a) != below.of(b)) least = std::min(least, width(e, a, b));
  return least;
}

bool of_one_size(const std::vector<int>& component) {
  std::map<int, int> sizes;
  for (const int c : component) ++sizes[c];
  return std::all_of(sizes.begin(), sizes.end(), [&](const auto& one) { return one.second == sizes.begin()->second; });
}

/// Nodes that paths of at least this width join, directly or over others, have one number.
std::vector<int> joined(const Evaluation& e, const std::vector<DeviceId>& devices, double wide) {
  std::vector<int> number;
  for (int n = 0; n < e.network.node_count(); ++n) number.push_back(n);
  std::map<std::pair<NodeId, NodeId>, double> least;
  for (const DeviceId a : devices)
    for (const DeviceId b : devices)
      if (const auto pair = std::pair(e.network.node_of(a), e.network.node_of(b)); pair.first < pair.second) {
        const auto [found, added] = least.try_emplace(pair, never);
        found->second = std::min(found->second, width(e, a, b));
      }
  for (const auto& [pair, path] : least) {
    const int from = number[pair.second.index()], to = number[pair.first.index()];
    if (path >= wide && from != to) std::replace(number.begin(), number.end(), std::max(from, to), std::min(from, to));
  }
  std::vector<int> component;
  for (const DeviceId device : all_devices(e)) component.push_back(number[e.network.node_of(device).index()]);
  return component;
}

}  // namespace

std::vector<EvaluationLevel> evaluation_levels(const Evaluation& e, bool flat) {
  const std::vector<DeviceId> devices = asked(e);
  std::vector<Level> levels(1);
  for (int d = 0; d < e.network.device_count(); ++d) levels[0].component.push_back(d);
  const auto add = [&](const std::vector<int>& component) {
    if (!of_one_size(component) || std::set(component.begin(), component.end()).size() ==
                                       std::set(levels.back().component.begin(), levels.back().component.end()).size())
      return;
    Level level{component, 0};
    level.bandwidth = narrowest(e, devices, levels.back(), level);
    levels.push_back(level);
  };
  std::vector<int> nodes;
  for (const DeviceId device : all_devices(e)) nodes.push_back(e.network.node_of(device).value);
  if (!flat && of_one_size(nodes)) {
    add(nodes);
    std::set<double, std::greater<>> widths;
    for (const DeviceId a : devices)
      for (const DeviceId b : devices)
        if (e.network.node_of(a) != e.network.node_of(b)) widths.insert(e.network.path(a, b).bandwidth.count);
    for (const double wide : widths) add(joined(e, devices, wide));
  }
  add(std::vector<int>(nodes.size(), 0));
  return levels;
}

}  // namespace pipedeck
