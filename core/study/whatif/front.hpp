// SPDX-License-Identifier: Apache-2.0
// Many plans for one model at once, over sizes of the cluster, micro-batches, planners, schedules and recomputation:
// what throughput costs in memory and money.
#pragma once

#include "core/base/pareto.hpp"

#include "core/study/whatif/best_plan.hpp"

namespace pipedeck::study::whatif {

struct FrontSpace {
  std::vector<int> nodes;          ///< sizes of the cluster: its first N nodes
  std::vector<int> micro_batches;  ///< 0: left to the planners
  int top = 3;                     ///< plans asked of each planner
  bool variants = true;            ///< the best ones under other schedules, and recomputing everything
};

/// All sizes of the cluster, or eight of them from one node to all, and every micro-batch that is a power of two times
/// what the profile was measured with and divides the batch; just its own where the question fixes one.
FrontSpace front_space(const Problem& problem);

/// Samples a second, largest peak and price of an hour, as non_dominated() wants them: the first negative. Where the
/// price of some plan is not known it is left aside for all.
std::vector<ObjectiveVector> front_costs(std::span<const PlanCandidate> plans);
/// Returns the Pareto front of throughput, memory and price; positions ascending.
std::vector<std::size_t> front_of(std::span<const PlanCandidate> plans);

/// Every plan that fits, each once, in an order that does not depend on threads. `some`, if there is one, gets them as
/// they are found, one call at a time. Hurried, it answers with what there is; an error is one of the question.
Result<std::vector<PlanCandidate>> find_front(const Problem& problem, std::span<const PlannerRequest> planners,
                                              const FrontSpace& space, const SearchOptions& how,
                                              const std::function<void(const std::vector<PlanCandidate>&)>& some = {});

}  // namespace pipedeck::study::whatif
