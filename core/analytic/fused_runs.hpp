// SPDX-License-Identifier: Apache-2.0
// Normalisations and activations that a file spells out in sums, roots and quotients: operators of one number each
// whose results come together again and which all follow from one tensor. Libraries compute such a run in one kernel,
// which reads that tensor once and, backward, needs nothing else.
#pragma once

#include <vector>

#include "core/analytic/shaped_graph.hpp"

namespace pipedeck {

struct FusedRuns {
  std::vector<int> run_of;  ///< each node's; -1: none
  struct Run {
    int source = 0;         ///< tensor
    int first = 0;          ///< node
    std::vector<int> made;  ///< tensors that others take
  };
  std::vector<Run> runs;
};

FusedRuns fused_runs(const ShapedGraph& graph);

}  // namespace pipedeck
