// SPDX-License-Identifier: Apache-2.0
// Where a graph of operators may be cut into layers: at the points of its order where one tensor crosses. What lies
// between two of them and has many products (a decoder whose blocks all look at the encoder's result) is cut where the
// fewest tensors cross.
#pragma once

#include <vector>

#include "core/analytic/fused_runs.hpp"
#include "core/analytic/operator_count.hpp"
#include "core/analytic/shaped_graph.hpp"

namespace pipedeck {

struct Segments {
  std::vector<int> segment_of;  ///< each node's; what depends on the batch or on weights alone is its first user's
  int count = 0;
};

Segments cut_graph(const ShapedGraph& graph, const OperatorCounter& counter, const FusedRuns& runs);

}  // namespace pipedeck
