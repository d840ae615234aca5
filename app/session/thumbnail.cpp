// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/thumbnail.hpp"

#include "app/session/project/content.hpp"
#include "core/store/project_file.hpp"
#include "core/study/plan_simulator.hpp"

namespace pipedeck::session {

Result<std::shared_ptr<const Simulation>> simulate_for_thumbnail(const QString& file) {
  const std::string path = file.toStdString();
  TRY(const auto content, store::read_project(path));
  TRY(const auto state, project::state_of(content, path));
  const project::PlanEntry* entry = project::find_plan(state, state.selected_plan);
  for (const project::PlanEntry& other : state.plans)
    if ((!entry || !entry->feasible()) && other.feasible()) entry = &other;
  const auto problem = entry && entry->feasible() ? project::make_problem(state, *entry) : std::nullopt;
  if (!problem) return fail(ErrorCode::bad_input, "found no plan, expected one that can be drawn", {}, path);
  return study::PlanSimulator().simulation(*problem, *entry->plan);
}

}  // namespace pipedeck::session
