// SPDX-License-Identifier: GPL-3.0-or-later
// Conversion of the session's plans to the types of the views.
#pragma once

#include <vector>

#include "app/models/plan_row.hpp"
#include "app/models/project_tree_model.hpp"
#include "app/session/schedule_choices.hpp"
#include "app/session/session.hpp"
#include "app/views/choice_box.hpp"
#include "app/views/run_view.hpp"

namespace pipedeck::app {

/// Returns the plans of the current model, cluster and batch, in project order. Requests missing simulations.
std::vector<PlanRow> plan_rows(Session& session);

/// Returns "Warm-up A. Policy B: 0.837 s (−9.3 %)."
QString warmup_text(const Plan& plan, const Verdict& verdict);

/// Returns the choices with their examples as pictures.
std::vector<Choice> shown_schedules(const std::vector<ScheduleChoice>& schedules);

std::vector<ProjectEntry> tree_entries(const ProjectState& state, ProjectSection section);
QString run_title(const RunRecord& run);
RunPrediction prediction_of(const Simulation& simulation);
std::vector<RunDifference> shown_differences(const TimelineDifference& difference);
std::vector<RunListEntry> run_list(const ProjectState& state);

}  // namespace pipedeck::app
