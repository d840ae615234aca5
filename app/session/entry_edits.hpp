// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of plans, several at a time, and of names, as pure functions: Session::change makes one step of undo of what
// they give.
#pragma once

#include <vector>

#include "app/session/project_state.hpp"

namespace pipedeck::app {

using Ids = std::vector<int>;

/// With what was added to it.
struct AddedSeveral {
  ProjectState state;
  Ids ids;
};

/// Each beside its original, under an unused name; planners that found no plan have no copy. The first is selected.
AddedSeveral with_plans_duplicated(ProjectState state, const Ids& ids);

/// The selection moves to the next plan of the table, else to the one before.
ProjectState without_plans(ProjectState state, const Ids& ids);
ProjectState with_plans_ticked(ProjectState state, const Ids& ids, bool on);
ProjectState with_remarks(ProjectState state, int plan, const QString& remarks);

/// An empty name changes nothing; of profiles and clusters, which are found by name, a taken one becomes "name (2)".
ProjectState with_plan_renamed(ProjectState state, int id, const QString& name);
ProjectState with_profile_renamed(ProjectState state, int id, const QString& name);
ProjectState with_cluster_renamed(ProjectState state, int id, const QString& name);
ProjectState with_run_renamed(ProjectState state, int id, const QString& name);

/// A copy under an unused name, for another variant; the question stays as it is.
Added with_profile_duplicated(ProjectState state, int id);
Added with_cluster_duplicated(ProjectState state, int id);

}  // namespace pipedeck::app
