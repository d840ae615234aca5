// SPDX-License-Identifier: Apache-2.0
// Plain data parallelism: one stage of all layers on all devices (or on --dp of them). Each device gets an equal share
// of whole samples, also if the devices differ: it is a baseline. Gradients are reduced layer by layer during the
// backward pass, or all at its end, as in the workload or in --overlap-gradients. Without --micro-batch, the number of
// accumulated micro-batches is the one that simulates best.
#include <algorithm>

#include "core/planner/baselines/baseline.hpp"
#include "core/planner/option_table.hpp"
#include "core/planner/planner_entries.hpp"
#include "core/planner/ranking.hpp"
#include "core/planner/search/memory_fit.hpp"

namespace pipedeck::planner::baselines {

namespace {

/// `count` devices: those that layers are pinned to, then the lowest numbers.
std::vector<DeviceId> devices_of(const search::Chain& chain, int count) {
  std::vector<DeviceId> chosen;
  const auto add = [&](DeviceId device) {
    if (static_cast<int>(chosen.size()) < count && std::count(chosen.begin(), chosen.end(), device) == 0)
      chosen.push_back(device);
  };
  if (count < chain.devices())
    for (const auto& [layer, device] : chain.problem().pins.layers) add(device);
  for (int d = 0; d < chain.devices() && static_cast<int>(chosen.size()) < count; ++d) add(DeviceId(d));
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::vector<Plan> replicated_plans(search::Chain& chain, int micro_batch, int slice) {
  const int replicas = chain.problem().pins.replicas.value_or(chain.devices());
  if (micro_batch / replicas < slice) return {};
  Plan plan = chain.plan_of("data-parallel", micro_batch);
  plan.stages = {search::stage_on(0, chain.layers(), devices_of(chain, replicas))};
  plan.name = "Data parallel";
  return {plan};
}

/// More pinned devices than replicas can't all be in the one stage.
Result<void> check_replica_pins(const PlanConstraints& pins, const PlannerInfo& info) {
  TRY_VOID(only(pins.stages, 1, "--pp", info));
  std::vector<DeviceId> named;
  for (const auto& [layer, device] : pins.layers)
    if (std::count(named.begin(), named.end(), device) == 0) named.push_back(device);
  if (pins.replicas && static_cast<int>(named.size()) > *pins.replicas)
    return fail(ErrorCode::bad_usage, "--pin names more devices than --dp has");
  return {};
}

/// The options of a request.
struct DataParallelOptions {
  std::optional<Overlap> overlap{};  ///< absent: the workload's
  bool ignore_memory = false;
  int min_slice = 0;
};

const OptionTable<DataParallelOptions>& data_parallel_options() {
  static const OptionTable<DataParallelOptions> rows{{
      choice_option("overlap-gradients", &DataParallelOptions::overlap,
                    "rank with all-reduces overlapping the backward pass (on), after it (off), or by --overlap (auto)",
                    {{"on", Overlap::layer}, {"off", Overlap::none}, {"auto", std::nullopt}}),
      flag_option("ignore-memory", &DataParallelOptions::ignore_memory, "also where it does not fit"),
      integer_option("min-slice", &DataParallelOptions::min_slice,
                     "least samples of a micro-batch on a device; 0: the smallest measured"),
  }};
  return rows;
}

Result<Ranking> plan_data_parallel(const Problem& problem, const PlannerOptions& options,
                                   const PlannerContext& context) {
  const PlannerInfo info = data_parallel_planner();
  TRY_VOID(check_replica_pins(problem.pins, info));
  const DataParallelOptions given = data_parallel_options().read(options);
  const Baseline baseline{replicated_plans,
                          [&](search::Chain& chain, Plan& plan) {
                            return search::set_warmup(chain, plan, Warmup::A, search::when_short(given.ignore_memory));
                          },
                          "no micro-batch gives every device as many samples as were measured", given.overlap};
  return rank_baseline(baseline, problem, given.min_slice, context);
}

}  // namespace

PlannerInfo data_parallel_planner() {
  return {.name = "data-parallel",
          .title = "Data parallel",
          .summary = "all layers on every device, gradients all-reduced",
          .source = "baseline",
          .options = data_parallel_options().infos(),
          .plan = &plan_data_parallel,
          .objective = {.compute = &simulated_time, .options = &evaluate_options<data_parallel_options>},
          .compared_by_default = true,
          .pins = {.stages = true, .max_stages = true, .replicas = true, .layers = true}};
}

}  // namespace pipedeck::planner::baselines
