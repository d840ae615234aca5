// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of several plans, and of names, as pure functions. Session::change makes an undo step of their result.
#pragma once

#include <vector>

#include "app/session/project/state.hpp"

namespace pipedeck::session::project {

using Ids = std::vector<int>;

/// A state with the ids of its new entries.
struct AddedSeveral {
  State state;
  Ids ids;
};

/// Adds each copy after its original under an unused name and selects the first. Entries without a plan are not copied.
AddedSeveral with_plans_duplicated(State state, const Ids& ids);

/// Selects the next plan of the table, or else the previous one.
State without_plans(State state, const Ids& ids);
State with_plans_ticked(State state, const Ids& ids, bool on);
State with_remarks(State state, int plan, const QString& remarks);

/// Returns the flags of the question's model, cluster and batch.
std::vector<ChartFlag> flags_of_question(const State& state);
/// Replaces these flags. Sets their question.
State with_flags(State state, std::vector<ChartFlag> flags);

/// Ignores an empty name. Profiles and clusters are found by name, so a name in use becomes "name (2)".
State with_plan_renamed(State state, int id, const QString& name);
State with_profile_renamed(State state, int id, const QString& name);
State with_cluster_renamed(State state, int id, const QString& name);
State with_run_renamed(State state, int id, const QString& name);

/// Adds a copy under an unused name. The question does not change.
Added with_profile_duplicated(State state, int id);
Added with_cluster_duplicated(State state, int id);

}  // namespace pipedeck::session::project
