// SPDX-License-Identifier: GPL-3.0-or-later
// The groups of a dimension of parallelism, drawn over a cluster: devices of a group alike, and the bytes on links
// between domains.
#pragma once

#include <map>
#include <vector>

#include <QString>

#include "core/base/units.hpp"

namespace pipedeck::models::topology {

struct Overlay {
  QString name;                ///< "TP"
  std::vector<int> group_of;   ///< by device; -1: the plan does not use it
  std::vector<bool> leaves;    ///< by group: it has devices in several domains
  std::map<int, Bytes> loads;  ///< by position in Cluster::links: in a step, in the fuller direction
  bool operator==(const Overlay&) const = default;

  /// Returns the group of a device; -1: none.
  int group(int device) const;
  /// Returns true if the device's group leaves its domain.
  bool leaves_domain(int device) const;
  /// Returns "1.17 TiB" or, of several links, "1.17 TiB each" or "up to 1.17 TiB each"; empty: none has traffic.
  QString load_text(const std::vector<int>& links) const;
  /// Returns "TP group 3 of 16: G12–G15", and whether it leaves its domain; empty: no group.
  QString device_text(int device) const;
};

}  // namespace pipedeck::models::topology
