// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/plans/placed_groups.hpp"

namespace pipedeck::session::plans {

Result<std::vector<PlacedGroups>> placed_groups(const Problem& problem, const Plan& plan) {
  TRY(const sim::Simulator simulator,
      sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions));
  return study::placement::placed_groups(simulator, plan);
}

}  // namespace pipedeck::session::plans
