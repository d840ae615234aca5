// SPDX-License-Identifier: Apache-2.0
// Plain data parallelism: one stage of all layers on all devices, each with an equal share of whole samples. Gradients
// are reduced under the workload's overlap convention. Without --micro-batch, the number of accumulated micro-batches
// is the one that simulates best.
#include "core/planner/baseline.hpp"
#include "core/planner/memory_fit.hpp"
#include "core/planner/planner_entries.hpp"

namespace pipedeck {

namespace {

std::optional<Plan> plan_of(Chain& chain, int micro_batch, int slice) {
  if (micro_batch / chain.devices() < slice) return {};
  Plan plan = chain.plan_of("data-parallel", micro_batch);
  Stage all = stage_on(0, chain.layers(), {});
  for (int d = 0; d < chain.devices(); ++d) all.devices.push_back(DeviceId(d));
  plan.stages = {all};
  plan.name = "Data parallel";
  return plan;
}

Result<Ranking> plan_data_parallel(const Problem& problem, const PlannerOptions& options,
                                   const PlannerContext& context) {
  const PlannerInfo info = data_parallel_planner();
  const bool ignore_memory = flag(info, options, "ignore-memory");
  const Baseline baseline{plan_of,
                          [&](Chain& chain, Plan& plan) { return set_warmup(chain, plan, Warmup::A, ignore_memory); },
                          "no micro-batch gives every device as many samples as were measured"};
  return rank_baseline(baseline, problem, integer(info, options, "min-slice"), context);
}

}  // namespace

PlannerInfo data_parallel_planner() {
  return {.name = "data-parallel",
          .title = "Data parallel",
          .summary = "all layers on every device, gradients all-reduced",
          .source = "baseline",
          .options = {{"ignore-memory", OptionType::flag, "also where it does not fit", "false", {}},
                      {"min-slice",
                       OptionType::integer,
                       "least samples of a micro-batch on a device; 0: the smallest measured",
                       "0",
                       {}}},
          .plan = &plan_data_parallel,
          .compared_by_default = true};
}

}  // namespace pipedeck
