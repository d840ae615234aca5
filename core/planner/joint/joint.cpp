// SPDX-License-Identifier: Apache-2.0
// joint: our own planner. It jointly searches the stages of any size on any devices, idle devices, replicas, tensor
// parallelism, uneven shares, recomputation, the micro-batch and the schedule. The objective is the simulated time.
//
// Method:
// 1. Seeds: the answers of all other planners in the registry, simulated. So the answer is never worse than the best of
//    them (seeds.cpp).
// 2. A dynamic programme with dominance over a closed form, on the ideals of the layer graph, for every micro-batch
//    size and several orders of the devices. Its candidates are simulated under every schedule, ascending by closed
//    form (programmes.cpp).
// 3. Local moves on the simulated time, from the best plan whose neighbours are unknown (improve.cpp). All within
//    a budget of evaluations.
// 4. With --schedule all, the best plans under every other synchronous schedule (schedules.cpp).
//
// The iteration of asynchronous seeds is that of the steady state, global batch / samples per second. Local moves
// improve them like other plans; --synchronous-only excludes them.
#include <algorithm>

#include <fmt/format.h>

#include "core/base/count_text.hpp"
#include "core/planner/joint/orders.hpp"
#include "core/planner/joint/run.hpp"
#include "core/planner/joint/search.hpp"
#include "core/planner/option_table.hpp"
#include "core/planner/planner_entries.hpp"
#include "core/planner/ranking.hpp"
#include "core/planner/relax.hpp"
#include "core/planner/search/memory_fit.hpp"
#include "core/planner/search/micro_batch_sizes.hpp"

namespace pipedeck::planner::joint {

namespace {

// Beyond these limits a run takes more than about twenty seconds, mostly for simulations.
constexpr std::int64_t max_devices = 16384, max_work = 160'000'000;  // layers x layers x devices

/// The options of a request.
struct Given {
  int evaluations = 2000;
  bool seeds = true;
  Schedules schedules = Schedules::any;
  bool synchronous_only = false, ignore_memory = false;
  int min_slice = 0;
};

const OptionTable<Given>& table() {
  static const OptionTable<Given> rows{{
      integer_option("evaluations", &Given::evaluations, "plans to simulate at most; large ones count as several"),
      choice_option("seeds", &Given::seeds, "auto: start from all other planners' plans, too",
                    {{"auto", true}, {"none", false}}),
      choice_option("schedule", &Given::schedules,
                    "any: search 1F1B and GPipe; all: and try the best plans under every other synchronous schedule; "
                    "else this one only. Seeds keep theirs",
                    {{"any", Schedules::any},
                     {"all", Schedules::all},
                     {"1f1b", Schedules::one_f_one_b},
                     {"gpipe", Schedules::gpipe}}),
      flag_option("synchronous-only", &Given::synchronous_only,
                  "only plans that flush; else the quickest may be asynchronous, on several versions of the weights"),
      flag_option("ignore-memory", &Given::ignore_memory, "also plans that do not fit"),
      integer_option("min-slice", &Given::min_slice,
                     "least samples of a micro-batch on a replica; 0: the smallest measured"),
  }};
  return rows;
}

Request wanted_of(const Given& given, const Profile& profile) {
  Request wanted;
  wanted.slice = search::min_replica_samples(profile, given.min_slice);
  wanted.ignore_memory = given.ignore_memory;
  wanted.synchronous_only = given.synchronous_only;
  wanted.seeds = given.seeds;
  wanted.schedules = given.schedules;
  wanted.evaluations = std::max(1, given.evaluations);
  return wanted;
}

/// The best of the pool and of plans in several dimensions, as joint's own.
Result<Ranking> answer(Run& run) {
  const bool cut_short = deadline_expired(run.context) || run.truncated;
  std::vector<ScoredPlan> best = std::move(run.meshes);
  for (auto& entry : run.pool.entries()) {
    entry.plan.certificate.reset();
    best.push_back({std::move(entry.plan), Seconds(entry.time)});
  }
  std::ranges::stable_sort(best, {}, &ScoredPlan::iteration);
  best.resize(std::min(best.size(), static_cast<std::size_t>(std::max(1, run.context.top))));
  Ranking ranking;
  for (auto& [plan, time] : best) {
    plan.planner = "joint";
    plan.name = "Pipedeck " + stage_shape_text(plan);
    plan.objective = simulated_objective(time);
    plan.predicted.reset();
    plan.rationale.clear();
    plan.merits.clear();
    if (run.too_many_ideals)
      plan.rationale.push_back(fmt::format(
          "The layer graph has more than {} cuts: searched in topological orders of it.", search::Ideals::most));
    plan.truncated = cut_short;
    ranking.plans.push_back(std::move(plan));
  }
  if (!cut_short && !has_mesh(ranking.plans.front())) TRY_VOID(certify_optimality(run, ranking.plans.front()));
  return ranking;
}

Result<Ranking> plan_with(Run& run) {
  TRY_VOID(run.pool.order_of(std::vector<LayerId>()));
  for (const auto step : {&run_seed_planners, &search_joint_plans, &improve_joint_plans, &reorder_joint_stages,
                          &reschedule_joint_plans}) {
    if (run.enough()) break;
    TRY_VOID(step(run));
    TRY_VOID(check_stop(run.context));
  }
  report(run.context.progress, 1, "done");
  if (run.empty()) return Ranking{};
  return answer(run);
}

Result<bool> any_plan(const Problem& problem, const std::vector<int>& sizes, const Request& wanted,
                      const PlannerContext& context) {
  TRY(auto chain, search::Chain::of(problem));
  JointOrder order(std::move(chain), wanted);
  const auto orders = joint_orders(order.chain);
  for (const bool recompute : {false, true})
    for (const int size : sizes)
      for (const auto& devices : orders) {
        const SearchOptions options{.search_budget = joint_effort, .recompute = recompute, .any_end = true};
        if (!search_joint(order.costs, devices, size, options, context.stop, {}).candidates.empty()) return true;
      }
  return false;
}

/// Has one of the other planners a plan that counts here? In large clusters asking them all takes too long.
Result<bool> any_seed(const Problem& problem, const std::vector<int>& sizes, const Request& wanted,
                      const PlannerOptions& options, const PlannerContext& context) {
  constexpr int max_devices = 64;
  Run run(problem, wanted, options, first_plan_context(context), sizes);
  TRY(const auto order, run.pool.order_of(std::vector<LayerId>()));
  if (order->chain.devices() > max_devices) return false;
  TRY_VOID(run_seed_planners(run));
  return !run.empty();
}

Result<Ranking> no_plan(const Problem& problem, const Request& wanted, const std::vector<int>& sizes,
                        const PlannerOptions& options, const PlannerContext& context) {
  const std::string pinned = problem.pins.empty() ? "" : " with these pins";
  if (!context.relax) return Ranking{{}, Infeasible{"no plan fits" + pinned, ""}};
  Request unlimited = wanted;
  unlimited.ignore_memory = true;
  TRY(const auto any, any_plan(problem, sizes, unlimited, context));
  if (!any) {
    TRY(const auto all_sizes, search::micro_batch_choices(problem.workload, 1));
    return infeasible_by_samples(
        fmt::format("no micro-batch gives every replica at least {}{}", counted(wanted.slice, "sample"), pinned),
        problem.workload, wanted.slice, [&](int slice) {
          Request fewer = wanted;
          fewer.slice = slice;
          return any_plan(problem, all_sizes, fewer, context);
        });
  }
  return infeasible_by_memory("no plan fits the devices' memory" + pinned, context, [&](Bytes more) -> Result<bool> {
    const Problem relaxed = with_more_memory(problem, more);
    const auto found = any_plan(relaxed, sizes, wanted, context);
    return !found || *found ? found : any_seed(relaxed, sizes, wanted, options, context);
  });
}

/// Returns mesh's answer: no other plans train adapters.
Result<Ranking> plan_adapters(const Problem& problem, const PlannerContext& context) {
  TRY(const auto* const mesh, find_planner("mesh"));
  TRY(auto ranking, run_planner(*mesh, problem, {}, context));
  for (Plan& plan : ranking.plans) {
    plan.planner = "joint";
    plan.name = "Pipedeck " + stage_shape_text(plan);
    plan.merits.clear();
  }
  return ranking;
}

Result<Ranking> plan_joint(const Problem& problem, const PlannerOptions& options, const PlannerContext& context) {
  if (problem.workload.adapters.rank > 0) return plan_adapters(problem, context);
  const auto layers = static_cast<std::int64_t>(problem.profile->layers.size());
  const auto devices = static_cast<std::int64_t>(devices_of(*problem.cluster).size());
  const std::int64_t squares = max_work / std::max<std::int64_t>(1, devices);  // without any Chain::of fails
  if (devices > max_devices || layers > squares / std::max<std::int64_t>(1, layers))
    return problem_too_large(
        fmt::format("{} layers on {} devices, at most {} devices and layers^2 x devices up to {} expected", layers,
                    devices, max_devices, max_work),
        problem);
  const Request wanted = wanted_of(table().read(options), *problem.profile);
  TRY(auto sizes, search::micro_batch_choices(problem.workload, 1));
  std::erase_if(sizes, [&](int size) { return size < wanted.slice; });
  Run run(problem, wanted, options, context, sizes);
  auto ranking = plan_with(run);
  if (!ranking || !ranking->plans.empty()) return ranking;
  TRY_VOID(check_stop(context));
  return no_plan(problem, wanted, sizes, options, context);
}

}  // namespace

PlannerInfo joint_planner() {
  return {
      .name = "joint",
      .title = "Pipedeck",
      .summary = "least simulated time over stages, devices, replicas, shares, recompute, schedules and micro-batches",
      .source = "Pipedeck's own search; starts from the plans of all others",
      .options = table().infos(),
      .plan = &plan_joint,
      .objective = {.compute = &simulated_time, .options = &evaluate_options<table>},
      .compared_by_default = true,
      .search_time = SearchTime::slow,
      .pins = {.stages = true, .max_stages = true, .replicas = true, .tensor_parallel = true, .layers = true},
      .trains_adapters = true};
}

}  // namespace pipedeck::planner::joint
