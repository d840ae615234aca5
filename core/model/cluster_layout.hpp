// SPDX-License-Identifier: Apache-2.0
// The user's arrangement of a cluster's drawing. No metric depends on it.
#pragma once

#include <map>
#include <set>
#include <string>

namespace pipedeck {

struct ClusterLayout {
  /// A top left corner in the drawing's own pixels.
  struct Place {
    double x = 0, y = 0;
    bool operator==(const Place&) const = default;
  };
  std::map<std::string, Place> places;       ///< by name of node or switch; all others are laid out automatically
  std::map<std::string, std::string> racks;  ///< name of node or switch -> its rack
  std::set<std::string> collapsed;           ///< racks drawn as one box
  bool operator==(const ClusterLayout&) const = default;
  bool empty() const { return places.empty() && racks.empty() && collapsed.empty(); }
};

}  // namespace pipedeck
