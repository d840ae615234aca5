// SPDX-License-Identifier: Apache-2.0
// PipeDream (Narayanan et al., SOSP 2019), section 3.1: layers are cut into stages, stages replicated, such that the
// slowest stage takes the least time a mini-batch. The recurrences run over the levels of the cluster (devices in a
// node, nodes in the cluster), from the lowest up; see pipedream_search.cpp for them and for what we mend:
//   - the weight synchronisation moves (m - 1) / m |w| each way, as the text says, not (m - 1) |w| as printed
//     (--printed-objective gives the latter);
//   - a stage of all m components is an answer too, which the printed minimum leaves out;
//   - stage s keeps K_s = ceil(sum_{t >= s} r_t / r_s) weight versions and activations, and must fit with them and with
//     what waits at its boundaries (--ignore-memory leaves that out as the paper's optimizer does).
// Its own schedule is asynchronous: a mini-batch is never cut, replicas take them in turn. --synchronous asks instead
// for the same partition under 1F1B, with the micro-batch that simulates best (the comparison of DAPPLE, section VI-F).
#include <fmt/format.h>

#include "core/planner/memory_fit.hpp"
#include "core/planner/pipedream_search.hpp"
#include "core/planner/planner_entries.hpp"
#include "core/planner/ranking.hpp"

namespace pipedeck {

namespace {

struct Wanted {
  PipedreamOptions search;
  bool synchronous = false;
  int min_slice = 0;
};

Wanted wanted_of(const PlannerOptions& options) {
  const PlannerInfo info = pipedream_planner();
  return {{.flat = choice(info, options, "levels") == "flat",
           .ignore_memory = flag(info, options, "ignore-memory"),
           .printed_objective = flag(info, options, "printed-objective")},
          flag(info, options, "synchronous"),
          integer(info, options, "min-slice")};
}

/// Samples of a mini-batch, as the profile has them unless the user says otherwise.
Result<int> mini_batch(const Problem& problem) {
  const int size = problem.workload.micro_batch.value_or(problem.profile->micro_batch);
  if (size < 1 || problem.workload.global_batch % size != 0)
    return fail(ErrorCode::bad_usage,
                fmt::format("mini-batches of {} samples, a divisor of the global batch {} expected", size,
                            problem.workload.global_batch));
  return size;
}

Plan asynchronous_plan(const Chain& chain, const PipedreamAnswer& answer, int size) {
  Plan plan = chain.plan_of("pipedream", size);
  plan.schedule = ScheduleKind::pipedream;
  plan.stages = answer.stages;
  plan.objective = Objective{"PipeDream slowest stage A^L", answer.slowest, {}};
  plan.name = "PipeDream " + shape_text(plan);
  return plan;
}

/// The partition under 1F1B with each micro-batch that gives every replica whole samples and fits.
std::vector<Plan> synchronous_plans(Chain& chain, const PipedreamAnswer& answer, const Wanted& wanted) {
  Workload open = chain.workload();
  open.micro_batch.reset();  // the mini-batch of a replica says nothing of the micro-batch of a flush
  const int slice = smallest_slice(chain.profile(), wanted.min_slice);
  const auto sizes = micro_batch_choices(open, 1);
  std::vector<Plan> plans;
  for (const int size : sizes.value_or(std::vector<int>())) {
    Plan plan = chain.plan_of("pipedream", size);
    plan.stages = answer.stages;
    plan.name = "PipeDream " + shape_text(plan) + ", synchronous";
    bool whole = true;
    for (const Stage& stage : plan.stages) whole &= size / stage.replicas() >= slice;
    for (const Warmup policy : {Warmup::A, Warmup::B})
      if (whole && set_warmup(chain, plan, policy, wanted.search.ignore_memory)) plans.push_back(plan);
  }
  return plans;
}

Result<std::vector<Judged>> judged(std::vector<Plan> plans, const PlannerContext& context) {
  std::vector<Judged> all;
  for (Plan& plan : plans) {
    if (auto stopped = check_stop(context); !stopped) return tl::unexpected(stopped.error());
    const auto iteration = judge(context, plan);
    if (!iteration) return tl::unexpected(iteration.error());
    plan.objective = simulated_objective(*iteration);
    all.push_back({std::move(plan), *iteration});
  }
  return all;
}

Result<bool> any_plan(const Problem& problem, int size, const Wanted& wanted, const PlannerContext& context) {
  auto chain = Chain::of(problem);
  if (!chain) return tl::unexpected(chain.error());
  const auto answer = PipedreamSearch(*chain, size, wanted.search, context.stop).run();
  if (auto stopped = check_stop(context); !stopped) return tl::unexpected(stopped.error());
  return answer && (!wanted.synchronous || !synchronous_plans(*chain, *answer, wanted).empty());
}

Result<Ranking> no_plan(const Problem& problem, int size, const Wanted& wanted, const PlannerContext& context) {
  Wanted unlimited = wanted;
  unlimited.search.ignore_memory = true;
  const auto any = any_plan(problem, size, unlimited, context);
  if (!any) return tl::unexpected(any.error());
  if (!*any) {
    Workload open = problem.workload;
    open.micro_batch.reset();
    return too_few_samples("no micro-batch gives every replica of the partition as many samples as were measured", open,
                           smallest_slice(*problem.profile, wanted.min_slice), [&](int fewer) {
                             Wanted relaxed = wanted;
                             relaxed.min_slice = fewer;
                             return any_plan(problem, size, relaxed, context);
                           });
  }
  const std::string reason =
      wanted.synchronous
          ? "the partition does not fit under a synchronous schedule, whatever the micro-batch"
          : fmt::format("no partition fits: every stage keeps its weight versions and mini-batches of {} samples",
                        size);
  return nothing_fits(reason, context,
                      [&](Bytes more) { return any_plan(with_more_memory(problem, more), size, wanted, context); });
}

/// The profile's mini-batch was not asked for: where it does not divide, there is no plan, and no fault of the user's.
std::optional<Infeasible> without_mini_batch(const Problem& problem) {
  const int size = problem.profile->micro_batch, batch = problem.workload.global_batch;
  if (problem.workload.micro_batch || batch % size == 0) return std::nullopt;
  return Infeasible{fmt::format("mini-batches of {} samples, as in the profile, do not divide {}", size, batch),
                    fmt::format("a global batch that {} divides, or --micro-batch with a divisor of {}", size, batch)};
}

Result<Ranking> plan_pipedream(const Problem& problem, const PlannerOptions& options, const PlannerContext& context) {
  const Wanted wanted = wanted_of(options);
  auto chain = Chain::of(problem);
  if (!chain) return tl::unexpected(chain.error());
  if (auto none = without_mini_batch(problem)) return Ranking{{}, *std::move(none)};
  const auto size = mini_batch(problem);
  if (!size) return tl::unexpected(size.error());

  report(context.progress, 0, "partitioning");
  const auto answer = PipedreamSearch(*chain, *size, wanted.search, context.stop).run();
  if (auto stopped = check_stop(context); !stopped) return tl::unexpected(stopped.error());
  if (!answer) return no_plan(problem, *size, wanted, context);

  Ranking ranking;
  if (!wanted.synchronous) ranking.plans.push_back(asynchronous_plan(*chain, *answer, *size));
  if (wanted.synchronous || context.top > 1) {
    report(context.progress, 0.5, "simulating the synchronous plans");
    auto plans = judged(synchronous_plans(*chain, *answer, wanted), context);
    if (!plans) return tl::unexpected(plans.error());
    PlannerContext rest = context;
    rest.top = wanted.synchronous ? context.top : 1;
    for (Plan& plan : ranked(std::move(*plans), rest).plans) ranking.plans.push_back(std::move(plan));
  }
  report(context.progress, 1, "done");
  if (ranking.plans.empty()) return no_plan(problem, *size, wanted, context);
  return ranking;
}

}  // namespace

PlannerInfo pipedream_planner() {
  return {
      .name = "pipedream",
      .title = "PipeDream",
      .summary = "least time of the slowest stage, over the levels of the cluster; asynchronous",
      .source = "Narayanan et al., PipeDream: Generalized Pipeline Parallelism for DNN Training, SOSP 2019",
      .options = {{"levels",
                   OptionType::choice,
                   "auto: devices in a node, nodes in the cluster; flat: one level",
                   "auto",
                   {"auto", "flat"}},
                  {"synchronous",
                   OptionType::flag,
                   "the same partition under 1F1B, at the micro-batch that simulates best",
                   "false",
                   {}},
                  {"ignore-memory", OptionType::flag, "also plans that do not fit, as in the paper", "false", {}},
                  {"printed-objective", OptionType::flag, "the synchronisation term exactly as printed", "false", {}},
                  {"min-slice",
                   OptionType::integer,
                   "synchronous: least samples of a micro-batch on a replica; 0: the smallest measured",
                   "0",
                   {}}},
      .plan = &plan_pipedream,
      .compared_by_default = true};
}

}  // namespace pipedeck
