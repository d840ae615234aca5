// SPDX-License-Identifier: Apache-2.0
// GPipe (Huang et al., 2019): a pipeline, all forwards before all backwards, so that every stage keeps every
// micro-batch. Stages hold equal numbers of layers, or with --balanced are the contiguous blocks whose slowest is
// quickest (block partition of sequences, as torchgpipe cuts them). One device a stage; with more devices than layers,
// each stage gets the same number of replicas, as many as whole samples allow, and the rest stay idle. Without
// --micro-batch, the micro-batch is the one that simulates best.
#include <algorithm>
#include <limits>

#include "core/planner/baseline.hpp"
#include "core/planner/memory_fit.hpp"
#include "core/planner/planner_entries.hpp"

namespace pipedeck {

namespace {

/// Ends of the stages whose slowest forward + backward is least; ties: earlier ends.
std::vector<int> balanced_blocks(const PassTimes& times, int layers, int stages) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  const double never = std::numeric_limits<double>::infinity();
  // least[s][p]: slowest of s blocks over the layers [0, p); from[s][p]: where the last of them starts.
  std::vector<std::vector<double>> least(at(stages) + 1, std::vector<double>(at(layers) + 1, never));
  std::vector<std::vector<int>> from(at(stages) + 1, std::vector<int>(at(layers) + 1, 0));
  least[0][0] = 0;
  for (int s = 1; s <= stages; ++s)
    for (int p = s; p <= layers; ++p)
      for (int q = s - 1; q < p; ++q) {
        const double slowest = std::max(least[at(s) - 1][at(q)], times.forward_of(q, p) + times.backward_of(q, p));
        if (slowest < least[at(s)][at(p)]) least[at(s)][at(p)] = slowest, from[at(s)][at(p)] = q;
      }
  std::vector<int> ends(at(stages));
  for (int s = stages, p = layers; s > 0; p = from[at(s)][at(p)], --s) ends[at(s) - 1] = p;
  return ends;
}

std::optional<Plan> plan_of(Chain& chain, int micro_batch, int slice, bool balanced) {
  if (micro_batch < slice) return {};
  const int layers = chain.layers(), stages = std::min(layers, chain.devices());
  const int replicas = std::clamp(micro_batch / std::max(1, slice), 1, chain.devices() / stages);
  const int samples = (micro_batch + replicas - 1) / replicas;
  const std::vector<int> ends =
      balanced ? balanced_blocks(chain.times(samples, chain.network().device(DeviceId(0)).type), layers, stages)
               : even_layers(layers, stages);
  Plan plan = chain.plan_of("gpipe", micro_batch);
  plan.schedule = ScheduleKind::gpipe;
  int first = 0, device = 0;
  for (const int end : ends) {
    Stage stage = stage_on(first, end, {});
    for (int r = 0; r < replicas; ++r) stage.devices.push_back(DeviceId(device++));
    plan.stages.push_back(std::move(stage));
    first = end;
  }
  plan.name = balanced ? "GPipe, balanced" : "GPipe, even layers";
  return plan;
}

Result<Ranking> plan_gpipe(const Problem& problem, const PlannerOptions& options, const PlannerContext& context) {
  const PlannerInfo info = gpipe_planner();
  const bool ignore_memory = flag(info, options, "ignore-memory"), balanced = flag(info, options, "balanced");
  const Baseline baseline{
      [=](Chain& chain, int micro_batch, int slice) { return plan_of(chain, micro_batch, slice, balanced); },
      [=](Chain& chain, Plan& plan) { return ignore_memory || gpipe_fits(chain, plan); },
      "no micro-batch is as large as the smallest measured"};
  return rank_baseline(baseline, problem, integer(info, options, "min-slice"), context);
}

}  // namespace

PlannerInfo gpipe_planner() {
  return {.name = "gpipe",
          .title = "GPipe",
          .summary = "even layers, one device a stage, all forwards before all backwards",
          .source = "Huang et al., GPipe: Efficient Training of Giant Neural Networks, NeurIPS 2019",
          .options = {{"balanced",
                       OptionType::flag,
                       "cut so that the slowest stage is quickest, not by number of layers",
                       "false",
                       {}},
                      {"ignore-memory", OptionType::flag, "also where it does not fit", "false", {}},
                      {"min-slice",
                       OptionType::integer,
                       "least samples of a micro-batch on a device; 0: the smallest measured",
                       "0",
                       {}}},
          .plan = &plan_gpipe,
          .compared_by_default = true};
}

}  // namespace pipedeck
