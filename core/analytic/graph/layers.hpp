// SPDX-License-Identifier: Apache-2.0
// A graph of operators as a list of counted layers and the edges between them.
#pragma once

#include <string>
#include <vector>

#include "core/analytic/graph/shaped_graph.hpp"
#include "core/analytic/times/layer_count.hpp"
#include "core/model/profile.hpp"

namespace pipedeck::analytic::graph {

struct GraphLayer {
  times::LayerCount count;
  std::vector<double> outputs;     ///< bytes of each tensor that later layers take
  std::vector<std::string> given;  ///< their names
};

struct Layers {
  std::vector<GraphLayer> layers;
  std::vector<Edge> edges;  ///< empty: a chain
  double parameters = 0;    ///< total; weights shared by several layers count once
  int shared_weights = 0;   ///< number of tensors that several layers use
  int fused = 0;            ///< number of runs of operators that count as one kernel
};

/// Returns the layers. `element`: bytes of a real number. bad_input if the search for the weights behind a layer
/// exceeds its limit of steps.
Result<Layers> layers_of(const ShapedGraph& graph, int element, bool dropout);

}  // namespace pipedeck::analytic::graph
