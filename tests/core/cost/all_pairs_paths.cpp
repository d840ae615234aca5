// SPDX-License-Identifier: Apache-2.0
#include "tests/core/cost/all_pairs_paths.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <string>

namespace pipedeck::test {
namespace {

struct Arc {
  std::size_t to = 0;
  int link = 0;
};

/// A graph: nodes, then switches, joined by the cluster's links.
struct Graph {
  std::vector<std::vector<Arc>> arcs;  // of a vertex, ascending by link
  std::vector<Link> links;

  std::size_t size() const { return arcs.size(); }
  double bandwidth(int link) const { return links[static_cast<std::size_t>(link)].bandwidth.count; }
};

Graph graph_of(const Cluster& cluster) {
  std::map<std::string, std::size_t> vertex;
  for (const Node& node : cluster.nodes) vertex.emplace(node.name, vertex.size());
  for (const Switch& middle : cluster.switches) vertex.emplace(middle.name, vertex.size());
  Graph graph;
  graph.arcs.resize(vertex.size());
  for (std::size_t i = 0; i < cluster.links.size(); ++i) {
    const std::size_t from = vertex.at(cluster.links[i].from), to = vertex.at(cluster.links[i].to);
    graph.links.push_back(cluster.links[i].link);
    graph.arcs[from].push_back({to, static_cast<int>(i)});
    graph.arcs[to].push_back({from, static_cast<int>(i)});
  }
  return graph;
}

/// Returns the links of a maximum spanning forest: between any two vertices its only path is a widest one.
Graph widest_forest(const Graph& graph) {
  std::vector<int> by_width(graph.links.size());
  std::iota(by_width.begin(), by_width.end(), 0);
  std::stable_sort(by_width.begin(), by_width.end(),
                   [&](int a, int b) { return graph.bandwidth(a) > graph.bandwidth(b); });
  std::vector<std::pair<std::size_t, std::size_t>> ends(graph.links.size());
  for (std::size_t v = 0; v < graph.size(); ++v)
    for (const Arc& arc : graph.arcs[v]) ends[static_cast<std::size_t>(arc.link)] = {v, arc.to};

  std::vector<std::size_t> root(graph.size());
  std::iota(root.begin(), root.end(), std::size_t{0});
  const auto find = [&](std::size_t v) {
    while (root[v] != v) v = root[v] = root[root[v]];
    return v;
  };
  Graph forest{std::vector<std::vector<Arc>>(graph.size()), graph.links};
  for (const int link : by_width) {
    const auto [a, b] = ends[static_cast<std::size_t>(link)];
    if (find(a) == find(b)) continue;
    root[find(a)] = find(b);
    forest.arcs[a].push_back({b, link});
    forest.arcs[b].push_back({a, link});
  }
  return forest;
}

/// Returns the width of the widest path from `target` to every vertex; 0 if there is none.
std::vector<double> widths_to(const Graph& forest, std::size_t target) {
  std::vector<double> width(forest.size(), 0);
  width[target] = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> open{target};
  while (!open.empty()) {
    const std::size_t v = open.back();
    open.pop_back();
    for (const Arc& arc : forest.arcs[v]) {
      if (width[arc.to] > 0) continue;
      width[arc.to] = std::min(width[v], forest.bandwidth(arc.link));
      open.push_back(arc.to);
    }
  }
  return width;
}

/// Returns the hops to `target` over links of at least this width; -1 if there is no such path.
std::vector<int> hops_to(const Graph& graph, std::size_t target, double width) {
  std::vector<int> hops(graph.size(), -1);
  hops[target] = 0;
  std::vector<std::size_t> queue{target};
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (const Arc& arc : graph.arcs[queue[head]]) {
      if (hops[arc.to] >= 0 || graph.bandwidth(arc.link) < width) continue;
      hops[arc.to] = hops[queue[head]] + 1;
      queue.push_back(arc.to);
    }
  return hops;
}

/// Follows falling hop counts from `from`, each time over the smallest link: the lexicographically smallest shortest
/// path.
KnownPath walk(const Graph& graph, std::size_t from, const std::vector<int>& hops, double width) {
  KnownPath path{BytesPerSecond(width), {}, {}};
  for (std::size_t at = from; hops[at] > 0;) {
    const auto next = std::find_if(graph.arcs[at].begin(), graph.arcs[at].end(), [&](const Arc& arc) {
      return hops[arc.to] == hops[at] - 1 && graph.bandwidth(arc.link) >= width;
    });
    path.links.push_back(next->link);
    path.latency += graph.links[static_cast<std::size_t>(next->link)].latency;
    at = next->to;
  }
  return path;
}

}  // namespace

std::vector<KnownPath> all_pairs_paths(const Cluster& cluster) {
  const Graph graph = graph_of(cluster);
  const Graph forest = widest_forest(graph);
  const std::size_t nodes = cluster.nodes.size();
  std::vector<KnownPath> paths(nodes * nodes);
  for (std::size_t to = 0; to < nodes; ++to) {
    const std::vector<double> widths = widths_to(forest, to);
    std::map<double, std::vector<int>> hops;  // by width: one search serves all nodes of equal width
    for (std::size_t from = 0; from < nodes; ++from) {
      if (from == to) continue;
      auto known = hops.find(widths[from]);
      if (known == hops.end()) known = hops.emplace(widths[from], hops_to(graph, to, widths[from])).first;
      paths[from * nodes + to] = walk(graph, from, known->second, widths[from]);
    }
  }
  return paths;
}

}  // namespace pipedeck::test
