// SPDX-License-Identifier: GPL-3.0-or-later
// What was found on other hardware, taken into the project: pure functions of its state, one step of undo each.
#pragma once

#include <memory>

#include "app/session/project_state.hpp"
#include "core/domain/what_if.hpp"

namespace pipedeck::app {

/// The changed cluster as one of the project's, named after the question's; `id` is that of an equal one where there is
/// one already. What is asked stays as it is.
Added with_what_if_cluster(const ProjectState& state, const Cluster& changed);

/// The plan, for the question's model on the cluster that it was found for, which comes along where the project has it
/// not.
Added with_found_plan(const ProjectState& state, const FoundPlan& found);
/// The same for another of the project's models.
Added with_found_plan(const ProjectState& state, const FoundPlan& found, int profile);

}  // namespace pipedeck::app
