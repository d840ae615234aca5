// SPDX-License-Identifier: GPL-3.0-or-later
// The common properties of the selected nodes, switches and links, for a panel that shows and edits them together.
#pragma once

#include "app/models/topology/geometry.hpp"

namespace pipedeck::models::topology {

/// A value of several objects: absent from all, equal in all, or mixed.
template <class T>
struct Common {
  std::optional<T> value;
  bool mixed = false;
  bool operator==(const Common&) const = default;

  void take(const std::optional<T>& next, bool first) {
    if (first) {
      value = next;
    } else if (mixed || next != value) {
      mixed = true;
      value.reset();
    }
  }
};

struct Facts {
  QString title;   ///< "NODE g4-a", "3 NODES", "LINK n0 – tor", "2 LINKS, 1 NODE", "CLUSTER"
  QString detail;  ///< "8 devices · 3.91 USD per hour"
  std::vector<std::string> nodes, switches;
  std::vector<int> links;
  Common<std::vector<DeviceGroup>> devices;  ///< of the nodes
  bool several_inside = false;               ///< some node has more than one device
  Common<double> inside, inside_latency;     ///< bytes per second, seconds
  Common<bool> bus;
  Common<double> nic;                 ///< bytes per second of each device's network cards
  Common<double> bandwidth, latency;  ///< of the links
  std::vector<std::string> types;     ///< of the nodes' devices; of the whole cluster if nothing is selected
};

/// Returns the facts of the selection, or of the cluster if nothing is selected.
Facts topology_facts(const Cluster& cluster, const Selection& selection);

}  // namespace pipedeck::models::topology
