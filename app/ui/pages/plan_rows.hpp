// SPDX-License-Identifier: GPL-3.0-or-later
// Conversion of the session's plans to the types of the views.
#pragma once

#include <vector>

#include "app/models/compare/plan_row.hpp"
#include "app/models/compare/project_tree_model.hpp"
#include "app/session/plans/schedule_choices.hpp"
#include "app/session/session.hpp"
#include "app/views/run/view.hpp"
#include "app/views/widgets/choice_box.hpp"

namespace pipedeck::ui::pages {

/// Returns the plans of the current model, cluster and batch, in project order, then the planners that search. Requests
/// missing simulations.
std::vector<models::compare::PlanRow> plan_rows(session::Session& session);

/// Returns the title of a plan as charts have it: "AMP PP 2 · DP 8".
QString title_of(const session::project::PlanEntry& entry);

/// Returns "Warm-up A. Policy B: 0.837 s (−9.3 %)."
QString warmup_text(const Plan& plan, const study::PlanResult& plan_result);

/// Returns the choices with their examples as pictures.
std::vector<views::widgets::Choice> shown_schedules(const std::vector<session::plans::ScheduleChoice>& schedules);

/// Returns the project's plans grouped by their questions, the best plan of each first.
std::vector<models::compare::ProjectQuestion> tree_questions(const session::project::State& state);
std::vector<models::compare::ProjectEntry> tree_entries(const session::project::State& state,
                                                        models::compare::ProjectSection section);
QString run_title(const session::project::RunRecord& run);
views::run::Prediction prediction_of(const Simulation& simulation);
std::vector<views::run::Difference> shown_differences(const sim::TimelineDifference& difference);
std::vector<views::run::ListEntry> run_list(const session::project::State& state);

}  // namespace pipedeck::ui::pages
