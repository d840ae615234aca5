// SPDX-License-Identifier: Apache-2.0
// "Straight" of DAPPLE's tables: a pipeline of one device per stage over all devices (as many as there are layers),
// 1F1B. The partition minimises the slowest stage, each stage timed on its own device. Both warm-up policies are
// simulated, and without --micro-batch all sizes; the quickest plan is the answer. Pinned layers determine devices and
// partition.
#include <algorithm>

#include "core/planner/baselines/baseline.hpp"
#include "core/planner/option_table.hpp"
#include "core/planner/planner_entries.hpp"
#include "core/planner/ranking.hpp"
#include "core/planner/search/memory_fit.hpp"
#include "core/planner/search/pinned_stages.hpp"

namespace pipedeck::planner::baselines {

namespace {

std::vector<Plan> straight_plans(search::Chain& chain, int micro_batch, int slice) {
  if (micro_batch < slice) return {};
  const PlanConstraints& pins = chain.problem().pins;
  const int most = std::min({chain.layers(), chain.devices(), pins.max_stages.value_or(chain.devices())});
  const int stages = pins.stages.value_or(most);
  std::vector<const search::PassTimes*> tables;
  for (int s = 0; s < stages; ++s)
    tables.push_back(&chain.times(micro_batch, chain.network().device(DeviceId(s)).type));

  const search::PinnedStages pinned(chain);
  const auto ends = !pinned.any()
                        ? std::optional(search::balanced_blocks(tables, chain.layers()))
                        : search::minimize_max_block(stages, chain.layers(), [&](int s, int first, int last) {
                            return search::pinned_block_time(chain, pinned, micro_batch, 1,
                                                             *tables[static_cast<std::size_t>(s)], first, last);
                          });
  const auto places = ends ? pinned.place(*ends, 1) : std::nullopt;
  if (!places) return {};
  Plan plan = chain.plan_of("straight", micro_batch);
  for (std::size_t s = 0; s < ends->size(); ++s)
    plan.stages.push_back(search::stage_on(s == 0 ? 0 : (*ends)[s - 1], (*ends)[s], (*places)[s]));
  plan.name = "Straight";
  std::vector<Plan> both(2, plan);
  both[1].warmup = Warmup::B;
  if (!with_alternate_warmup(plan)) both.pop_back();
  return both;
}

/// The options of a request.
struct StraightOptions {
  bool ignore_memory = false;
  int min_slice = 0;
};

const OptionTable<StraightOptions>& straight_options() {
  static const OptionTable<StraightOptions> rows{{
      flag_option("ignore-memory", &StraightOptions::ignore_memory, "also where it does not fit"),
      integer_option("min-slice", &StraightOptions::min_slice,
                     "least samples of a micro-batch; 0: the smallest measured"),
  }};
  return rows;
}

Result<Ranking> plan_straight(const Problem& problem, const PlannerOptions& options, const PlannerContext& context) {
  const PlannerInfo info = straight_planner();
  TRY_VOID(only(problem.pins.replicas, 1, "--dp", info));
  const StraightOptions given = straight_options().read(options);
  const Baseline baseline{straight_plans,
                          [&](search::Chain& chain, Plan& plan) {
                            return search::set_warmup(chain, plan, plan.warmup,
                                                      search::when_short(given.ignore_memory));
                          },
                          "no micro-batch is as large as the smallest measured"};
  return rank_baseline(baseline, problem, given.min_slice, context);
}

}  // namespace

PlannerInfo straight_planner() {
  return {.name = "straight",
          .title = "Straight",
          .summary = "balanced blocks on one device each, 1F1B with the quicker warm-up",
          .source = "baseline of Fan et al., DAPPLE, PPoPP 2021",
          .options = straight_options().infos(),
          .plan = &plan_straight,
          .objective = {.compute = &simulated_time, .options = &evaluate_options<straight_options>},
          .pins = {.stages = true, .max_stages = true, .replicas = true, .layers = true}};
}

}  // namespace pipedeck::planner::baselines
