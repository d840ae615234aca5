// SPDX-License-Identifier: Apache-2.0
// Paths between devices: the widest bottleneck between nodes, the node's own link inside (formats.md, "Cluster").
#pragma once

#include <vector>

#include "core/domain/cluster.hpp"
#include "core/domain/result.hpp"

namespace pipedeck {

struct Path {
  BytesPerSecond bandwidth;  ///< of the narrowest link
  Seconds latency;           ///< sum
  std::vector<int> links;    ///< positions in Cluster::links, in order; empty inside a node
  bool operator==(const Path&) const = default;
};

/// All-pairs paths of a connected cluster, computed once.
class Network {
 public:
  /// bad_input when some node can't be reached, or a node of several devices has no link.
  static Result<Network> of(const Cluster& cluster);

  int device_count() const { return static_cast<int>(devices_.size()); }
  const Device& device(DeviceId id) const { return devices_[id.index()]; }
  const DeviceType& type(DeviceId id) const { return types_[static_cast<std::size_t>(devices_[id.index()].type)]; }
  NodeId node_of(DeviceId id) const { return devices_[id.index()].node; }
  int node_count() const { return node_count_; }
  /// Devices of different ids only.
  const Path& path(DeviceId from, DeviceId to) const;
  /// bytes over the path: latency + bytes / bandwidth.
  Seconds transfer(DeviceId from, DeviceId to, Bytes bytes) const;

 private:
  std::vector<Device> devices_;
  std::vector<DeviceType> types_;
  int node_count_ = 0;
  std::vector<Path> node_paths_;    // node x node; the diagonal is the node's own link
  std::vector<Path> device_paths_;  // device x device, only with a bandwidth matrix
};

}  // namespace pipedeck
