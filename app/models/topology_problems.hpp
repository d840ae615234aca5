// SPDX-License-Identifier: GPL-3.0-or-later
// What is wrong with a cluster, and where: what keeps plans from being made for it, and what was hardly meant.
#pragma once

#include "app/models/topology_geometry.hpp"

namespace pipedeck::app {

struct TopologyProblem {
  enum Severity { prevents, doubtful };
  Severity severity = prevents;  ///< prevents: no plan can be made, or the cluster can't be read again
  QString text;                  ///< "n3 can't be reached from n0: no links lead there"
  TopologySelection at;          ///< where to look
  bool operator==(const TopologyProblem&) const = default;
};

/// Those that prevent something first. Values that validate() refuses are looked at too.
std::vector<TopologyProblem> topology_problems(const Cluster& cluster);

}  // namespace pipedeck::app
