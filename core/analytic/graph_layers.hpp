// SPDX-License-Identifier: Apache-2.0
// A graph of operators as a list of counted layers and how they feed one another.
#pragma once

#include <string>
#include <vector>

#include "core/analytic/layer_count.hpp"
#include "core/analytic/shaped_graph.hpp"
#include "core/domain/profile.hpp"

namespace pipedeck {

struct GraphLayer {
  LayerCount count;
  std::vector<double> outputs;     ///< bytes of each tensor that later layers take
  std::vector<std::string> given;  ///< their names
};

struct GraphLayers {
  std::vector<GraphLayer> layers;
  std::vector<Edge> edges;  ///< empty: a chain
  double parameters = 0;    ///< in all, weights that several layers use counted once
  int shared_weights = 0;   ///< tensors that several layers use
  int fused = 0;            ///< runs of operators that were taken as one kernel each
};

/// `element`: bytes of a real number. bad_input where weights are computed in ways without end.
Result<GraphLayers> layers_of(const ShapedGraph& graph, int element, bool dropout);

}  // namespace pipedeck
