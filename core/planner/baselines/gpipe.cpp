// SPDX-License-Identifier: Apache-2.0
// GPipe (Huang et al., 2019): a pipeline with all forwards before all backwards, so every stage holds every
// micro-batch; every stage recomputes if they do not fit. Stages have equal numbers of layers (`gpipe`), or are the
// contiguous blocks whose slowest is quickest (`gpipe-balanced`, or `gpipe --balanced`: block partition of sequences,
// as in torchgpipe). There is one device per stage. With more devices than layers, or with --pp, each stage gets the
// same number of replicas, as many as whole samples allow, or --dp of them; the rest stay idle. Without --micro-batch,
// the micro-batch that simulates best is taken. Pinned layers determine their stage's devices, and with balanced blocks
// also the boundaries.
#include <algorithm>

#include "core/planner/baselines/baseline.hpp"
#include "core/planner/option_table.hpp"
#include "core/planner/planner_entries.hpp"
#include "core/planner/ranking.hpp"
#include "core/planner/search/memory_fit.hpp"
#include "core/planner/search/pinned_stages.hpp"

namespace pipedeck::planner::baselines {

namespace {

int stage_count(const search::Chain& chain) {
  const PlanConstraints& pins = chain.problem().pins;
  if (pins.stages) return *pins.stages;
  const int most = std::min(chain.layers(), chain.devices() / pins.replicas.value_or(1));
  return std::min(most, pins.max_stages.value_or(most));
}

/// The time of a stage is that of the slowest of its devices' types.
const search::PassTimes* slowest(search::Chain& chain, int samples, int first_device, int replicas) {
  const search::PassTimes* worst = nullptr;
  for (int d = first_device; d < first_device + replicas; ++d) {
    const search::PassTimes& times = chain.times(samples, chain.network().device(DeviceId(d)).type);
    if (!worst || times.forward.back() + times.backward.back() > worst->forward.back() + worst->backward.back())
      worst = &times;
  }
  return worst;
}

std::optional<std::vector<int>> cut(search::Chain& chain, const search::PinnedStages& pinned, int stages, int replicas,
                                    int micro_batch, bool balanced) {
  if (!balanced) return search::even_layers(chain.layers(), stages);
  const int samples = (micro_batch + replicas - 1) / replicas;
  std::vector<const search::PassTimes*> tables;
  for (int s = 0; s < stages; ++s) tables.push_back(slowest(chain, samples, s * replicas, replicas));
  if (!pinned.any()) return search::balanced_blocks(tables, chain.layers());
  return search::minimize_max_block(stages, chain.layers(), [&](int s, int first, int last) {
    return search::pinned_block_time(chain, pinned, samples, replicas, *tables[static_cast<std::size_t>(s)], first,
                                     last);
  });
}

std::vector<Plan> gpipe_plans(search::Chain& chain, const std::string& planner, int micro_batch, int slice,
                              bool balanced) {
  const PlanConstraints& pins = chain.problem().pins;
  const int stages = stage_count(chain);
  const int replicas =
      pins.replicas.value_or(std::clamp(micro_batch / std::max(1, slice), 1, chain.devices() / stages));
  if (micro_batch / replicas < slice) return {};
  Plan plan = chain.plan_of(planner, micro_batch);
  plan.schedule = ScheduleKind::gpipe;
  const search::PinnedStages pinned(chain);
  const auto ends = cut(chain, pinned, stages, replicas, micro_batch, balanced);
  const auto places = ends ? pinned.place(*ends, replicas) : std::nullopt;
  if (!places) return {};
  for (std::size_t s = 0; s < ends->size(); ++s)
    plan.stages.push_back(search::stage_on(s == 0 ? 0 : (*ends)[s - 1], (*ends)[s], (*places)[s]));
  plan.name = balanced ? "GPipe, balanced" : "GPipe, even layers";
  return {plan};
}

/// The options of a request to either planner; `balanced` is gpipe's.
struct GpipeOptions {
  bool balanced = false, ignore_memory = false;
  int min_slice = 0;
};

const OptionTable<GpipeOptions>& gpipe_options() {
  static const OptionTable<GpipeOptions> rows{{
      flag_option("balanced", &GpipeOptions::balanced, "cut as gpipe-balanced does"),
      flag_option("ignore-memory", &GpipeOptions::ignore_memory, "also where it does not fit"),
      integer_option("min-slice", &GpipeOptions::min_slice,
                     "least samples of a micro-batch on a device; 0: the smallest measured"),
  }};
  return rows;
}

Result<Ranking> plan_with(const std::string& name, bool balanced, const Problem& problem, const GpipeOptions& given,
                          const PlannerContext& context) {
  const Baseline baseline{[&](search::Chain& chain, int micro_batch, int slice) {
                            return gpipe_plans(chain, name, micro_batch, slice, balanced);
                          },
                          [&](search::Chain& chain, Plan& plan) {
                            return search::set_gpipe(chain, plan, search::when_short(given.ignore_memory));
                          },
                          "no micro-batch gives every device as many samples as were measured"};
  return rank_baseline(baseline, problem, given.min_slice, context);
}

Result<Ranking> plan_gpipe(const Problem& problem, const PlannerOptions& options, const PlannerContext& context) {
  const GpipeOptions given = gpipe_options().read(options);
  return plan_with("gpipe", given.balanced, problem, given, context);
}

Result<Ranking> plan_gpipe_balanced(const Problem& problem, const PlannerOptions& options,
                                    const PlannerContext& context) {
  return plan_with("gpipe-balanced", true, problem, gpipe_options().read(options), context);
}

/// Returns the description that both planners share.
PlannerInfo either() {
  PlannerInfo info;
  info.source = "Huang et al., GPipe: Efficient Training of Giant Neural Networks, NeurIPS 2019";
  info.options = gpipe_options().infos();
  info.pins = {.stages = true, .max_stages = true, .replicas = true, .layers = true};
  info.objective = {.compute = &simulated_time, .options = &evaluate_options<gpipe_options>};
  return info;
}

}  // namespace

PlannerInfo gpipe_planner() {
  PlannerInfo info = either();
  info.name = "gpipe";
  info.title = "GPipe";
  info.summary = "even layers, one device a stage, all forwards before all backwards";
  info.plan = &plan_gpipe;
  info.compared_by_default = true;
  return info;
}

PlannerInfo gpipe_balanced_planner() {
  PlannerInfo info = either();
  info.options.erase(info.options.begin());  // it is balanced
  info.name = "gpipe-balanced";
  info.title = "GPipe, balanced";
  info.summary = "GPipe cut so that the slowest stage is quickest, not by number of layers";
  info.plan = &plan_gpipe_balanced;
  return info;
}

}  // namespace pipedeck::planner::baselines
