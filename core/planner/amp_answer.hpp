// SPDX-License-Identifier: Apache-2.0
// From AMP's strategies with their assignments to plans, and the reasons where there is none; for amp and amp-sa.
#pragma once

#include "core/planner/amp_space.hpp"
#include "core/planner/ranking.hpp"

namespace pipedeck {

/// A strategy with its best assignment.
struct AmpCandidate {
  AmpStrategy strategy;
  AmpPlacement placement;
  AmpAssignment assignment;
};

/// The plan with eq. 4 as its objective, and of the two warm-up policies the one that simulates best: eq. 4 can't tell
/// them apart. A where nobody can judge.
Result<Judged> amp_judged(Chain& chain, const AmpCandidate& candidate, const std::string& planner,
                          const AmpOptions& options, const PlannerContext& context);

/// Past these the search takes minutes or more memory than there is.
std::optional<Infeasible> amp_too_large(const Chain& chain);
Infeasible amp_too_unlike();

/// Why nothing was found: too few samples, pins, memory.
Result<Ranking> amp_no_plan(const Problem& problem, const AmpOptions& options, const PlannerContext& context);

/// The same options of both planners.
std::vector<OptionInfo> amp_option_table();
AmpOptions amp_options(const PlannerInfo& info, const PlannerOptions& options, const Profile& profile);

}  // namespace pipedeck
