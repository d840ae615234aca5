// SPDX-License-Identifier: Apache-2.0
// Finds DAPPLE's plans of least objective. The search is exact over all plans that the three placement policies reach.
//
// It has three passes. Each drops all plans above a limit on the objective:
//   1. Front to back over (layers planned, state), with the least figures of any front there. DappleBounds and these
//      figures show which nodes can't get below the limit. Starts and ends of stages are separate nodes, so a stage's
//      transfer and its length are chosen one after the other.
//   2. Back to front over the remaining nodes, with a small Pareto set of suffixes each.
//   3. Best first over whole plans, with the figures of the actual front and of the best suffix. The first complete
//      plan is the best, the next one the second best. No plan is lost, because the figures of fronts and suffixes only
//      order the search.
#pragma once

#include <compare>
#include <functional>
#include <limits>
#include <vector>

#include "core/planner/dapple/bounds.hpp"

namespace pipedeck::planner::dapple {

/// A stage of an answer: layers [first, last) on the devices of a state.
struct Part {
  int first, last, state;
  auto operator<=>(const Part&) const = default;
};

struct Candidate {
  double bound = 0;  ///< what the search minimised, in seconds
  std::vector<Part> parts;
};

struct SearchOptions {
  double below = std::numeric_limits<double>::infinity();  ///< only candidates with a smaller bound
  std::size_t keep = 1;
  std::size_t search_budget = std::numeric_limits<std::size_t>::max();  ///< maximum steps
  std::size_t width = 0;  ///< > 0: maximum ends of stages per layer and number of devices left
  int min_stages = 1;
  int per_shape = 0;                  ///< > 0: maximum candidates that differ only in their stage boundaries
  Warmup warmup = Warmup::B;          ///< warm-up allowed; with the sure measure it limits in-flight micro-batches
  std::function<bool()> interrupted;  ///< polled often; true ends the search
};

struct DappleFound {
  std::vector<Candidate> candidates;  ///< best first
  double all_below = 0;               ///< every plan with a smaller bound is among them
  bool cut_short = false;             ///< the effort was used up, or the search interrupted
  std::size_t spent = 0;              ///< steps tried
};

DappleFound search_dapple(Space& space, const Bounds& bounds, const SearchOptions& options);

/// Eq. 1-3 as printed. That objective is not monotone, so no finite set of figures of a prefix is enough: up to 10
/// layers on 8 devices every plan is looked at; beyond, only the prefixes that eq. 5 likes best.
DappleFound search_printed(Space& space, const SearchOptions& options);

/// The plan's steps by L_max's measure, computing and communicating in turn.
std::vector<Step> dapple_steps(Space& space, const std::vector<Part>& parts);
/// max_Q of planners.md, over all steps; those at odd positions are transfers.
double l_max(const std::vector<Step>& steps);
/// Eq. 1-3.
double dapple_as_published(const std::vector<Step>& steps, int micro_batches);

}  // namespace pipedeck::planner::dapple
