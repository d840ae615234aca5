// SPDX-License-Identifier: Apache-2.0
// Joint's proofs. If the answer takes the lower bound over all plans, no plan is better. If all devices and all their
// paths are equal, the closed form is a lower bound under every schedule of whole passes. For the largest slice of a
// micro-batch is on the first replica of every stage, so its first sample meets the slowest replica and transfer
// everywhere. If then the whole dynamic programme finds nothing below the answer, that is a proof for chains. (In a
// layer graph it knows one order of a stage's layers, and all-reduces by layer depend on that order.)
#include <fmt/format.h>

#include "core/cost/lower_bound.hpp"
#include "core/planner/joint/orders.hpp"
#include "core/planner/joint/run.hpp"
#include "core/planner/joint/search.hpp"

namespace pipedeck::planner::joint {

namespace {

/// Returns the possible rounding error in seconds: the simulation rounds every operation to nanoseconds, the bounds are
/// exact.
double rounding(const Problem& problem) {
  return 4e-9 * (problem.workload.global_batch + 2 * static_cast<double>(problem.profile->layers.size()));
}

/// No pipeline has a closed form below `time`, memory left aside; where that is a bound and the search is whole.
bool prove_lower_bound(Run& run, double time) {
  const SimulationOptions& judged = run.problem.workload.conventions;
  if (judged.network != NetworkModel::ideal || judged.collectives != Collectives::best_ring ||
      judged.overlap == Overlap::bucket)
    return false;
  JointOrder& order = *run.pool.orders().front();
  if (run.min_bound < time || !run.problem.profile->is_chain() || !uniform_cluster(order.chain.network())) return false;
  JointCosts costs(order.layers, run.wanted.slice, true);
  std::vector<DeviceId> devices;
  for (int d = 0; d < order.chain.devices(); ++d) devices.push_back(DeviceId(d));
  std::size_t effort = 0;
  for (const int size : run.sizes) {
    const Found found = search_joint(costs, devices, size, {.below = time, .search_budget = joint_effort},
                                     run.context.stop, run.context.deadline_token);
    effort += found.effort;
    if (!found.whole || found.cut_short || !found.candidates.empty() || effort > 4 * joint_effort) return false;
  }
  return true;
}

}  // namespace

Result<void> certify_optimality(Run& run, Plan& plan) {
  TRY(const auto bound, cost::lower_bound_of(run.problem, plan));
  const double time = plan.objective->time->count;
  if (time <= bound.count + rounding(run.problem))
    plan.certificate.emplace().optimal_in = fmt::format("all {} plans, by simulated time: it equals their lower bound",
                                                        plan.synchronous() ? "synchronous" : "asynchronous");
  else if (plan.synchronous() && prove_lower_bound(run, time - rounding(run.problem)))
    plan.certificate.emplace().optimal_in =
        "synchronous plans of whole passes and even shares, whatever their stages, devices, micro-batch and schedule, "
        "by simulated time: no other has a closed form below";
  return {};
}

}  // namespace pipedeck::planner::joint
