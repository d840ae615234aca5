// SPDX-License-Identifier: Apache-2.0
// A plan of equal stages in the engines' numbering: one process per device, numbered through tensor-parallel groups
// first, then replicas, then stages. All three engines number this way by default.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/cluster.hpp"
#include "core/model/plan.hpp"

namespace pipedeck::study::engines {

/// For a plan of identical stages.
struct Grid {
  int pipeline = 1;  ///< ranks of the pipeline
  int data = 1;      ///< replicas
  int tensor = 1;    ///< tensor-parallel degree
  int chunks = 1;    ///< stages of a pipeline rank
  int samples = 1;   ///< of a micro-batch on one replica
};
Grid grid_of(const Plan& plan);

/// As many devices on each node.
struct EvenNodes {
  int nodes = 1, devices = 1;  ///< nodes that a plan uses, devices on each
};
/// Returns nothing if the plan uses more devices of one node than of another.
std::optional<EvenNodes> even_nodes(const Plan& plan, const Cluster& cluster);

/// Lines of a comment, each behind `mark`: which device each process is to run on.
std::string rank_comment(const Plan& plan, const Cluster& cluster, std::string_view mark);

}  // namespace pipedeck::study::engines
