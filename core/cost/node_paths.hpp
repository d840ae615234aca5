// SPDX-License-Identifier: Apache-2.0
// Paths between the nodes of a cluster (formats.md, "Cluster"): the widest bottleneck, then the fewest hops, then the
// lexicographically smallest list of links. Paths are computed on demand, so that setup takes milliseconds for sixteen
// thousand nodes. Parts that hang on the rest by one link have no choice of path, so these trees are removed from the
// graph first. The remaining core (switches with redundant links, nodes with several links) is searched backwards from
// the path's end, once per bottleneck. Searches are cached up to a memory limit. The core of typical clusters is one
// switch.
#pragma once

#include <map>
#include <memory>
#include <shared_mutex>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/cluster.hpp"

namespace pipedeck::cost {

struct Path {
  BytesPerSecond bandwidth;  ///< of the narrowest link
  Seconds latency;           ///< sum
  bool operator==(const Path&) const = default;
};

/// A finder of the paths between all nodes. Thread-safe.
class WidestPaths {
 public:
  /// Returns bad_input if a node can't be reached.
  static Result<std::unique_ptr<const WidestPaths>> of(const Cluster& cluster);
  /// Returns the paths of a cluster that may be in several parts, which have no path between them.
  static Result<std::unique_ptr<const WidestPaths>> of_parts(const Cluster& cluster);

  /// Returns the path between two different nodes, given by their positions. Without a path, its bandwidth is 0.
  Path between(std::size_t from, std::size_t to) const;
  /// Returns the path's links as positions in Cluster::links, in order.
  std::vector<int> links_between(std::size_t from, std::size_t to) const;
  /// Returns a number for every node. Nodes with the same number hang on the same vertex by equal links, so their paths
  /// to any other node are identical.
  std::vector<int> kinds() const;

 private:
  struct Arc {
    std::size_t to = 0;
    int link = 0;
  };
  using Arcs = std::vector<std::vector<Arc>>;  // of a vertex, ascending by link

  /// A graph of nodes, then switches. It omits parallel links that no path can use.
  struct Graph {
    Arcs arcs;
    std::vector<Link> links;
  };
  /// A link from a vertex outside the core to its parent.
  struct LeafAttachment {
    std::size_t on = 0;
    int link = -1;  // -1: a core vertex
    int depth = 0;
    std::size_t root = 0;  // vertex of the core
    bool leaf = true;
  };
  struct Climb {
    std::vector<int> up, down;  // links, each from the path's end to where the two meet
    std::size_t from = 0, to = 0;
  };

  static Result<Graph> graph_of(const Cluster& cluster);
  static Result<void> check_connected(const Graph& graph, const Cluster& cluster);
  explicit WidestPaths(Graph graph, std::size_t nodes);
  void strip_leaf_trees();
  void join_core();

  double bandwidth(int link) const { return graph_.links[static_cast<std::size_t>(link)].bandwidth.count; }
  Climb walk_to_core(std::size_t from, std::size_t to) const;
  /// Calls visit(link) in order and returns the bottleneck. Visits nothing and returns 0 if there is no path.
  template <class Visit>
  double follow(std::size_t from, std::size_t to, const Visit& visit) const;

  // The core's vertices have their own numbering.
  using Widths = std::shared_ptr<const std::vector<double>>;  // of the widest path from every vertex
  using Steps = std::shared_ptr<const std::vector<Arc>>;      // next step of the path, from every vertex
  Widths widths_to(std::size_t target) const;
  Steps steps_to(std::size_t target, double width) const;
  std::vector<Arc> search(std::size_t target, double width) const;
  void evict(std::size_t entries) const;

  Graph graph_;
  std::size_t nodes_ = 0;
  std::vector<LeafAttachment> hanging_;  // by vertex
  std::vector<std::size_t> core_;        // by vertex: its number in the core
  Arcs core_arcs_, core_forest_;         // the forest is a maximum spanning one, whose paths are widest paths
  struct Found {
    std::shared_mutex lock;
    std::size_t entries = 0;
    std::map<std::size_t, Widths> widths;
    std::map<std::pair<std::size_t, double>, Steps> steps;
  };
  std::unique_ptr<Found> found_ = std::make_unique<Found>();
};

}  // namespace pipedeck::cost
