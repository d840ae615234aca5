// SPDX-License-Identifier: GPL-3.0-or-later
// Manual edits of plans (core/plan/edits) as pure functions of the project's state; each is one undo step.
#pragma once

#include <QString>

#include "app/session/project/state.hpp"
#include "core/plan/edits.hpp"

namespace pipedeck::study {
class PlanSimulator;
}  // namespace pipedeck::study

namespace pipedeck::session::plans {

/// Returns the name of the step in the Edit menu: "Move cut before block_27", "Move G3 to stage 1", "Recompute stage
/// 0". `plan` is the one before the edit.
QString edit_name(const plan::PlanEdit& edit, const Plan& plan, const Profile& profile);

/// Replaces the plan of `id` if it is already edited. Otherwise adds a new plan "... (edited)" in its place, in
/// front of it, selected and ticked.
project::State with_plan_edited(project::State state, int id, Plan plan);

/// Returns the edited plan of `id`. Returns an error if the edit breaks a rule of plans or the schedule does not
/// support it.
Result<Plan> edited_plan(const project::State& state, int id, const plan::PlanEdit& edit,
                         study::PlanSimulator& plan_simulator);

}  // namespace pipedeck::session::plans
