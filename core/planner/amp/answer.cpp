// SPDX-License-Identifier: Apache-2.0
#include "core/planner/amp/answer.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "core/planner/search/memory_fit.hpp"
#include "core/planner/search/micro_batch_sizes.hpp"

namespace pipedeck::planner::amp {

namespace {

constexpr std::string_view no_memory =
    "no strategy fits the devices' memory with 1F1B's whole warm-up, with or without recomputation";

Plan plan_of(const search::Chain& chain, const Candidate& candidate, const std::string& planner, bool printed) {
  const Strategy& strategy = candidate.strategy;
  Plan plan = chain.plan_of(planner, strategy.micro_batch);
  for (int s = 0, first = 0; s < strategy.stages; ++s) {
    const int last = candidate.assignment.ends[static_cast<std::size_t>(s)];
    plan.stages.push_back(search::stage_on(first, last, stage_devices(strategy, candidate.placement, s)));
    plan.stages.back().tensor_parallel = strategy.tensor_parallel;
    first = last;
  }
  plan.objective =
      Objective{printed ? "AMP eq. 4, v / b as printed" : "AMP eq. 4, T", Seconds(candidate.assignment.time), {}};
  plan.name = "AMP " + degrees_text(strategy);
  return plan;
}

Result<bool> any_possible(const Problem& problem, const Options& options, const PlannerContext& context) {
  TRY(auto chain, search::Chain::of(problem));
  TRY(const auto strategies, amp_strategies(chain, options));
  AmpCosts costs(chain, options);
  for (const Strategy& strategy : strategies) {
    TRY_VOID(check_stop(context));
    if (Assigner(costs.task(strategy, megatron_placement(strategy)), context.stop).possible()) return true;
  }
  return false;
}

Result<Ranking> no_strategy(const Problem& problem, const Options& options, bool idle_is_an_option,
                            const PlannerContext& context) {
  const std::string reason = fmt::format(
      "no pp x dp x tmp is {} devices with a layer for every stage and whole micro-batches of {} or more samples per "
      "replica{}",
      options.allow_idle ? fmt::format("at most {}", devices_of(*problem.cluster).size())
                         : fmt::format("{}", devices_of(*problem.cluster).size()),
      options.slice, problem.pins.empty() ? "" : " that keeps the pins");
  if (!context.relax) return Ranking{{}, Infeasible{reason, {}}};
  Options relaxed = options;
  relaxed.allow_idle = true;
  TRY(const auto helps, idle_is_an_option ? any_possible(problem, relaxed, context) : Result<bool>(false));
  if (helps) return Ranking{{}, Infeasible{reason, "--allow-idle"}};
  return infeasible_by_samples(reason, problem.workload, options.slice, [&](int slice) {
    Options fewer = options;
    fewer.slice = slice;
    return any_possible(problem, fewer, context);
  });
}

/// Returns nothing if the stages fit one by one, but some only with and some only without recomputation.
Result<std::optional<ScoredPlan>> judged(search::Chain& chain, const Candidate& candidate, const std::string& planner,
                                         const Options& options, const PlannerContext& context) {
  const Plan plan = plan_of(chain, candidate, planner, options.printed);
  std::optional<ScoredPlan> best;
  for (const Warmup policy : {Warmup::A, Warmup::B}) {
    Plan variant = plan;
    if (!search::set_warmup(chain, variant, policy, search::when_short(options.ignore_memory))) continue;
    if (!context.score) return std::optional(ScoredPlan{std::move(variant), {}});
    TRY(const auto iteration, judge(context, variant));
    if (!best || iteration < best->iteration) best = ScoredPlan{std::move(variant), iteration};
    if (plan.stages.size() == 1) break;
  }
  return best;
}

}  // namespace

Result<Ranking> ranking(search::Chain& chain, Answer answer, const PlannerContext& context) {
  std::vector<ScoredPlan> all;
  for (const Candidate& candidate : answer.best) {
    TRY_VOID(check_stop(context));
    if (deadline_expired(context) && !all.empty()) {
      answer.truncated = true;
      break;
    }
    report(context.progress, 0.9, "simulating");
    TRY(auto found, judged(chain, candidate, answer.planner, answer.options, context));
    if (!found) continue;
    ScoredPlan& one = *found;
    if (!answer.simulated) one.iteration = Seconds(candidate.assignment.time);
    one.plan.certificate = Certificate{{}, {}, 0, answer.optimal_in(candidate, all.empty() && !answer.simulated)};
    all.push_back(std::move(one));
  }
  if (all.empty()) return Ranking{{}, Infeasible{std::string(no_memory), {}}};
  for (ScoredPlan& one : all)
    if ((one.plan.truncated = answer.truncated)) one.plan.certificate.reset();
  report(context.progress, 1, "done");
  return ranked(std::move(all), context);
}

bool needs_trials(const Result<Ranking>& answer, const Given& given, const PlannerContext& context) {
  if (!answer || answer->plans.empty() || given.simulated || !context.score || deadline_expired(context)) return false;
  return std::ranges::any_of(answer->plans.front().stages, [](const Stage& stage) { return stage.recompute.any(); });
}

std::string degrees_text(const Strategy& strategy) {
  return fmt::format("pp {}, dp {}, tmp {}", strategy.stages, strategy.replicas, strategy.tensor_parallel);
}

std::string measure_text(const search::Chain& chain, const Options& options) {
  const bool pins = !chain.problem().pins.empty();
  const std::string_view kept = options.ignore_memory ? (pins ? " that keep the pins" : "")
                                                      : (pins ? " that fit and keep the pins" : " that fit");
  return fmt::format("{}: by T, eq. 4{}", kept, options.printed ? " with v / b as printed" : "");
}

std::string assignments_text(const search::Chain& chain, const Strategy& strategy, const Options& options) {
  return fmt::format("layer assignments of {} and micro-batch {} in this placement{}", degrees_text(strategy),
                     strategy.micro_batch, measure_text(chain, options));
}

std::optional<Infeasible> too_large(const search::Chain& chain) {
  if (chain.layers() <= amp_most_layers && chain.devices() <= amp_most_devices) return {};
  return problem_too_large(fmt::format("{} layers on {} devices, amp takes at most {} on {}", chain.layers(),
                                       chain.devices(), amp_most_layers, amp_most_devices),
                           chain.problem())
      .infeasible;
}

Result<Ranking> amp_no_plan(const Problem& problem, const Options& options, const PlannerContext& context,
                            const std::function<Result<bool>(const Problem&)>& annealed) {
  TRY(auto chain, search::Chain::of(problem));
  TRY(const auto strategies, amp_strategies(chain, options));
  if (strategies.empty()) return no_strategy(problem, options, !annealed, context);

  Options unlimited = options;
  unlimited.ignore_memory = true;
  TRY(const auto any, any_possible(problem, unlimited, context));
  if (!any) return Ranking{{}, Infeasible{"no placement has every pinned layer on its device", ""}};
  const std::string reason(no_memory);
  if (!context.relax) return Ranking{{}, Infeasible{reason, {}}};
  return infeasible_by_memory(reason, context, [&](Bytes more) {
    const Problem relaxed = with_more_memory(problem, more);
    return annealed ? annealed(relaxed) : any_possible(relaxed, options, context);
  });
}

OptionTable<Given> option_table(std::vector<OptionRow<Given>> more) {
  std::vector<OptionRow<Given>> rows{
      choice_option("rank-by", &Given::simulated,
                    "objective: the plan of least T, eq. 4; simulated: the best simulated one; auto: by T, and by "
                    "simulation if the plan of least T recomputes, which T leaves out",
                    {{"auto", std::nullopt}, {"objective", false}, {"simulated", true}}),
      integer_option("simulations", &Given::simulations, "with --rank-by simulated: strategies to simulate at most"),
      flag_option("ignore-memory", &Given::ignore_memory, "also plans that do not fit, as in the paper"),
      flag_option("printed-objective", &Given::printed, "transfers as printed: v / b, one way, no latency"),
      integer_option("min-slice", &Given::min_slice,
                     "least samples of a micro-batch on a replica; 0: the smallest measured"),
  };
  std::move(more.begin(), more.end(), std::back_inserter(rows));
  return rows;
}

Options amp_options(const Given& given, const Profile& profile) {
  return {.printed = given.printed,
          .ignore_memory = given.ignore_memory,
          .slice = search::min_replica_samples(profile, given.min_slice)};
}

std::size_t amp_wanted(const Given& given, const PlannerContext& context) {
  return static_cast<std::size_t>(std::max({1, context.top, given.simulated.value_or(false) ? given.simulations : 1}));
}

}  // namespace pipedeck::planner::amp
