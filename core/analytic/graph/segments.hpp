// SPDX-License-Identifier: Apache-2.0
// The cuts of a graph of operators into layers: the points of its order where one tensor crosses. A part between two
// cuts with many matmuls (a decoder whose blocks all attend to the encoder's output) is cut where the fewest tensors
// cross.
#pragma once

#include <vector>

#include "core/analytic/graph/fused_runs.hpp"
#include "core/analytic/graph/operator_count.hpp"
#include "core/analytic/graph/shaped_graph.hpp"

namespace pipedeck::analytic::graph {

struct Segments {
  std::vector<int> segment_of;  ///< by node; nodes that depend on only the batch or only weights: their first user's
  int count = 0;
};

Segments cut_graph(const ShapedGraph& graph, const OperatorCounter& counter, const FusedRuns& runs);

}  // namespace pipedeck::analytic::graph
