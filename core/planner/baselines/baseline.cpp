// SPDX-License-Identifier: Apache-2.0
#include "core/planner/baselines/baseline.hpp"
#include "core/planner/search/micro_batch_sizes.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace pipedeck::planner::baselines {

namespace {

constexpr double max_operations = 2e7;  // simulated in about a second

Result<bool> any_fits(const Baseline& baseline, const Problem& problem, const std::vector<int>& sizes, int slice) {
  TRY(auto chain, search::Chain::of(problem));
  for (const int size : sizes)
    for (Plan& plan : baseline.plans(chain, size, slice))
      if (baseline.fits(chain, plan)) return true;
  return false;
}

Result<Ranking> none(const Baseline& baseline, const Problem& problem, const std::vector<int>& sizes, int slice,
                     const PlannerContext& context) {
  TRY(auto chain, search::Chain::of(problem));
  const auto has_any = [&](search::Chain& of) {
    return std::any_of(sizes.begin(), sizes.end(), [&](int size) { return !baseline.plans(of, size, slice).empty(); });
  };
  const bool any = has_any(chain);
  if (!any && !problem.pins.layers.empty()) {
    Problem open = problem;
    open.pins.layers.clear();
    TRY(auto free, search::Chain::of(open));
    if (has_any(free))
      return Ranking{{}, Infeasible{"no placement of this planner's kind has the pinned layers on their devices", ""}};
  }
  if (!any) {
    if (!context.relax) return Ranking{{}, Infeasible{baseline.no_size, {}}};
    return infeasible_by_samples(baseline.no_size, problem.workload, slice,
                                 [&](int fewer) { return any_fits(baseline, problem, sizes, fewer); });
  }
  const std::string reason = "the plan does not fit its devices with any of the micro-batches";
  if (!context.relax) return Ranking{{}, Infeasible{reason, {}}};
  return infeasible_by_memory(
      reason, context, [&](Bytes more) { return any_fits(baseline, with_more_memory(problem, more), sizes, slice); });
}

}  // namespace

Result<Ranking> rank_baseline(const Baseline& baseline, const Problem& problem, int min_slice,
                              const PlannerContext& context) {
  TRY(auto chain, search::Chain::of(problem));
  const int slice = search::min_replica_samples(*problem.profile, min_slice);
  TRY(const auto sizes, search::micro_batch_choices(problem.workload, 1));

  std::vector<ScoredPlan> judged;
  bool truncated = false, large = false;
  for (std::size_t i = 0; i < sizes.size() && !truncated; ++i) {
    report(context.progress, static_cast<double>(i) / static_cast<double>(sizes.size()), "simulating");
    for (Plan& plan : baseline.plans(chain, sizes[i], slice)) {
      TRY_VOID(check_stop(context));
      if ((truncated = !judged.empty() && deadline_expired(context))) break;
      if (!baseline.fits(chain, plan)) continue;
      if (too_long_to_simulate(plan)) {
        large = true;
        continue;
      }
      TRY(const auto iteration, judge(context, plan, baseline.overlap));
      plan.objective = simulated_objective(iteration);
      note_plan(context);
      judged.push_back({std::move(plan), iteration});
    }
  }
  report(context.progress, 1, "done");
  if (judged.empty() && large) return too_long_ranking(problem);
  if (judged.empty()) return none(baseline, problem, sizes, slice, context);
  const std::size_t count = judged.size();
  Ranking ranking = ranked(std::move(judged), context);
  for (Plan& plan : ranking.plans) plan.truncated = truncated;
  if (!truncated)
    ranking.plans.front().certificate.emplace().optimal_in =
        fmt::format("this split with each of the {} micro-batches and warm-ups that fit: by simulated time", count);
  return ranking;
}

bool too_long_to_simulate(const Plan& plan) {
  double workers = 0;
  for (const Stage& stage : plan.stages) workers += stage.replicas();
  return 2 * workers * plan.micro_batches > max_operations;  // forwards and backwards of all replicas
}

Ranking too_long_ranking(const Problem& problem) {
  return problem_too_large(fmt::format("more than {:.0f} operations with any of the micro-batches", max_operations),
                           problem, "a larger --micro-batch");
}

Result<void> only(std::optional<int> pin, int has, const char* option, const PlannerInfo& planner) {
  if (!pin || *pin == has) return {};
  return fail(ErrorCode::bad_usage, fmt::format("{} is {}, planner {} has {} only", option, *pin, planner.name, has));
}

}  // namespace pipedeck::planner::baselines
