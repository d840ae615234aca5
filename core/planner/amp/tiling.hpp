// SPDX-License-Identifier: Apache-2.0
// Device placements as domino tilings (AMP, section 6.3 and figure 5). The devices form a mesh whose columns are nodes.
// A stage is a rectangle of tmp x dp devices, upright or turned. In an upright stage tensor parallelism divides the
// devices of a column, which share a node, and rows are data parallel. A turned stage is transposed.
#pragma once

#include <functional>
#include <optional>

#include "core/planner/amp/space.hpp"

namespace pipedeck::planner::amp {

/// Device (row, column) is column * rows + row.
struct Mesh {
  int rows = 1, columns = 1;
  bool operator==(const Mesh&) const = default;
};

/// A column a node where nodes are alike and several; else as square as the number of devices allows, in their order.
Mesh amp_mesh(const cost::Network& network);

/// A random tiling, stages in the order of their first devices; nothing where there is none, or none was found in a
/// number of steps. `coin` decides which way to try first.
std::optional<Placement> random_tiling(const Mesh& mesh, const Strategy& strategy, const std::function<bool()>& coin);

}  // namespace pipedeck::planner::amp
