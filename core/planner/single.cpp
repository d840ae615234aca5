// SPDX-License-Identifier: Apache-2.0
// All layers on one device, the quickest (ties: the lowest number); what every speed-up is measured against.
#include "core/planner/baseline.hpp"
#include "core/planner/memory_fit.hpp"
#include "core/planner/planner_entries.hpp"

namespace pipedeck {

namespace {

DeviceId quickest(Chain& chain, int micro_batch) {
  const auto seconds = [&](DeviceId device) {
    const PassTimes& times = chain.times(micro_batch, chain.network().device(device).type);
    return times.forward.back() + times.backward.back();
  };
  DeviceId best(0);
  for (int d = 1; d < chain.devices(); ++d)
    if (seconds(DeviceId(d)) < seconds(best)) best = DeviceId(d);
  return best;
}

std::optional<Plan> plan_of(Chain& chain, int micro_batch, int slice) {
  if (micro_batch < slice) return {};
  Plan plan = chain.plan_of("single", micro_batch);
  plan.stages = {stage_on(0, chain.layers(), {quickest(chain, micro_batch)})};
  plan.name = "one device";
  return plan;
}

Result<Ranking> plan_single(const Problem& problem, const PlannerOptions& options, const PlannerContext& context) {
  const PlannerInfo info = single_planner();
  const bool ignore_memory = flag(info, options, "ignore-memory");
  const Baseline baseline{plan_of,
                          [&](Chain& chain, Plan& plan) { return set_warmup(chain, plan, Warmup::A, ignore_memory); },
                          "no micro-batch is as large as the smallest measured"};
  return rank_baseline(baseline, problem, integer(info, options, "min-slice"), context);
}

}  // namespace

PlannerInfo single_planner() {
  return {.name = "single",
          .title = "One device",
          .summary = "all layers on the quickest device",
          .source = "baseline",
          .options =
              {{"ignore-memory", OptionType::flag, "also where it does not fit", "false", {}},
               {"min-slice", OptionType::integer, "least samples of a micro-batch; 0: the smallest measured", "0", {}}},
          .plan = &plan_single};
}

}  // namespace pipedeck
