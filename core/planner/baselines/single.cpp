// SPDX-License-Identifier: Apache-2.0
// All layers on one device: the fastest (ties: the lowest number), or the one of --pin. It is the reference of all
// speed-ups.
#include <fmt/format.h>

#include "core/planner/baselines/baseline.hpp"
#include "core/planner/option_table.hpp"
#include "core/planner/planner_entries.hpp"
#include "core/planner/ranking.hpp"
#include "core/planner/search/memory_fit.hpp"

namespace pipedeck::planner::baselines {

namespace {

DeviceId quickest(search::Chain& chain, int micro_batch) {
  if (!chain.problem().pins.layers.empty()) return chain.problem().pins.layers.front().second;
  const auto seconds = [&](DeviceId device) {
    const search::PassTimes& times = chain.times(micro_batch, chain.network().device(device).type);
    return times.forward.back() + times.backward.back();
  };
  DeviceId best(0);
  for (int d = 1; d < chain.devices(); ++d)
    if (seconds(DeviceId(d)) < seconds(best)) best = DeviceId(d);
  return best;
}

std::vector<Plan> single_plans(search::Chain& chain, int micro_batch, int slice) {
  if (micro_batch < slice) return {};
  Plan plan = chain.plan_of("single", micro_batch);
  plan.stages = {search::stage_on(0, chain.layers(), {quickest(chain, micro_batch)})};
  plan.name = "one device";
  return {plan};
}

Result<void> check_single_pins(const PlanConstraints& pins, const PlannerInfo& info) {
  TRY_VOID(only(pins.stages, 1, "--pp", info));
  TRY_VOID(only(pins.replicas, 1, "--dp", info));
  for (const auto& [layer, device] : pins.layers)
    if (device != pins.layers.front().second)
      return fail(ErrorCode::bad_usage, fmt::format("--pin names devices {} and {}, planner {} uses one",
                                                    pins.layers.front().second.value, device.value, info.name));
  return {};
}

/// The options of a request.
struct SingleOptions {
  bool ignore_memory = false;
  int min_slice = 0;
};

const OptionTable<SingleOptions>& single_options() {
  static const OptionTable<SingleOptions> rows{{
      flag_option("ignore-memory", &SingleOptions::ignore_memory, "also where it does not fit"),
      integer_option("min-slice", &SingleOptions::min_slice,
                     "least samples of a micro-batch; 0: the smallest measured"),
  }};
  return rows;
}

Result<Ranking> plan_single(const Problem& problem, const PlannerOptions& options, const PlannerContext& context) {
  const PlannerInfo info = single_planner();
  TRY_VOID(check_single_pins(problem.pins, info));
  const SingleOptions given = single_options().read(options);
  const Baseline baseline{single_plans,
                          [&](search::Chain& chain, Plan& plan) {
                            return search::set_warmup(chain, plan, Warmup::A, search::when_short(given.ignore_memory));
                          },
                          "no micro-batch is as large as the smallest measured"};
  return rank_baseline(baseline, problem, given.min_slice, context);
}

}  // namespace

PlannerInfo single_planner() {
  return {.name = "single",
          .title = "One device",
          .summary = "all layers on the quickest device",
          .source = "baseline",
          .options = single_options().infos(),
          .plan = &plan_single,
          .objective = {.compute = &simulated_time, .options = &evaluate_options<single_options>},
          .pins = {.stages = true, .max_stages = true, .replicas = true, .layers = true}};
}

}  // namespace pipedeck::planner::baselines
