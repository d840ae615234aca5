// SPDX-License-Identifier: GPL-3.0-or-later
// The problems of a cluster and their positions: errors that prevent planning, and warnings about unlikely values.
#pragma once

#include "app/models/topology/geometry.hpp"

namespace pipedeck::models::topology {

struct TopologyProblem {
  enum Severity { error, warning };
  Severity severity = error;  ///< prevents: planning is impossible, or the saved cluster could not be loaded again
  QString text;               ///< "n3 can't be reached from n0: no links lead there"
  Selection at;               ///< elements to show
  bool operator==(const TopologyProblem&) const = default;
};

/// Returns all problems, errors first. The cluster may violate validate().
std::vector<TopologyProblem> topology_problems(const Cluster& cluster);

}  // namespace pipedeck::models::topology
