// SPDX-License-Identifier: Apache-2.0
// DAPPLE's dynamic programme over (layers planned, devices in use), on our L_max or on eq. 1-3 as printed.
#pragma once

#include <limits>
#include <stop_token>
#include <vector>

#include "core/planner/dapple_space.hpp"

namespace pipedeck {

/// A stage of an answer: layers [first, last) on the devices of a state.
struct DapplePart {
  int first, last, state;
};

struct DappleCandidate {
  double bound = 0;  ///< what the search minimised, in seconds
  std::vector<DapplePart> parts;
};

struct DappleSearchOptions {
  double below = std::numeric_limits<double>::infinity();  ///< only candidates with a smaller bound
  std::size_t keep = 1;
  /// A prefix is forgotten when this many others are no worse in any completion: as many candidates are sure to be the
  /// best ones.
  int depth = 1;
  std::size_t effort = std::numeric_limits<std::size_t>::max();  ///< stages to try behind prefixes, at most
};

/// Candidates of least L_max, best first; the first `depth` of them are the best of the space.
/// `cut_short`: set where the effort was used up, so that there may be others.
std::vector<DappleCandidate> search_dapple(DappleSpace& space, const DappleSearchOptions& options, std::stop_token stop,
                                           bool* cut_short = nullptr);

/// A quick search for good candidates, mostly the best ones: what they reach spares the full search most of its work.
std::vector<DappleCandidate> search_narrowly(DappleSpace& space, const DappleSearchOptions& options,
                                             std::stop_token stop);

/// The same for eq. 1-3 as printed. That objective is not monotone, so no finite set of figures of a prefix is enough:
/// up to 10 layers every plan is looked at; beyond, each state keeps the prefixes that eq. 5 likes best.
std::vector<DappleCandidate> search_printed(DappleSpace& space, const DappleSearchOptions& options,
                                            std::stop_token stop);

/// The plan's steps, computing and communicating in turn; all-reduces in full.
std::vector<DappleStep> dapple_steps(DappleSpace& space, const std::vector<DapplePart>& parts);
/// max_Q of planners.md, over all steps; those at odd positions are transfers.
double dapple_l_max(const std::vector<DappleStep>& steps, int micro_batches);
/// Eq. 1-3.
double dapple_printed(const std::vector<DappleStep>& steps, int micro_batches);

}  // namespace pipedeck
