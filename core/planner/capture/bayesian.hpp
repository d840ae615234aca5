// SPDX-License-Identifier: Apache-2.0
// mCAP-BO: Bayesian optimisation over partitions with a fixed number of predictions. A Gaussian process models
// log(highest peak) of the predicted partitions. The next partition has the largest expected improvement among random
// partitions and small changes of the best one. A partition's point holds the stage and the stage's degrees of up to 32
// evenly spaced layers. Partitions that do not fit get a penalty, so that the surrogate avoids them.
#pragma once

#include <cstdint>

#include "core/planner/capture/search.hpp"

namespace pipedeck::planner::capture {

struct Budget {
  int evaluations = 100;
  std::uint64_t seed = 1;
};

/// Returns the predicted partitions of the lowest highest peak, up to `most`; none if none fits.
std::vector<Partition> optimised_partitions(Space& space, const Budget& budget, std::size_t most, const Watch& watch,
                                            bool& truncated);

}  // namespace pipedeck::planner::capture
