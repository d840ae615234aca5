// SPDX-License-Identifier: GPL-3.0-or-later
// Manual edits of plans (core/domain/plan_edits) as pure functions of the project's state; each is one undo step.
#pragma once

#include <QString>

#include "app/session/project_state.hpp"
#include "core/domain/plan_edits.hpp"

namespace pipedeck::app {

class Judge;

/// Returns the name of the step in the Edit menu: "Move cut before block_27", "Move G3 to stage 1", "Recompute stage
/// 0". `plan` is the one before the edit.
QString edit_name(const PlanEdit& edit, const Plan& plan, const Profile& profile);

/// Replaces the plan of `id` if it is already edited. Otherwise adds a new plan "... (edited)", selected and ticked.
ProjectState with_plan_edited(ProjectState state, int id, Plan plan);

/// Returns the edited plan of `id`. Returns an error if the edit breaks a rule of plans or the schedule does not
/// support it.
Result<Plan> edited_plan(const ProjectState& state, int id, const PlanEdit& edit, Judge& judge);

}  // namespace pipedeck::app
