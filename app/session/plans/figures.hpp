// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of a plan in addition to its simulation's, and where they come from.
#pragma once

#include <optional>

#include <QString>

#include "app/session/project/state.hpp"
#include "core/model/simulation.hpp"
#include "core/model/utilization.hpp"

namespace pipedeck::session::plans {

struct Figures {
  std::optional<Utilization> utilization;  ///< absent: the profile knows no tokens
  bool outdated = false;  ///< model, cluster or settings changed after the planner ended: its proofs do not hold
  QString provenance;     ///< one line
  QString training;       ///< what the plan changes in training, one line: "nothing"
};

/// Returns the figures of an entry's plan, or of a changed one, that was simulated with the entry's model and cluster.
Figures figures_of(const project::State& state, const project::PlanEntry& entry, const Plan& plan,
                   const Simulation& simulation);

}  // namespace pipedeck::session::plans
