// SPDX-License-Identifier: GPL-3.0-or-later
// The session's plans as the views take them.
#pragma once

#include <vector>

#include "app/models/plan_row.hpp"
#include "app/models/project_tree_model.hpp"
#include "app/session/schedule_choices.hpp"
#include "app/session/session.hpp"
#include "app/views/choice_box.hpp"
#include "app/views/run_view.hpp"

namespace pipedeck::app {

/// Of the question at hand, in project order. What is not simulated yet is asked for.
std::vector<PlanRow> plan_rows(Session& session);

/// "Warm-up A. Policy B: 0.837 s (−9.3 %)."
QString warmup_text(const Plan& plan, const Verdict& verdict);

/// With their examples as pictures.
std::vector<Choice> shown_schedules(const std::vector<ScheduleChoice>& schedules);

std::vector<ProjectEntry> tree_entries(const ProjectState& state, ProjectSection section);
QString run_title(const RunRecord& run);
RunPrediction prediction_of(const Simulation& simulation);
std::vector<RunDifference> shown_differences(const TimelineDifference& difference);
std::vector<RunListEntry> run_list(const ProjectState& state);

}  // namespace pipedeck::app
