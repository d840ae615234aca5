// SPDX-License-Identifier: Apache-2.0
// Devices, their nodes, and the links between them (formats.md, "Cluster").
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"

namespace pipedeck {

struct DeviceType {
  std::string name;
  Bytes memory;
  double relative_speed = 1.0;
  std::map<std::string, double> peak_tflops;  ///< by precision name
  std::optional<BytesPerSecond> memory_bandwidth;
  std::optional<double> price_per_hour;
  std::string extra;
  std::optional<BytesPerSecond> host_bandwidth{};  ///< reached between its memory and its host's, each way
  bool operator==(const DeviceType&) const = default;
};

struct Link {
  BytesPerSecond bandwidth;
  Seconds latency;
  bool measured = false;  ///< by collectives: predictions take all of the bandwidth, not the share that types reach
  bool operator==(const Link&) const = default;
};

struct DeviceGroup {
  std::string type;
  int count = 1;
  bool operator==(const DeviceGroup&) const = default;
};

struct Node {
  std::string name;
  std::vector<DeviceGroup> devices;
  std::optional<Link> link;  ///< connects the devices inside; a node of one device needs none
  bool bus = false;          ///< all devices share the one link instead of having a port each
  std::string extra;
  /// Bandwidth of the network cards of each device; absent: the devices share the node's links.
  std::optional<BytesPerSecond> nic{};
  /// Nodes of the same domain are joined by switches of their `link`, as NVL72 is: a transfer between two of them is as
  /// one inside a node. Empty: the node alone.
  std::string domain{};
  std::optional<Bytes> memory{};  ///< of the host; absent: not known
  std::optional<BytesPerSecond> memory_bandwidth{};
  bool operator==(const Node&) const = default;
};

struct Switch {
  std::string name;
  bool operator==(const Switch&) const = default;
};

/// A full-duplex link: each direction has the whole bandwidth. `from` and `to` name nodes or switches.
struct NetworkLink {
  std::string from, to;
  Link link;
  bool operator==(const NetworkLink&) const = default;
};

/// A device of the flat list that plans number.
struct Device {
  NodeId node;
  int type = 0;  ///< position in Cluster::device_types
  int slot = 0;  ///< position within its node
  bool operator==(const Device&) const = default;
};

struct Cluster {
  std::string name;
  std::vector<DeviceType> device_types;
  std::vector<Node> nodes;
  std::vector<Switch> switches;
  std::vector<NetworkLink> links;
  /// Device x device, symmetric; replaces all links where given.
  std::optional<std::vector<std::vector<BytesPerSecond>>> bandwidth_matrix;
  std::vector<std::string> assumptions;  ///< on values that were not known when it was made, one sentence each
  std::string extra;
  bool operator==(const Cluster&) const = default;
};

/// Returns the devices in plan numbering: nodes in order, and in each node its groups in order. Types must exist
/// (validate.hpp).
std::vector<Device> devices_of(const Cluster& cluster);

/// Returns true if a node has network cards per device.
bool has_nics(const Cluster& cluster);

int device_count(const Node& node);

/// Returns true if all nodes are in one domain, which needs no links.
bool is_one_domain(const Cluster& cluster);

/// Returns the domain of a node that is added like the last one: the last domain while it has fewer nodes than the
/// first, then a new one; empty if the last node has none.
std::string next_domain(const Cluster& cluster);

const DeviceType* find_device_type(const Cluster& cluster, const std::string& name);

}  // namespace pipedeck
