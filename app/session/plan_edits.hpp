// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of plans by hand (core/domain/plan_edits) as changes of the project: pure functions of its state, each one
// step.
#pragma once

#include <QString>

#include "app/session/project_state.hpp"
#include "core/domain/plan_edits.hpp"

namespace pipedeck::app {

class Judge;

/// "Move cut before block_27", "Move G3 to stage 1", "Recompute stage 0": the step's name in the Edit menu. `plan` is
/// the one before.
QString edit_name(const PlanEdit& edit, const Plan& plan, const Profile& profile);

/// The state with this plan in place of the plan of `id` where that is a hand's already; else beside it, as a plan of
/// its own that is selected and drawn, called "... (edited)".
ProjectState with_plan_edited(ProjectState state, int id, Plan plan);

/// The plan of `id` with the edit made, or why not: it breaks a rule of plans, or its schedule can't run it.
Result<Plan> edited_plan(const ProjectState& state, int id, const PlanEdit& edit, Judge& judge);

}  // namespace pipedeck::app
