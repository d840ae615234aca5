// SPDX-License-Identifier: Apache-2.0
// The rules of Megatron-LM (Narayanan et al., SC 2021) as section 4.1 of the AMP paper summarises them, AMP's baseline.
// For each micro-batch size, tensor parallelism is at most as wide as the smallest node. Among the degrees with pp x dp
// x tmp = |D| the smallest pp x tmp that fits is taken. Devices are in order, tensor parallelism innermost, then data,
// then pipeline parallelism. Stages have numbers of layers, or (--balance parameters) weights, as equal as possible.
// Simulation decides among degrees of equal product, micro-batch sizes and warm-up policies. A list has each strategy
// once. A fixed --micro-batch is that of all replicas together; then the smallest product of all counts.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "core/base/count_text.hpp"
#include "core/plan/warmups.hpp"
#include "core/planner/amp/answer.hpp"
#include "core/planner/baselines/baseline.hpp"
#include "core/planner/option_table.hpp"
#include "core/planner/planner_entries.hpp"
#include "core/planner/ranking.hpp"
#include "core/planner/search/blocks.hpp"
#include "core/planner/search/memory_fit.hpp"
#include "core/planner/search/micro_batch_sizes.hpp"

namespace pipedeck::planner::baselines {

namespace {

struct Rules {
  bool even_parameters = false, ignore_memory = false;
  int slice = 1;
};

/// Blocks whose heaviest is lightest: what balances times balances bytes as well.
std::vector<int> even_parameters(const search::Chain& chain, int stages) {
  search::PassTimes weights;
  for (int p = 0; p <= chain.layers(); ++p)
    weights.forward.push_back(static_cast<double>(chain.parameters(0, p).count)), weights.backward.push_back(0);
  return search::balanced_blocks(std::vector<const search::PassTimes*>(static_cast<std::size_t>(stages), &weights),
                                 chain.layers());
}

int smallest_node(const cost::Network& network) {
  std::vector<int> sizes(static_cast<std::size_t>(network.node_count()), 0);
  for (int d = 0; d < network.device_count(); ++d) ++sizes[network.node_of(DeviceId(d)).index()];
  return *std::min_element(sizes.begin(), sizes.end());
}

Plan plan_of(const search::Chain& chain, const amp::Strategy& strategy, const Rules& rules) {
  Plan plan = chain.plan_of("megatron", strategy.micro_batch);
  const std::vector<int> ends = rules.even_parameters ? even_parameters(chain, strategy.stages)
                                                      : search::even_layers(chain.layers(), strategy.stages);
  int first = 0;
  for (int s = 0; s < strategy.stages; first = ends[static_cast<std::size_t>(s++)]) {
    const auto devices = amp::stage_devices(strategy, amp::megatron_placement(strategy), s);
    plan.stages.push_back(search::stage_on(first, ends[static_cast<std::size_t>(s)], devices));
    plan.stages.back().tensor_parallel = strategy.tensor_parallel;
  }
  plan.name = fmt::format("Megatron {}, {}", amp::degrees_text(strategy),
                          rules.even_parameters ? "even parameters" : "even layers");
  return plan;
}

/// Strategies that the rules consider, of each micro-batch size in the order of pp x tmp.
Result<std::vector<std::vector<amp::Strategy>>> considered(const search::Chain& chain, const Rules& rules) {
  TRY(auto all, amp::amp_strategies(chain, {.ignore_memory = rules.ignore_memory, .slice = rules.slice}));
  const int widest = smallest_node(chain.network());
  std::map<int, std::vector<amp::Strategy>> by_size;
  for (const amp::Strategy& strategy : all)
    if (strategy.tensor_parallel <= widest)
      by_size[chain.workload().micro_batch ? 0 : strategy.samples()].push_back(strategy);
  std::vector<std::vector<amp::Strategy>> groups;
  for (auto& [size, strategies] : by_size) {
    std::stable_sort(strategies.begin(), strategies.end(), [](const amp::Strategy& a, const amp::Strategy& b) {
      return a.stages * a.tensor_parallel < b.stages * b.tensor_parallel;
    });
    groups.push_back(std::move(strategies));
  }
  return groups;
}

std::vector<int> warmups(const Plan& plan) {
  return plan.warmup_counts.value_or(
      plan::policy_warmups(static_cast<int>(plan.stages.size()), plan.micro_batches, plan.warmup));
}

/// The plans of the least pp x tmp that fits, with each warm-up policy.
std::vector<Plan> chosen(search::Chain& chain, const std::vector<amp::Strategy>& strategies, const Rules& rules) {
  std::vector<Plan> plans;
  int product = 0;
  for (const amp::Strategy& strategy : strategies) {
    if (!plans.empty() && strategy.stages * strategy.tensor_parallel > product) break;
    Plan plan = plan_of(chain, strategy, rules);
    if (first_violation(plan, chain.profile(), chain.problem().pins)) continue;
    for (const Warmup policy : {Warmup::A, Warmup::B}) {
      Plan one = plan;
      if (!search::set_warmup(chain, one, policy, search::when_short(rules.ignore_memory))) continue;
      if (plans.empty() || plans.back().stages != one.stages || warmups(plans.back()) != warmups(one))
        plans.push_back(std::move(one));
    }
    product = strategy.stages * strategy.tensor_parallel;
  }
  return plans;
}

Result<bool> any_plan(const Problem& problem, const Rules& rules, const PlannerContext& context) {
  TRY(auto chain, search::Chain::of(problem));
  TRY(const auto groups, considered(chain, rules));
  for (const auto& strategies : groups) {
    TRY_VOID(check_stop(context));
    if (!chosen(chain, strategies, rules).empty()) return true;
  }
  return false;
}

Result<Ranking> no_plan(const Problem& problem, const Rules& rules, const PlannerContext& context) {
  Rules unlimited = rules;
  unlimited.ignore_memory = true;
  TRY(const auto any, any_plan(problem, unlimited, context));
  const std::string reason =
      any ? "no degrees of Megatron's rules fit the devices' memory"
          : fmt::format("no pp x dp x tmp of Megatron's rules uses all devices with {} per replica{}",
                        counted(rules.slice, "sample"), problem.pins.empty() ? "" : " and keeps the pins");
  if (!context.relax) return Ranking{{}, Infeasible{reason, {}}};
  if (any)
    return infeasible_by_memory(reason, context,
                                [&](Bytes more) { return any_plan(with_more_memory(problem, more), rules, context); });
  return infeasible_by_samples(reason, problem.workload, rules.slice, [&](int slice) {
    Rules fewer = rules;
    fewer.slice = slice;
    return any_plan(problem, fewer, context);
  });
}

/// The options of a request.
struct MegatronOptions {
  bool by_parameters = false;
  bool ignore_memory = false;
  int min_slice = 0;
};

const OptionTable<MegatronOptions>& megatron_options() {
  static const OptionTable<MegatronOptions> rows{{
      choice_option("balance", &MegatronOptions::by_parameters, "what stages have equally much of",
                    {{"layers", false}, {"parameters", true}}),
      flag_option("ignore-memory", &MegatronOptions::ignore_memory, "also where it does not fit"),
      integer_option("min-slice", &MegatronOptions::min_slice,
                     "least samples of a micro-batch on a replica; 0: the smallest measured"),
  }};
  return rows;
}

Result<Ranking> plan_megatron(const Problem& problem, const PlannerOptions& options, const PlannerContext& context) {
  const MegatronOptions given = megatron_options().read(options);
  const Rules rules{given.by_parameters, given.ignore_memory,
                    search::min_replica_samples(*problem.profile, given.min_slice)};
  TRY(auto chain, search::Chain::of(problem));
  if (auto none = amp::too_large(chain)) return Ranking{{}, *std::move(none)};
  TRY(const auto groups, considered(chain, rules));

  std::vector<ScoredPlan> judged;
  bool truncated = false, large = false;
  for (std::size_t i = 0; i < groups.size() && !truncated; ++i) {
    report(context.progress, static_cast<double>(i) / static_cast<double>(groups.size()), "simulating");
    for (Plan& plan : chosen(chain, groups[i], rules)) {
      TRY_VOID(check_stop(context));
      if ((truncated = deadline_expired(context) && !judged.empty())) break;
      if (too_long_to_simulate(plan)) {
        large = true;
        continue;
      }
      TRY(const auto iteration, judge(context, plan));
      plan.objective = simulated_objective(iteration);
      note_plan(context);
      const bool other_warmup = !judged.empty() && judged.back().plan.stages == plan.stages &&
                                judged.back().plan.micro_batch == plan.micro_batch;
      if (!other_warmup)
        judged.push_back({std::move(plan), iteration});
      else if (iteration < judged.back().iteration)
        judged.back() = {std::move(plan), iteration};
    }
  }
  report(context.progress, 1, "done");
  if (judged.empty() && large) return too_long_ranking(problem);
  if (judged.empty()) return no_plan(problem, rules, context);
  for (ScoredPlan& one : judged) one.plan.truncated = truncated;
  return ranked(std::move(judged), context);
}

}  // namespace

PlannerInfo megatron_planner() {
  return {.name = "megatron",
          .title = "Megatron",
          .summary = "Megatron-LM's rules: the least tensor and pipeline parallelism that fits, even stages",
          .source =
              "Narayanan et al., Efficient Large-Scale Language Model Training on GPU Clusters, SC 2021; as in section "
              "4.1 of AMP, NeurIPS 2022",
          .options = megatron_options().infos(),
          .plan = &plan_megatron,
          .objective = {.compute = &simulated_time, .options = &evaluate_options<megatron_options>},
          .compared_by_default = true,
          .pins = {.stages = true, .max_stages = true, .replicas = true, .tensor_parallel = true, .layers = true}};
}

}  // namespace pipedeck::planner::baselines
