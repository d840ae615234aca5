// SPDX-License-Identifier: Apache-2.0
// Device placements as domino tilings (AMP, section 6.3 and figure 5): the devices are a mesh whose columns are nodes,
// a stage is a rectangle of tmp x dp of them, upright or turned. Upright, the devices of a column, which are of one
// node, are split by tensor parallelism, and rows are data parallel; a turned one has its groups turned with it.
#pragma once

#include <functional>
#include <optional>

#include "core/planner/amp_space.hpp"

namespace pipedeck {

/// Device (row, column) is column * rows + row.
struct AmpMesh {
  int rows = 1, columns = 1;
  bool operator==(const AmpMesh&) const = default;
};

/// A column a node where nodes are alike and several; else as square as the number of devices allows, in their order.
AmpMesh amp_mesh(const Network& network);

/// A random tiling, stages in the order of their first devices; nothing where there is none, or none was found in a
/// number of steps. `coin` decides which way to try first.
std::optional<AmpPlacement> random_tiling(const AmpMesh& mesh, const AmpStrategy& strategy,
                                          const std::function<bool()>& coin);

}  // namespace pipedeck
