// SPDX-License-Identifier: GPL-3.0-or-later
// Edits that add results on other hardware to the project, as pure functions of its state; each is one undo step.
#pragma once

#include <memory>

#include "app/session/project/state.hpp"
#include "core/model/what_if.hpp"

namespace pipedeck::session::whatif {

/// Adds the changed cluster, named after the question's. `id` is that of an equal cluster if there is one. The question
/// does not change.
project::Added with_what_if_cluster(const project::State& state, const Cluster& changed);

/// Adds the plan for the question's model, and its cluster if the project does not have it.
project::Added with_found_plan(const project::State& state, const PlanCandidate& found);
/// Adds the plan for another profile of the project.
project::Added with_found_plan(const project::State& state, const PlanCandidate& found, int profile);

}  // namespace pipedeck::session::whatif
