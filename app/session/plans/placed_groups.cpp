// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/plans/placed_groups.hpp"

#include <utility>

#include "core/study/placement/contiguous.hpp"

namespace pipedeck::session::plans {

Result<std::vector<PlacedGroups>> placed_groups(const Problem& problem, const Plan& plan) {
  TRY(const sim::Simulator simulator,
      sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions));
  return study::placement::placed_groups(simulator, plan);
}

std::optional<ContiguousPlan> contiguous_plan(const Problem& problem, const Plan& plan) {
  auto placed = study::placement::placed_contiguously(plan, *problem.cluster);
  const auto simulator = sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
  if (!placed || !simulator) return {};
  auto groups = study::placement::placed_groups(*simulator, *placed);
  if (!groups) return {};
  ContiguousPlan made{*std::move(placed), *std::move(groups), {}};
  if (const auto time = simulator->iteration_time(made.plan)) made.iteration = *time;
  return made;
}

}  // namespace pipedeck::session::plans
