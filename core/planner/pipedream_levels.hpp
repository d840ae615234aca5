// SPDX-License-Identifier: Apache-2.0
// The cluster as PipeDream sees it (section 3.1, figure 7): level k has m_k components of level k - 1, joined by links
// of bandwidth B_k.
#pragma once

#include <vector>

#include "core/cost/network.hpp"

namespace pipedeck {

struct PipedreamLevel {
  int components = 1;    ///< m_k
  double bandwidth = 0;  ///< B_k in bytes/s: the narrowest widest path between two components
  int devices = 1;       ///< in one component of level k - 1
};

/// Lowest first. A level of one member vanishes (one device leaves no level at all); nodes of unequal size make one
/// flat level, and so does `flat`.
std::vector<PipedreamLevel> pipedream_levels(const Network& network, bool flat);

}  // namespace pipedeck
