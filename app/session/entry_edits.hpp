// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of several plans, and of names, as pure functions. Session::change makes an undo step of their result.
#pragma once

#include <vector>

#include "app/session/project_state.hpp"

namespace pipedeck::app {

using Ids = std::vector<int>;

/// A state with the ids of its new entries.
struct AddedSeveral {
  ProjectState state;
  Ids ids;
};

/// Adds each copy after its original under an unused name and selects the first. Entries without a plan are not copied.
AddedSeveral with_plans_duplicated(ProjectState state, const Ids& ids);

/// Selects the next plan of the table, or else the previous one.
ProjectState without_plans(ProjectState state, const Ids& ids);
ProjectState with_plans_ticked(ProjectState state, const Ids& ids, bool on);
ProjectState with_remarks(ProjectState state, int plan, const QString& remarks);

/// Ignores an empty name. Profiles and clusters are found by name, so a name in use becomes "name (2)".
ProjectState with_plan_renamed(ProjectState state, int id, const QString& name);
ProjectState with_profile_renamed(ProjectState state, int id, const QString& name);
ProjectState with_cluster_renamed(ProjectState state, int id, const QString& name);
ProjectState with_run_renamed(ProjectState state, int id, const QString& name);

/// Adds a copy under an unused name. The question does not change.
Added with_profile_duplicated(ProjectState state, int id);
Added with_cluster_duplicated(ProjectState state, int id);

}  // namespace pipedeck::app
