// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/plans/figures.hpp"

#include <cmath>

#include "app/text/in_qt.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/study/provenance.hpp"
#include "core/study/training_effects.hpp"
#include "core/study/utilization.hpp"

namespace pipedeck::session::plans {

namespace {

bool is_outdated(const Plan& plan, const study::Origin& origin, const Simulation& simulation) {
  const auto differs = [](const std::string& then, const std::string& now) { return !then.empty() && then != now; };
  if (differs(plan.profile_sha256, origin.profile_sha256) || differs(plan.cluster_sha256, origin.cluster_sha256))
    return true;
  if (!plan.predicted) return false;
  const Predicted& then = *plan.predicted;
  return then.network != simulation.network || then.overlap != simulation.overlap ||
         then.collectives != simulation.collectives ||
         std::abs(round_to_nanoseconds(then.iteration).count - simulation.iteration.count) > 1;
}

}  // namespace

Figures figures_of(const project::State& state, const project::PlanEntry& entry, const Plan& plan,
                   const Simulation& simulation) {
  Figures figures;
  const auto inputs = project::planning_inputs(state, entry.profile, entry.cluster);
  const auto problem = project::make_problem(state, entry);
  if (!inputs || !problem) return figures;
  figures.outdated = is_outdated(plan, inputs->origin, simulation);
  figures.provenance = text::to_qstring(study::provenance_line(*problem));
  figures.training = text::to_qstring(plan::training_text(study::training_effects(plan, *problem->profile)));
  if (inputs->work)
    figures.utilization = study::utilization_of(*inputs->work, *problem, plan, simulation.samples_per_second,
                                                presets::device_catalogue());
  return figures;
}

}  // namespace pipedeck::session::plans
