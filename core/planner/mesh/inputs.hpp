// SPDX-License-Identifier: Apache-2.0
// A problem as the planners of meshes see it, and their plans.
#pragma once

#include <functional>
#include <string>

#include "core/mesh/rates.hpp"
#include "core/planner/mesh/space.hpp"
#include "core/planner/planner.hpp"

namespace pipedeck::planner::mesh {

using pipedeck::mesh::Rates;

/// Returns an answer without a plan.
Ranking refused(std::string reason, std::string relaxation);

/// Returns the answer of `plan`. Answers without a plan have the reason: a profile that is not computed from a
/// transformer, and times that are not known. `planner`: its name, for the reason.
Result<Ranking> ranked_on(const Problem& problem, const std::string& planner,
                          const std::function<Result<Ranking>(const Rates&)>& plan);

/// Returns the question of plain data parallelism on all devices, with the habits of Megatron-LM. `products`: the
/// precision of large products; empty: the profile's.
Result<Question> base_of(const Problem& problem, const std::string& products);

/// Sets what the problem's pins and workload ask of a space: degrees, batch and micro-batch.
void limit(Space& space, const Problem& problem);

/// Returns the plan of a point, named "Mesh TP 2 · DP 8" for the title "Mesh".
Plan plan_of(const Problem& problem, const Question& base, const Space& space, const Point& point,
             const std::string& planner, const std::string& title);

/// Returns the simulated time of a plan; infinity if it does not fit by simulation, or if the deadline ends that.
Result<Seconds> judge_with_room(const PlannerContext& context, const Plan& plan);

}  // namespace pipedeck::planner::mesh
