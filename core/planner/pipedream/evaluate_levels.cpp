// SPDX-License-Identifier: Apache-2.0
#include "core/planner/pipedream/evaluate_levels.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace pipedeck::planner::pipedream {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

double width(const evaluation::Evaluation& e, DeviceId a, DeviceId b) {
  return std::min(e.network.path(a, b).bandwidth.count, e.network.path(b, a).bandwidth.count);
}

/// A table of the narrowest paths between nodes, and among the devices of each node.
class Widths {
 public:
  explicit Widths(const evaluation::Evaluation& e) : count_(static_cast<std::size_t>(e.network.node_count())) {
    std::vector<std::vector<DeviceId>> nodes(count_);
    for (int d = 0; d < e.network.device_count(); ++d)
      nodes[e.network.node_of(DeviceId(d)).index()].push_back(DeviceId(d));
    inside_.assign(count_, never);
    between_.assign(count_ * count_, never);
    for (std::size_t a = 0; a < count_ && !e.options.stop.stop_requested(); ++a) {
      if (!e.problem.cluster->bandwidth_matrix && nodes[a].size() > 2) nodes[a].resize(2);  // all others are identical
      for (std::size_t b = 0; b <= a; ++b)
        between_[b * count_ + a] = between_[a * count_ + b] = narrowest(e, nodes, a, b);
      inside_[a] = std::exchange(between_[a * count_ + a], never);
    }
  }

  double inside(std::size_t node) const { return inside_[node]; }
  double between(std::size_t a, std::size_t b) const { return between_[a * count_ + b]; }
  std::set<double, std::greater<>> all() const {
    std::set<double, std::greater<>> widths;
    double last = never;
    for (const double width : between_)
      if (width != last) widths.insert(last = width);  // long runs of one width are common
    widths.erase(never);
    return widths;
  }

 private:
  static double narrowest(const evaluation::Evaluation& e, const std::vector<std::vector<DeviceId>>& nodes,
                          std::size_t a, std::size_t b) {
    const bool by_node = a != b && !e.problem.cluster->bandwidth_matrix;
    if (by_node) return width(e, nodes[a].front(), nodes[b].front());
    double least = never;
    for (const DeviceId from : nodes[a])
      for (const DeviceId to : nodes[b])
        if (from != to) least = std::min(least, width(e, from, to));
    return least;
  }

  std::size_t count_;
  std::vector<double> inside_, between_;
};

/// A number for each device; devices of one component have the same.
using Components = std::vector<int>;

std::map<int, int> sizes_of(const Components& components) {
  std::map<int, int> sizes;
  for (const int c : components) ++sizes[c];
  return sizes;
}

bool of_one_size(const Components& components) {
  const std::map<int, int> sizes = sizes_of(components);
  return std::all_of(sizes.begin(), sizes.end(), [&](const auto& one) { return one.second == sizes.begin()->second; });
}

Components by_node(const evaluation::Evaluation& e, const std::vector<int>& number) {
  Components components;
  for (int d = 0; d < e.network.device_count(); ++d)
    components.push_back(number[e.network.node_of(DeviceId(d)).index()]);
  return components;
}

/// Returns a number for each node: the smallest node that it reaches over paths of at least this width, directly or via
/// others.
std::vector<int> joined(const Widths& widths, std::size_t nodes, double wide) {
  std::vector<int> number(nodes, -1);
  for (std::size_t first = 0; first < nodes; ++first) {
    if (number[first] >= 0) continue;
    std::vector<std::size_t> group{first};
    number[first] = static_cast<int>(first);
    for (std::size_t head = 0; head < group.size(); ++head)
      for (std::size_t next = first + 1; next < nodes; ++next)
        if (number[next] < 0 && widths.between(group[head], next) >= wide)
          number[next] = static_cast<int>(first), group.push_back(next);
  }
  return number;
}

/// Returns the smallest width between components of `below` that `level` merges.
double narrowest(const evaluation::Evaluation& e, const Widths& widths, const EvaluationLevel& below,
                 const EvaluationLevel& level) {
  std::vector<DeviceId> heads(static_cast<std::size_t>(e.network.node_count()));
  for (int d = e.network.device_count(); d-- > 0;) heads[e.network.node_of(DeviceId(d)).index()] = DeviceId(d);
  double least = never;
  for (int d = 0; d < e.network.device_count(); ++d) {
    const DeviceId head = heads[e.network.node_of(DeviceId(d)).index()];
    if (below.of(head) != below.of(DeviceId(d)))
      least = std::min(least, widths.inside(e.network.node_of(head).index()));
  }
  for (std::size_t a = 0; a < heads.size() && !e.options.stop.stop_requested(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (level.of(heads[a]) == level.of(heads[b]) && below.of(heads[a]) != below.of(heads[b]))
        least = std::min(least, widths.between(a, b));
  return least;
}

}  // namespace

std::vector<EvaluationLevel> evaluation_levels(const evaluation::Evaluation& e, bool flat) {
  const Widths widths(e);
  const auto count = static_cast<std::size_t>(e.network.node_count());
  std::vector<EvaluationLevel> levels(1);
  for (int d = 0; d < e.network.device_count(); ++d) levels[0].component.push_back(d);
  if (e.options.stop.stop_requested()) return levels;
  const auto add = [&](const Components& components) {
    if (!of_one_size(components) || sizes_of(components).size() == sizes_of(levels.back().component).size()) return;
    EvaluationLevel level{components, 0};
    level.bandwidth = narrowest(e, widths, levels.back(), level);
    levels.push_back(level);
  };
  std::vector<int> own(count);
  std::iota(own.begin(), own.end(), 0);
  if (!flat && of_one_size(by_node(e, own))) {
    add(by_node(e, own));
    for (const double wide : widths.all())
      if (!e.options.stop.stop_requested()) add(by_node(e, joined(widths, count, wide)));
  }
  add(by_node(e, std::vector<int>(count, 0)));
  return levels;
}

}  // namespace pipedeck::planner::pipedream
