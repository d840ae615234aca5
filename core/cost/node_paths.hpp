// SPDX-License-Identifier: Apache-2.0
// Paths between the nodes of a cluster (formats.md, "Cluster"): the widest bottleneck, then the fewest hops, then the
// lexicographically smallest list of links. Found when asked for, so that sixteen thousand nodes are made ready in
// milliseconds: whatever hangs on the rest by one link has no choice of path and is taken off the graph, tree by tree;
// what is left, the core (switches with redundant links, nodes with several), is searched from the end of a path back,
// a search for each bottleneck, and searches are kept as long as there is room. Of usual clusters the core is one
// switch.
#pragma once

#include <map>
#include <memory>
#include <shared_mutex>
#include <vector>

#include "core/domain/cluster.hpp"
#include "core/domain/result.hpp"

namespace pipedeck {

struct Path {
  BytesPerSecond bandwidth;  ///< of the narrowest link
  Seconds latency;           ///< sum
  bool operator==(const Path&) const = default;
};

/// Safe to ask from several threads.
class NodePaths {
 public:
  /// bad_input when some node can't be reached.
  static Result<std::unique_ptr<const NodePaths>> of(const Cluster& cluster);

  /// Between different nodes, by their positions.
  Path between(std::size_t from, std::size_t to) const;
  /// Positions in Cluster::links, in order.
  std::vector<int> links_between(std::size_t from, std::size_t to) const;
  /// A number of every node: those of one number hang on the same vertex by equal links, so that their paths to any
  /// other node are alike.
  std::vector<int> kinds() const;

 private:
  struct Arc {
    std::size_t to = 0;
    int link = 0;
  };
  using Arcs = std::vector<std::vector<Arc>>;  // of a vertex, ascending by link

  /// Nodes, then switches. Of parallel links only those that some path can choose.
  struct Graph {
    Arcs arcs;
    std::vector<Link> links;
  };
  /// The link by which a vertex that is no core vertex hangs, and what it hangs on.
  struct Hanging {
    std::size_t on = 0;
    int link = -1;  // -1: a core vertex
    int depth = 0;
    std::size_t root = 0;  // core vertex
    bool leaf = true;
  };
  struct Climb {
    std::vector<int> up, down;  // links, each from the path's end to where they meet
    std::size_t from = 0, to = 0;
  };

  static Result<Graph> graph_of(const Cluster& cluster);
  static Result<void> check_connected(const Graph& graph, const Cluster& cluster);
  explicit NodePaths(Graph graph, std::size_t nodes);
  void take_trees_off();
  void join_core();

  double bandwidth(int link) const { return graph_.links[static_cast<std::size_t>(link)].bandwidth.count; }
  Climb climb(std::size_t from, std::size_t to) const;
  /// Calls visit(link) in order; answers with the bottleneck.
  template <class Visit>
  double follow(std::size_t from, std::size_t to, const Visit& visit) const;

  // The core's vertices are numbered by themselves.
  using Widths = std::shared_ptr<const std::vector<double>>;  // of the widest path from every vertex
  using Steps = std::shared_ptr<const std::vector<Arc>>;      // the next on the way, from every vertex
  Widths widths_to(std::size_t target) const;
  Steps steps_to(std::size_t target, double width) const;
  std::vector<Arc> search(std::size_t target, double width) const;
  void make_room(std::size_t entries) const;

  Graph graph_;
  std::size_t nodes_ = 0;
  std::vector<Hanging> hanging_;   // by vertex
  std::vector<std::size_t> core_;  // by vertex: its number in the core
  Arcs core_arcs_, core_forest_;   // the forest: a maximum spanning one, whose paths are widest paths
  struct Found {
    std::shared_mutex lock;
    std::size_t entries = 0;
    std::map<std::size_t, Widths> widths;
    std::map<std::pair<std::size_t, double>, Steps> steps;
  };
  std::unique_ptr<Found> found_ = std::make_unique<Found>();
};

}  // namespace pipedeck
