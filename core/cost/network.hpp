// SPDX-License-Identifier: Apache-2.0
// Paths between devices: the path with the widest bottleneck between nodes, and the node's own link inside it and its
// domain (formats.md, "Cluster").
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/base/result.hpp"
#include "core/cost/node_paths.hpp"
#include "core/model/cluster.hpp"
#include "core/model/workload.hpp"

namespace pipedeck::cost {

/// A cluster's link in one direction.
struct DirectedLink {
  int link = 0;            ///< position in Cluster::links
  bool backwards = false;  ///< from its `to` to its `from`
  bool operator==(const DirectedLink&) const = default;
};

/// A connected cluster's devices and the paths between them. Copies share all data. Thread-safe.
class Network {
 public:
  /// Returns bad_input if a node can't be reached, or a node of several devices has no link.
  static Result<Network> of(const Cluster& cluster);
  /// Returns the network used for planning and simulation: every bandwidth times the calibration's link efficiency, and
  /// the memory of devices, transfers and rings as fast as the conventions' efficiencies have them.
  static Result<Network> of(const Cluster& cluster, const SimulationOptions& conventions);

  int device_count() const { return static_cast<int>(shared_->devices.size()); }
  const Device& device(DeviceId id) const { return shared_->devices[id.index()]; }
  const DeviceType& type(DeviceId id) const { return shared_->types[static_cast<std::size_t>(device(id).type)]; }
  /// Returns the cluster's device types, with the memory bandwidth that they reach.
  const std::vector<DeviceType>& types() const { return shared_->types; }
  NodeId node_of(DeviceId id) const { return device(id).node; }
  int node_count() const { return shared_->node_count; }
  /// Returns the domain of a device's node as a number; nodes without one have a number of their own.
  int domain_of(DeviceId id) const { return shared_->domains[node_of(id).index()]; }
  /// Returns the path of a transfer between two different devices, as fast as its efficiency has it. Between domains it
  /// passes the network card of each.
  Path path(DeviceId from, DeviceId to) const;
  /// A number of members that a ring has in one domain.
  struct RingEnd {
    int devices = 1, nodes = 1;
  };
  /// Returns the path of a ring between two different devices by the data sheet. Between domains it passes the cards of
  /// all members of either end and the links of their nodes: each of NCCL's parallel rings leaves by another member's
  /// card.
  Path ring_path(DeviceId from, DeviceId to, RingEnd from_end, RingEnd to_end) const;
  /// Returns the widest path that a ring can have between two different devices: with the cards of all devices, at the
  /// best efficiency of any group.
  Path widest_ring_path(DeviceId from, DeviceId to) const;
  /// Returns the bandwidth of a device's network cards; empty if the node's devices share its links.
  std::optional<BytesPerSecond> nic(NodeId node) const { return shared_->nics[node.index()]; }
  /// Returns true if transfers between devices of two nodes have ports of their own at both ends: those of a domain, or
  /// network cards.
  bool has_own_ports(NodeId a, NodeId b) const { return in_one_domain(a, b) || (nic(a) && nic(b)); }
  bool in_one_domain(NodeId a, NodeId b) const { return shared_->domains[a.index()] == shared_->domains[b.index()]; }
  /// Returns the path's links as positions in Cluster::links, in order; empty inside a domain or with a bandwidth
  /// matrix.
  std::vector<int> links(DeviceId from, DeviceId to) const;
  /// Returns the path's links with their direction.
  std::vector<DirectedLink> directed_links(DeviceId from, DeviceId to) const;
  const Link& link(int position) const { return shared_->links[static_cast<std::size_t>(position)]; }
  /// Returns true if the node's devices share one link instead of having a port each.
  bool bus(NodeId node) const { return shared_->buses[node.index()]; }
  /// Returns true if collectives were measured between devices of one domain, or between domains: of the node's own
  /// link, or of all links of the network.
  bool is_measured(NodeId node, bool leaves) const {
    return leaves ? shared_->measured_between : shared_->measured_inside[node.index()];
  }
  /// Returns the network by the data sheet, without efficiencies.
  Network data_sheet() const { return Network(shared_); }
  /// A share of the data sheet's bandwidth, and a time per collective or transfer in addition.
  struct Reached {
    double share = 1;
    Seconds call;
  };
  /// Returns what collectives and transfers from a node reach: those inside its domain, or those that leave it.
  /// Measured links reach what was measured.
  Reached reached(NodeId node, bool leaves) const;
  /// Returns the path of time / share.
  static Path reached_path(Path path, double share) { return {path.bandwidth * share, path.latency / share}; }
  /// Returns latency + bytes / bandwidth of the path.
  Seconds transfer(DeviceId from, DeviceId to, Bytes bytes) const;

  /// Returns true if all devices of a node have the same paths to other nodes, which holds without a bandwidth matrix.
  bool is_node_uniform() const { return shared_->matrix.empty(); }

  /// Returns devices that represent all: the path between any two devices has the bandwidth and latency of a path
  /// between two representatives, likewise inside one node or between two. A few for clusters of equal nodes.
  /// Sufficient to find the narrowest or the longest of all paths.
  const std::vector<DeviceId>& representative_devices() const { return shared_->representative_devices; }

 private:
  struct Shared {
    std::vector<Device> devices;
    std::vector<DeviceType> types;
    int node_count = 0;
    std::vector<int> domains;           // by node
    std::vector<int> domain_nodes;      // by domain: number of nodes
    std::vector<bool> buses;            // by node
    std::vector<bool> measured_inside;  // by node
    bool measured_between = false;
    std::vector<std::optional<BytesPerSecond>> nics;  // by node
    std::vector<Link> links;
    std::vector<std::pair<int, int>> ends;            // of each link: vertices, numbering nodes before switches
    std::vector<std::vector<BytesPerSecond>> matrix;  // device x device; if empty, the three members below apply
    std::vector<Path> inside;                         // by node
    std::unique_ptr<const WidestPaths> between;
    std::vector<Path> table;  // node x node, only for few nodes
    std::vector<DeviceId> representative_devices;

    Result<void> load_matrix(const Cluster& cluster);
    Result<void> load_links(const Cluster& cluster);
    void keep_links(const Cluster& cluster);
    void number_domains(const Cluster& cluster);
    Path between_nodes(std::size_t from, std::size_t to) const;
    void fill_table();
    void find_representatives();
  };
  struct Efficiencies {
    std::vector<Reached> inside;  // by node
    Reached between;
  };
  explicit Network(std::shared_ptr<const Shared> shared) : shared_(std::move(shared)) {}
  std::shared_ptr<const Shared> shared_;
  std::shared_ptr<const Efficiencies> efficiencies_;  // null: the data sheet's figures
};

}  // namespace pipedeck::cost
