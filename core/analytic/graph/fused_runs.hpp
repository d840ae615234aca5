// SPDX-License-Identifier: Apache-2.0
// Normalisations and activations that a file spells out as sums, roots and quotients. The operators are elementwise or
// means, all follow from one tensor, and their results join again. Libraries compute such a run in one kernel, which
// reads that tensor once and needs nothing else in the backward pass.
#pragma once

#include <vector>

#include "core/analytic/graph/shaped_graph.hpp"

namespace pipedeck::analytic::graph {

struct FusedRuns {
  std::vector<int> run_of;  ///< by node; -1: none
  struct Run {
    int source = 0;         ///< tensor
    int first = 0;          ///< node
    std::vector<int> made;  ///< tensors that other operators take
  };
  std::vector<Run> runs;
};

FusedRuns fusion_groups(const ShapedGraph& graph);

}  // namespace pipedeck::analytic::graph
