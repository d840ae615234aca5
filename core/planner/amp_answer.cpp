// SPDX-License-Identifier: Apache-2.0
#include "core/planner/amp_answer.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/planner/memory_fit.hpp"

namespace pipedeck {

namespace {

constexpr int most_layers = 1000, most_devices = 4096;

Plan plan_of(const Chain& chain, const AmpCandidate& candidate, const std::string& planner, bool printed) {
  const AmpStrategy& strategy = candidate.strategy;
  Plan plan = chain.plan_of(planner, strategy.micro_batch);
  for (int s = 0, first = 0; s < strategy.stages; ++s) {
    const int last = candidate.assignment.ends[static_cast<std::size_t>(s)];
    plan.stages.push_back(stage_on(first, last, stage_devices(strategy, candidate.placement, s)));
    plan.stages.back().tensor_parallel = strategy.tensor_parallel;
    first = last;
  }
  plan.objective =
      Objective{printed ? "AMP eq. 4, v / b as printed" : "AMP eq. 4, T", Seconds(candidate.assignment.time), {}};
  plan.name = "AMP " + shape_text(plan);
  if (strategy.tensor_parallel > 1) plan.name += fmt::format(", tensor parallel {}", strategy.tensor_parallel);
  return plan;
}

Result<bool> any_possible(const Problem& problem, const AmpOptions& options, const PlannerContext& context) {
  auto chain = Chain::of(problem);
  if (!chain) return tl::unexpected(chain.error());
  const auto strategies = amp_strategies(*chain, options);
  if (!strategies) return tl::unexpected(strategies.error());
  AmpCosts costs(*chain, options);
  for (const AmpStrategy& strategy : *strategies) {
    if (auto stopped = check_stop(context); !stopped) return tl::unexpected(stopped.error());
    if (AmpAssigner(costs.task(strategy, megatron_placement(strategy))).possible()) return true;
  }
  return false;
}

Result<Ranking> no_strategy(const Problem& problem, const AmpOptions& options, const PlannerContext& context) {
  const std::string reason = fmt::format(
      "no pp x dp x tmp {} {} devices with a layer for every stage and whole micro-batches of at least {} samples a "
      "replica{}",
      options.allow_idle ? "is at most" : "is", devices_of(*problem.cluster).size(), options.slice,
      problem.pins.empty() ? "" : " that keeps the pins");
  if (!context.relax) return Ranking{{}, Infeasible{reason, {}}};
  AmpOptions relaxed = options;
  relaxed.allow_idle = true;
  const auto helps = any_possible(problem, relaxed, context);
  if (!helps) return tl::unexpected(helps.error());
  if (*helps) return Ranking{{}, Infeasible{reason, "--allow-idle"}};
  return too_few_samples(reason, problem.workload, options.slice, [&](int slice) {
    AmpOptions fewer = options;
    fewer.slice = slice;
    return any_possible(problem, fewer, context);
  });
}

}  // namespace

Result<Judged> amp_judged(Chain& chain, const AmpCandidate& candidate, const std::string& planner,
                          const AmpOptions& options, const PlannerContext& context) {
  const Plan plan = plan_of(chain, candidate, planner, options.printed);
  std::optional<Judged> best;
  for (const Warmup policy : {Warmup::A, Warmup::B}) {
    Plan variant = plan;
    if (!set_warmup(chain, variant, policy, options.ignore_memory))
      return fail(ErrorCode::internal, planner + " searched a plan that does not fit");
    if (!context.score) return Judged{std::move(variant), {}};
    const auto iteration = judge(context, variant);
    if (!iteration) return tl::unexpected(iteration.error());
    if (!best || *iteration < best->iteration) best = Judged{std::move(variant), *iteration};
    if (plan.stages.size() == 1) break;
  }
  return std::move(*best);
}

std::optional<Infeasible> amp_too_large(const Chain& chain) {
  if (chain.layers() <= most_layers && chain.devices() <= most_devices) return {};
  return Infeasible{fmt::format("too large: {} layers on {} devices, amp takes at most {} on {}", chain.layers(),
                                chain.devices(), most_layers, most_devices),
                    "planner data-parallel can"};
}

Infeasible amp_too_unlike() {
  return {
      "too large: pipelines on devices so unlike that millions of partial assignments are no worse than one another",
      "planner dapple can"};
}

Result<Ranking> amp_no_plan(const Problem& problem, const AmpOptions& options, const PlannerContext& context) {
  auto chain = Chain::of(problem);
  if (!chain) return tl::unexpected(chain.error());
  const auto strategies = amp_strategies(*chain, options);
  if (!strategies) return tl::unexpected(strategies.error());
  if (strategies->empty()) return no_strategy(problem, options, context);

  AmpOptions unlimited = options;
  unlimited.ignore_memory = true;
  const auto any = any_possible(problem, unlimited, context);
  if (!any) return tl::unexpected(any.error());
  if (!*any) return Ranking{{}, Infeasible{"no placement has every pinned layer on its device", "other pins"}};
  const std::string reason = "no strategy fits the devices' memory, with one micro-batch at a time on every stage";
  if (!context.relax) return Ranking{{}, Infeasible{reason, {}}};
  return nothing_fits(reason, context,
                      [&](Bytes more) { return any_possible(with_more_memory(problem, more), options, context); });
}

std::vector<OptionInfo> amp_option_table() {
  return {{"rank-by",
           OptionType::choice,
           "objective: the plan of least T, eq. 4; simulated: the best simulated one",
           "objective",
           {"objective", "simulated"}},
          {"simulations", OptionType::integer, "with --rank-by simulated: strategies to simulate at most", "64", {}},
          {"allow-idle", OptionType::flag, "plans that leave devices idle, too", "false", {}},
          {"ignore-memory", OptionType::flag, "also plans that do not fit, as in the paper", "false", {}},
          {"printed-objective", OptionType::flag, "transfers as printed: v / b, one way, no latency", "false", {}},
          {"min-slice",
           OptionType::integer,
           "least samples of a micro-batch on a replica; 0: the smallest measured",
           "0",
           {}}};
}

AmpOptions amp_options(const PlannerInfo& info, const PlannerOptions& options, const Profile& profile) {
  return {.printed = flag(info, options, "printed-objective"),
          .allow_idle = flag(info, options, "allow-idle"),
          .ignore_memory = flag(info, options, "ignore-memory"),
          .slice = smallest_slice(profile, integer(info, options, "min-slice"))};
}

}  // namespace pipedeck
