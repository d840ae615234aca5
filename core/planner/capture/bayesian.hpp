// SPDX-License-Identifier: Apache-2.0
// mCAP-BO: Bayesian optimisation over partitions, a fixed number of predictions. A Gaussian process learns log(highest
// peak) from the partitions predicted so far; the next one is the most promising (expected improvement) of some random
// partitions and of small changes of the best. A partition is a point by what each of up to 32 layers, evenly spread,
// belongs to: its stage, and the degrees of that stage. Those that do not fit count as worse, so that the surrogate
// keeps away from them.
#pragma once

#include <cstdint>

#include "core/planner/capture/search.hpp"

namespace pipedeck::planner::capture {

struct Budget {
  int evaluations = 100;
  std::uint64_t seed = 1;
};

/// Those of the lowest highest peak that were seen, up to `most`; none where none fits.
std::vector<Partition> optimised_partitions(Space& space, const Budget& budget, std::size_t most, const Watch& watch,
                                            bool& truncated);

}  // namespace pipedeck::planner::capture
