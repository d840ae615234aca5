// SPDX-License-Identifier: Apache-2.0
// The PCI Express tree of a machine: bridges and devices below its processors.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/base/units.hpp"

namespace pipedeck::io::topology {

/// A bridge or a device.
struct PciNode {
  int parent = -1;                      ///< position in the tree, -1: at a processor
  std::optional<BytesPerSecond> speed;  ///< of the link to the parent
};

/// A path between two nodes through their nearest common ancestor.
struct PciPath {
  bool meets = false;                       ///< below a processor
  std::size_t first = 0, second = 0;        ///< nodes from each end up to the common ancestor, without it
  std::optional<BytesPerSecond> narrowest;  ///< of the links with a reported speed
};

/// Returns the lanes of a link that runs at generation 1, as resting links do; absent if `speed` is of no such link.
std::optional<int> first_generation_lanes(BytesPerSecond speed);

class PciTree {
 public:
  /// Adds a node below an earlier one. Returns its position.
  int add(const PciNode& node);
  /// Returns the path between the nodes at two positions; -1 is at a processor.
  PciPath path(int first, int second) const;

 private:
  std::vector<int> from_root(int position) const;
  std::vector<PciNode> nodes_;
};

}  // namespace pipedeck::io::topology
