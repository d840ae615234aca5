// SPDX-License-Identifier: Apache-2.0
#include "core/cost/node_paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "core/base/checks.hpp"

namespace pipedeck::cost {
namespace {

constexpr std::size_t max_entries = 4'000'000;  // of cached searches: about 64 MB
constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

/// A disjoint-set structure of vertices.
class Joined {
 public:
  explicit Joined(std::size_t size) : root_(size) { std::iota(root_.begin(), root_.end(), std::size_t{0}); }
  std::size_t find(std::size_t v) {
    while (root_[v] != v) v = root_[v] = root_[root_[v]];
    return v;
  }
  /// Returns false if they were already joined.
  bool join(std::size_t a, std::size_t b) {
    a = find(a), b = find(b);
    root_[a] = b;
    return a != b;
  }

 private:
  std::vector<std::size_t> root_;
};

struct Ends {
  std::size_t low = 0, high = 0;
  int link = 0;
  auto key() const { return std::tie(low, high, link); }
};

/// Removes links that are on no path: those after an equal or wider parallel link, and those from a vertex to itself.
std::vector<Ends> remove_dominated_links(std::vector<Ends> all, const std::vector<NetworkLink>& links) {
  std::sort(all.begin(), all.end(), [](const Ends& a, const Ends& b) { return a.key() < b.key(); });
  std::vector<Ends> kept;
  double widest = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == 0 || all[i].low != all[i - 1].low || all[i].high != all[i - 1].high) widest = 0;
    const double bandwidth = links[static_cast<std::size_t>(all[i].link)].link.bandwidth.count;
    if (all[i].low == all[i].high || bandwidth <= widest) continue;
    widest = bandwidth;
    kept.push_back(all[i]);
  }
  std::sort(kept.begin(), kept.end(), [](const Ends& a, const Ends& b) { return a.link < b.link; });
  return kept;
}

}  // namespace

Result<WidestPaths::Graph> WidestPaths::graph_of(const Cluster& cluster) {
  std::unordered_map<std::string, std::size_t> vertex;
  for (const Node& node : cluster.nodes) vertex.emplace(node.name, vertex.size());
  for (const Switch& middle : cluster.switches) vertex.emplace(middle.name, vertex.size());

  Graph graph;
  graph.arcs.resize(vertex.size());
  std::vector<Ends> ends;
  for (std::size_t i = 0; i < cluster.links.size(); ++i) {
    const NetworkLink& link = cluster.links[i];
    for (const std::string& end : {std::cref(link.from), std::cref(link.to)})
      if (!vertex.contains(end))
        return fail(ErrorCode::bad_input, fmt::format("found '{}', expected the name of a node or switch", end),
                    fmt::format("/links/{}", i));
    const std::size_t from = vertex[link.from], to = vertex[link.to];
    graph.links.push_back(link.link);
    ends.push_back({std::min(from, to), std::max(from, to), static_cast<int>(i)});
  }
  for (const Ends& kept : remove_dominated_links(std::move(ends), cluster.links)) {
    graph.arcs[kept.low].push_back({kept.high, kept.link});
    graph.arcs[kept.high].push_back({kept.low, kept.link});
  }
  return graph;
}

Result<void> WidestPaths::check_connected(const Graph& graph, const Cluster& cluster) {
  Joined joined(graph.arcs.size());
  for (std::size_t v = 0; v < graph.arcs.size(); ++v)
    for (const Arc& arc : graph.arcs[v]) joined.join(v, arc.to);
  if (is_one_domain(cluster)) return {};
  for (std::size_t n = 1; n < cluster.nodes.size(); ++n)
    if (joined.find(n) != joined.find(0))
      return fail(ErrorCode::bad_input,
                  fmt::format("found no path between nodes '{}' and '{}', expected links that connect all nodes",
                              cluster.nodes[0].name, cluster.nodes[n].name),
                  "/links");
  return {};
}

Result<std::unique_ptr<const WidestPaths>> WidestPaths::of(const Cluster& cluster) {
  TRY(auto paths, of_parts(cluster));
  TRY_VOID(check_connected(paths->graph_, cluster));
  return paths;
}

Result<std::unique_ptr<const WidestPaths>> WidestPaths::of_parts(const Cluster& cluster) {
  Result<Graph> graph = graph_of(cluster);
  if (!graph) return tl::unexpected(graph.error());
  return std::unique_ptr<const WidestPaths>(new WidestPaths(std::move(*graph), cluster.nodes.size()));
}

WidestPaths::WidestPaths(Graph graph, std::size_t nodes) : graph_(std::move(graph)), nodes_(nodes) {
  strip_leaf_trees();
  join_core();
}

void WidestPaths::strip_leaf_trees() {
  hanging_.resize(graph_.arcs.size());
  std::vector<std::size_t> degree, open, off;
  for (std::size_t v = 0; v < graph_.arcs.size(); ++v) {
    degree.push_back(graph_.arcs[v].size());
    hanging_[v].root = v;
    if (degree[v] == 1) open.push_back(v);
  }
  for (std::size_t head = 0; head < open.size(); ++head) {
    const std::size_t v = open[head];
    if (degree[v] != 1) continue;  // the last vertex of a tree: its parent now hangs on it
    for (const Arc& arc : graph_.arcs[v]) {
      if (hanging_[arc.to].link >= 0) continue;
      hanging_[v].on = arc.to;
      hanging_[v].link = arc.link;
      hanging_[arc.to].leaf = false;
      if (--degree[arc.to] == 1) open.push_back(arc.to);
    }
    off.push_back(v);
  }
  for (auto v = off.rbegin(); v != off.rend(); ++v) {
    const LeafAttachment& above = hanging_[hanging_[*v].on];
    hanging_[*v].depth = above.depth + 1;
    hanging_[*v].root = above.root;
  }
}

void WidestPaths::join_core() {
  core_.assign(graph_.arcs.size(), nowhere);
  std::size_t count = 0;
  for (std::size_t v = 0; v < core_.size(); ++v)
    if (hanging_[v].link < 0) core_[v] = count++;
  core_arcs_.resize(count);
  core_forest_.resize(count);

  std::vector<Ends> links;
  for (std::size_t v = 0; v < core_.size(); ++v) {
    if (core_[v] == nowhere) continue;
    for (const Arc& arc : graph_.arcs[v]) {
      if (core_[arc.to] == nowhere) continue;
      core_arcs_[core_[v]].push_back({core_[arc.to], arc.link});
      if (v < arc.to) links.push_back({core_[v], core_[arc.to], arc.link});
    }
  }
  std::sort(links.begin(), links.end(), [&](const Ends& a, const Ends& b) {
    return bandwidth(a.link) != bandwidth(b.link) ? bandwidth(a.link) > bandwidth(b.link) : a.link < b.link;
  });
  Joined joined(count);
  for (const Ends& link : links) {
    if (!joined.join(link.low, link.high)) continue;
    core_forest_[link.low].push_back({link.high, link.link});
    core_forest_[link.high].push_back({link.low, link.link});
  }
}

std::vector<int> WidestPaths::kinds() const {
  std::map<std::tuple<std::size_t, double, double>, int> hung;
  std::vector<int> kinds;
  int count = 0;
  for (std::size_t n = 0; n < nodes_; ++n) {
    const LeafAttachment& own = hanging_[n];
    if (own.link < 0 || !own.leaf) {
      kinds.push_back(count++);
      continue;
    }
    const Link& by = graph_.links[static_cast<std::size_t>(own.link)];
    const auto [known, fresh] = hung.try_emplace({own.on, by.bandwidth.count, by.latency.count}, count);
    if (fresh) ++count;
    kinds.push_back(known->second);
  }
  return kinds;
}

// --- paths

/// Climbs from both ends to where they meet, or to the core.
WidestPaths::Climb WidestPaths::walk_to_core(std::size_t from, std::size_t to) const {
  Climb climb{{}, {}, from, to};
  const auto step = [&](std::size_t& at, std::vector<int>& links) {
    links.push_back(hanging_[at].link);
    at = hanging_[at].on;
  };
  while (climb.from != climb.to && hanging_[climb.from].depth + hanging_[climb.to].depth > 0)
    if (hanging_[climb.from].depth >= hanging_[climb.to].depth)
      step(climb.from, climb.up);
    else
      step(climb.to, climb.down);
  return climb;
}

template <class Visit>
double WidestPaths::follow(std::size_t from, std::size_t to, const Visit& visit) const {
  const Climb ends = walk_to_core(from, to);
  double width = std::numeric_limits<double>::infinity();
  for (const int link : ends.up) width = std::min(width, bandwidth(link));
  for (const int link : ends.down) width = std::min(width, bandwidth(link));
  if (ends.from != ends.to) width = std::min(width, (*widths_to(core_[ends.to]))[core_[ends.from]]);
  if (width <= 0) return 0;
  for (const int link : ends.up) visit(link);
  if (ends.from != ends.to) {
    const std::size_t target = core_[ends.to];
    std::size_t at = core_[ends.from];
    const Steps steps = steps_to(target, width);
    for (; at != target; at = (*steps)[at].to) visit((*steps)[at].link);
  }
  for (auto link = ends.down.rbegin(); link != ends.down.rend(); ++link) visit(*link);
  return width;
}

Path WidestPaths::between(std::size_t from, std::size_t to) const {
  Path path;
  const double width =
      follow(from, to, [&](int link) { path.latency += graph_.links[static_cast<std::size_t>(link)].latency; });
  path.bandwidth = BytesPerSecond(width);
  return path;
}

std::vector<int> WidestPaths::links_between(std::size_t from, std::size_t to) const {
  std::vector<int> links;
  follow(from, to, [&](int link) { links.push_back(link); });
  return links;
}

// --- the core

WidestPaths::Widths WidestPaths::widths_to(std::size_t target) const {
  {
    const std::shared_lock reading(found_->lock);
    if (const auto known = found_->widths.find(target); known != found_->widths.end()) return known->second;
  }
  std::vector<double> width(core_forest_.size(), 0);
  width[target] = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> open{target};
  while (!open.empty()) {
    const std::size_t v = open.back();
    open.pop_back();
    for (const Arc& arc : core_forest_[v]) {
      if (width[arc.to] > 0) continue;
      width[arc.to] = std::min(width[v], bandwidth(arc.link));
      open.push_back(arc.to);
    }
  }
  const auto found = std::make_shared<const std::vector<double>>(std::move(width));
  const std::unique_lock writing(found_->lock);
  evict(found->size());
  return found_->widths.insert_or_assign(target, found).first->second;
}

/// Searches breadth first from the target over links at least `width` wide. Then takes every vertex's smallest link
/// that is one hop closer: the lexicographically smallest shortest path.
std::vector<WidestPaths::Arc> WidestPaths::search(std::size_t target, double width) const {
  std::vector<int> hops(core_arcs_.size(), -1);
  hops[target] = 0;
  std::vector<std::size_t> queue{target};
  std::vector<Arc> steps(core_arcs_.size());
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const std::size_t v = queue[head];
    bool nearer_seen = v == target;
    for (const Arc& arc : core_arcs_[v]) {
      if (bandwidth(arc.link) < width) continue;
      if (hops[arc.to] < 0) {
        hops[arc.to] = hops[v] + 1;
        queue.push_back(arc.to);
      } else if (!nearer_seen && hops[arc.to] == hops[v] - 1) {
        steps[v] = arc;
        nearer_seen = true;
      }
    }
  }
  return steps;
}

WidestPaths::Steps WidestPaths::steps_to(std::size_t target, double width) const {
  {
    const std::shared_lock reading(found_->lock);
    if (const auto known = found_->steps.find({target, width}); known != found_->steps.end()) return known->second;
  }
  const auto found = std::make_shared<const std::vector<Arc>>(search(target, width));
  const std::unique_lock writing(found_->lock);
  evict(2 * found->size());
  return found_->steps.insert_or_assign({target, width}, found).first->second;
}

void WidestPaths::evict(std::size_t entries) const {
  if (found_->entries + entries > max_entries) {
    found_->widths.clear();
    found_->steps.clear();
    found_->entries = 0;
  }
  found_->entries += entries;
}

}  // namespace pipedeck::cost
