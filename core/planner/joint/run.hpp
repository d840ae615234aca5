// SPDX-License-Identifier: Apache-2.0
// One run of joint: the data that its steps share, and the steps. See joint.cpp for the method.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "core/planner/joint/pool.hpp"
#include "core/planner/ranking.hpp"

namespace pipedeck::planner::joint {

struct Run {
  Run(const Problem& asked, const Request& what, const PlannerOptions& given, const PlannerContext& how,
      std::vector<int> micro_batches)
      : problem(asked),
        wanted(what),
        options(given),
        context(how),
        sizes(std::move(micro_batches)),
        pool(problem, wanted, context) {}

  Problem problem;
  Request wanted;
  PlannerOptions options;
  PlannerContext context;
  std::vector<int> sizes;  ///< of micro-batches
  Pool pool;
  std::vector<ScoredPlan> meshes{};     ///< plans in several dimensions: the pool's moves do not know them
  std::unique_ptr<JointOrder> graph{};  ///< all orders at once; none for a chain, or where there are too many ideals
  bool too_many_ideals = false;
  bool truncated = false;                                      ///< true if some seed was
  double min_bound = std::numeric_limits<double>::infinity();  ///< least closed form found

  /// Returns true if time is over and there is an answer.
  bool enough() const { return deadline_expired(context) && !empty(); }
  bool empty() const { return pool.empty() && meshes.empty(); }
};

constexpr std::size_t joint_effort = 300000;  ///< maximum suffixes of a dynamic programme

/// 1. The answers of all other planners.
Result<void> run_seed_planners(Run& run);
/// 2. The dynamic programme, for each micro-batch and order of the devices, and what it lists simulated.
Result<void> search_joint_plans(Run& run);
/// 3. Local moves on the simulated time, as long as the budget lasts.
Result<void> improve_joint_plans(Run& run);
/// Other orders of a layer graph inside the stages of the best of them.
Result<void> reorder_joint_stages(Run& run);
/// 4. The best of them under the other schedules.
Result<void> reschedule_joint_plans(Run& run);
/// Sets the plan's certificate to the proven statement.
Result<void> certify_optimality(Run& run, Plan& plan);

}  // namespace pipedeck::planner::joint
