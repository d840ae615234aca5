// SPDX-License-Identifier: Apache-2.0
#include "core/cost/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace pipedeck {
namespace {

struct Arc {
  std::size_t to = 0;
  int link = 0;
};

/// Nodes, then switches, joined by the cluster's links.
struct Graph {
  std::vector<std::vector<Arc>> arcs;  // of a vertex, ascending by link
  std::vector<Link> links;

  std::size_t size() const { return arcs.size(); }
  double bandwidth(int link) const { return links[static_cast<std::size_t>(link)].bandwidth.count; }
};

Result<Graph> graph_of(const Cluster& cluster) {
  std::map<std::string, std::size_t> vertex;
  for (const Node& node : cluster.nodes) vertex.emplace(node.name, vertex.size());
  for (const Switch& middle : cluster.switches) vertex.emplace(middle.name, vertex.size());

  Graph graph;
  graph.arcs.resize(vertex.size());
  for (std::size_t i = 0; i < cluster.links.size(); ++i) {
    const NetworkLink& link = cluster.links[i];
    for (const std::string& end : {link.from, link.to})
      if (!vertex.contains(end))
        return fail(ErrorCode::bad_input, fmt::format("found '{}', expected the name of a node or switch", end),
                    fmt::format("/links/{}", i));
    const std::size_t from = vertex[link.from], to = vertex[link.to];
    graph.links.push_back(link.link);
    graph.arcs[from].push_back({to, static_cast<int>(i)});
    graph.arcs[to].push_back({from, static_cast<int>(i)});
  }
  return graph;
}

/// Only the links that a maximum spanning forest keeps: between any two vertices its one path is a widest one.
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

/// Width of the widest path from `target` to every vertex; 0 where there is none.
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

/// Hops to `target` over links at least `width` wide; -1 where there is no such path.
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

/// Walks from `from` down the hop counts, each time by the smallest link: the lexicographically smallest shortest path.
Path walk(const Graph& graph, std::size_t from, const std::vector<int>& hops, double width) {
  Path path{BytesPerSecond(width), {}, {}};
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

Result<std::vector<Path>> paths_between_nodes(const Cluster& cluster) {
  const Result<Graph> graph = graph_of(cluster);
  if (!graph) return tl::unexpected(graph.error());
  const Graph forest = widest_forest(*graph);
  const std::size_t nodes = cluster.nodes.size();
  std::vector<Path> paths(nodes * nodes);
  for (std::size_t to = 0; to < nodes; ++to) {
    const std::vector<double> widths = widths_to(forest, to);
    std::map<double, std::vector<int>> hops;  // by width: a search serves all nodes that are as far
    for (std::size_t from = 0; from < nodes; ++from) {
      if (from == to) continue;
      if (widths[from] == 0)
        return fail(ErrorCode::bad_input,
                    fmt::format("found no path between nodes '{}' and '{}', expected links that connect all nodes",
                                cluster.nodes[to].name, cluster.nodes[from].name),
                    "/links");
      auto known = hops.find(widths[from]);
      if (known == hops.end()) known = hops.emplace(widths[from], hops_to(*graph, to, widths[from])).first;
      paths[from * nodes + to] = walk(*graph, from, known->second, widths[from]);
    }
  }
  return paths;
}

int devices_in(const Node& node) {
  int count = 0;
  for (const DeviceGroup& group : node.devices) count += group.count;
  return count;
}

Result<void> add_inside_paths(const Cluster& cluster, std::vector<Path>& paths) {
  const std::size_t nodes = cluster.nodes.size();
  for (std::size_t n = 0; n < nodes; ++n) {
    const Node& node = cluster.nodes[n];
    if (node.link)
      paths[n * nodes + n] = {node.link->bandwidth, node.link->latency, {}};
    else if (devices_in(node) > 1)
      return fail(
          ErrorCode::bad_input,
          fmt::format("found node '{}' of {} devices without a link, expected \"link\"", node.name, devices_in(node)),
          fmt::format("/nodes/{}", n));
  }
  return {};
}

Result<std::vector<Path>> paths_of_matrix(const std::vector<std::vector<BytesPerSecond>>& matrix, std::size_t devices) {
  const auto is_row = [&](const std::vector<BytesPerSecond>& row) { return row.size() == devices; };
  if (matrix.size() != devices || !std::all_of(matrix.begin(), matrix.end(), is_row))
    return fail(ErrorCode::bad_input, fmt::format("expected {0} rows of {0} figures, one a device", devices),
                "/bandwidth_matrix_gb_per_s");
  std::vector<Path> paths;
  for (std::size_t i = 0; i < devices; ++i)
    for (std::size_t j = 0; j < devices; ++j) {
      if (i != j && matrix[i][j].count <= 0)
        return fail(ErrorCode::bad_input, "found 0, expected a bandwidth between every two devices",
                    fmt::format("/bandwidth_matrix_gb_per_s/{}/{}", i, j));
      paths.push_back({matrix[i][j], {}, {}});
    }
  return paths;
}

}  // namespace

Result<Network> Network::of(const Cluster& cluster) {
  Network network;
  network.devices_ = devices_of(cluster);
  network.types_ = cluster.device_types;
  network.node_count_ = static_cast<int>(cluster.nodes.size());
  if (cluster.bandwidth_matrix) {
    Result<std::vector<Path>> paths = paths_of_matrix(*cluster.bandwidth_matrix, network.devices_.size());
    if (!paths) return tl::unexpected(paths.error());
    network.device_paths_ = std::move(*paths);
    return network;
  }
  Result<std::vector<Path>> paths = paths_between_nodes(cluster);
  if (!paths) return tl::unexpected(paths.error());
  if (Result<void> inside = add_inside_paths(cluster, *paths); !inside) return tl::unexpected(inside.error());
  network.node_paths_ = std::move(*paths);
  return network;
}

const Path& Network::path(DeviceId from, DeviceId to) const {
  if (!device_paths_.empty()) return device_paths_[from.index() * devices_.size() + to.index()];
  return node_paths_[node_of(from).index() * static_cast<std::size_t>(node_count_) + node_of(to).index()];
}

Seconds Network::transfer(DeviceId from, DeviceId to, Bytes bytes) const {
  const Path& over = path(from, to);
  return over.latency + bytes / over.bandwidth;
}

}  // namespace pipedeck
