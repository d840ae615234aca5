// SPDX-License-Identifier: Apache-2.0
// joint's seeds: the answers of all other planners in the registry, so that joint is never worse than the best of them.
// Each planner gives its whole answer for a problem of any size. Most of its time goes into simulations, and a plan is
// not simulated if its own stages show that it cannot be among the best (PlanTimes). So the quickest planners run
// first, for an early answer, then mesh, amp and amp-sa, whose plans are good and which simulate few of them.
#include <algorithm>

#include <fmt/format.h>

#include "core/planner/joint/run.hpp"
#include "core/planner/ranking.hpp"

namespace pipedeck::planner::joint {

namespace {

bool accepts_option(const PlannerInfo& planner, const std::string& name) {
  return std::any_of(planner.options.begin(), planner.options.end(),
                     [&](const OptionInfo& option) { return option.name == name; });
}

/// Returns the planner's own defaults, and those of our options that it also has. Where DAPPLE's devices are too many
/// for its whole search, its coarse one takes longer than all of joint.
std::vector<PlannerOptions> seed_option_sets(const PlannerInfo& planner, const PlannerOptions& given) {
  PlannerOptions ours;
  for (const char* name : {"min-slice", "ignore-memory"})
    if (const auto found = given.find(name); found != given.end() && accepts_option(planner, name))
      ours[name] = found->second;
  PlannerOptions usual;
  if (accepts_option(planner, "device-multiple")) usual["device-multiple"] = "1";
  if (ours.empty()) return {usual};
  ours.insert(usual.begin(), usual.end());
  return {usual, ours};
}

/// Keeps a plan in several dimensions as it is, if it is one that was asked for.
void keep_mesh(Run& run, Plan plan) {
  const Schedules asked = run.wanted.schedules;
  if (asked == Schedules::gpipe || (asked == Schedules::one_f_one_b && plan.schedule != ScheduleKind::one_f_one_b))
    return;
  if (first_violation(plan, *run.problem.profile, run.problem.pins)) return;
  note_plan(run.context);
  const Seconds time = *plan.objective->time;
  run.meshes.push_back({std::move(plan), time});
}

/// No answer is no seed. A planner that can't honour a pin is asked without any: its answer may do so by itself.
Result<void> take_from(Run& run, const PlannerInfo& planner, const PlannerOptions& how) {
  PlannerContext context = run.context;
  if (!planner.of_transformers) context.score = run.pool.score();  // it does not know degrees of version 2
  context.progress = {};
  context.relax = context.explain = false;
  // A seed that may be refused is no plan yet.
  if (run.wanted.synchronous_only || run.problem.workload.micro_batch || !run.problem.pins.empty())
    context.found_plan = {};
  context.top = accepts_option(planner, "synchronous") ? 2 : 1;  // the second is its synchronous plan
  auto ranking = run_planner(planner, run.problem, how, context);
  if (!ranking && ranking.error().code == ErrorCode::bad_usage && !run.problem.pins.empty()) {
    Problem free = run.problem;
    free.pins = {};
    ranking = run_planner(planner, free, how, context);
  }
  if (!ranking) return ranking.error().code == ErrorCode::cancelled ? tl::unexpected(ranking.error()) : Result<void>();
  for (Plan& plan : ranking->plans) {
    run.truncated |= plan.truncated;
    if (has_mesh(plan)) {
      keep_mesh(run, std::move(plan));
      continue;
    }
    TRY_VOID(run.pool.add_initial_plan(std::move(plan)));
  }
  return {};
}

/// Returns the planners in order of running; the quickest come last in the registry.
std::vector<const PlannerInfo*> in_turn() {
  std::vector<const PlannerInfo*> order;
  for (const PlannerInfo& planner : planners())
    if (planner.name != "joint" && !planner.plain_choice) order.insert(order.begin(), &planner);
  const auto early = [](const PlannerInfo* planner) {
    return planner->name == "single" || planner->name == "megatron" || planner->name == "amp" ||
           planner->name == "amp-sa" || planner->of_transformers;
  };
  std::stable_partition(order.begin(), order.end(), early);
  return order;
}

}  // namespace

Result<void> run_seed_planners(Run& run) {
  if (!run.wanted.seeds) return {};
  const std::vector<const PlannerInfo*> others = in_turn();
  for (std::size_t i = 0; i < others.size() && !run.enough(); ++i) {
    report(run.context.progress, 0.3 * static_cast<double>(i) / static_cast<double>(others.size()),
           fmt::format("asking {}", others[i]->name));
    for (const PlannerOptions& how : seed_option_sets(*others[i], run.options))
      TRY_VOID(take_from(run, *others[i], how));
  }
  return {};
}

}  // namespace pipedeck::planner::joint
