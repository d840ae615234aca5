// SPDX-License-Identifier: Apache-2.0
// Paths between devices: the widest bottleneck between nodes, the node's own link inside (formats.md, "Cluster").
#pragma once

#include <memory>
#include <vector>

#include "core/cost/node_paths.hpp"
#include "core/domain/calibration.hpp"
#include "core/domain/cluster.hpp"
#include "core/domain/result.hpp"

namespace pipedeck {

/// One direction of a cluster's link.
struct DirectedLink {
  int link = 0;            ///< position in Cluster::links
  bool backwards = false;  ///< from its `to` to its `from`
  bool operator==(const DirectedLink&) const = default;
};

/// The devices of a connected cluster and the paths between them. Copies share everything; ask from several threads.
class Network {
 public:
  /// bad_input when some node can't be reached, or a node of several devices has no link.
  static Result<Network> of(const Cluster& cluster);
  /// The network that plans are made for and judged by: every bandwidth of the cluster times the link efficiency.
  static Result<Network> of(const Cluster& cluster, const Calibration& calibration);

  int device_count() const { return static_cast<int>(shared_->devices.size()); }
  const Device& device(DeviceId id) const { return shared_->devices[id.index()]; }
  const DeviceType& type(DeviceId id) const { return shared_->types[static_cast<std::size_t>(device(id).type)]; }
  NodeId node_of(DeviceId id) const { return device(id).node; }
  int node_count() const { return shared_->node_count; }
  /// Devices of different ids only.
  Path path(DeviceId from, DeviceId to) const;
  /// Positions in Cluster::links of what the path passes, in order; none inside a node, or with a bandwidth matrix.
  std::vector<int> links(DeviceId from, DeviceId to) const;
  /// The same with the direction in which each is passed.
  std::vector<DirectedLink> directed_links(DeviceId from, DeviceId to) const;
  const Link& link(int position) const { return shared_->links[static_cast<std::size_t>(position)]; }
  /// Whether the node's devices share one link instead of a port each.
  bool bus(NodeId node) const { return shared_->buses[node.index()]; }
  /// bytes over the path: latency + bytes / bandwidth.
  Seconds transfer(DeviceId from, DeviceId to, Bytes bytes) const;

  /// Whether all devices of a node have the same paths to other nodes: without a bandwidth matrix they have.
  bool paths_by_node() const { return shared_->matrix.empty(); }

  /// Devices that stand for all: the path between any two devices has the figures of a path between two of these, in
  /// one node or in two as that is. A handful for clusters of equal nodes; who wants the narrowest or the longest of
  /// all paths asks these alone.
  const std::vector<DeviceId>& representatives() const { return shared_->representatives; }

 private:
  struct Shared {
    std::vector<Device> devices;
    std::vector<DeviceType> types;
    int node_count = 0;
    std::vector<bool> buses;  // by node
    std::vector<Link> links;
    std::vector<std::pair<int, int>> ends;            // of each link: vertices, nodes before switches
    std::vector<std::vector<BytesPerSecond>> matrix;  // device x device; else the three below
    std::vector<Path> inside;                         // by node
    std::unique_ptr<const NodePaths> between;
    std::vector<Path> table;  // node x node, where nodes are few
    std::vector<DeviceId> representatives;

    Result<void> take_matrix(const Cluster& cluster);
    Result<void> take_links(const Cluster& cluster);
    void keep_links(const Cluster& cluster);
    void fill_table();
    void find_representatives();
  };
  explicit Network(std::shared_ptr<const Shared> shared) : shared_(std::move(shared)) {}
  std::shared_ptr<const Shared> shared_;
};

}  // namespace pipedeck
