// SPDX-License-Identifier: Apache-2.0
// CAPTURE and mCAP (Dreuning et al.): cut a model over a pipeline, one device a stage, so that the highest peak memory
// of any device is smallest.
//
// Predictor: every layer has two figures, its peak alone on a device (static + saved + input + workspace) and what it
// adds behind preceding layers (static + saved); a stage's peak is the first layer's first figure and the others'
// second. Deviation: the paper predicts as if every stage kept one micro-batch; 1F1B keeps min(M, S - i) on stage i,
// which multiplies what is saved (--paper-in-flight gives the paper's).
//
// Recommenders: `exact` (default), a dynamic programme over (stage, layers left) that finds the smallest highest peak
// in O(S N^2); `bf`, mCAP's brute force over all partitions. Several partitions often reach the optimum: the quickest
// in simulation is the answer. Without --micro-batch, the one of the smallest peak is taken.
#include <algorithm>

#include <fmt/format.h>

#include "core/planner/capture_partition.hpp"
#include "core/planner/memory_fit.hpp"
#include "core/planner/planner_entries.hpp"
#include "core/planner/ranking.hpp"

namespace pipedeck {

namespace {

struct Wanted {
  CaptureOptions predictor;
  bool brute_force = false;
};

/// As many stages as devices, where there are layers for them.
int stage_count(const Chain& chain) { return std::min(chain.layers(), chain.devices()); }

std::optional<PeakAnswer> partitions(Chain& chain, int micro_batch, const Wanted& wanted, std::size_t keep,
                                     const std::stop_token& stop) {
  CapturePredictor predictor(chain, micro_batch, stage_count(chain), wanted.predictor);
  return wanted.brute_force ? brute_force_partitions(predictor, keep, stop) : exact_partitions(predictor, keep, stop);
}

Plan plan_from(Chain& chain, int micro_batch, const Partition& ends, Bytes peak, const Wanted& wanted) {
  Plan plan = chain.plan_of("capture", micro_batch);
  int first = 0;
  for (std::size_t s = 0; s < ends.size(); first = ends[s++])
    plan.stages.push_back(stage_on(first, ends[s], {DeviceId(s)}));
  const bool fits = set_warmup(chain, plan, Warmup::A, wanted.predictor.ignore_memory);
  ensure(fits, "capture gave a partition that does not fit");
  plan.objective = Objective{"CAPTURE highest peak", {}, peak};
  plan.name = fmt::format("CAPTURE, {} stages", ends.size());
  return plan;
}

Result<std::vector<Plan>> candidates(Chain& chain, const std::vector<int>& sizes, const Wanted& wanted,
                                     const PlannerContext& context) {
  const std::size_t keep = sizes.size() == 1 ? 32 : 8;
  std::vector<Plan> plans;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    report(context.progress, 0.5 * static_cast<double>(i) / static_cast<double>(sizes.size()), "partitioning");
    const auto answer = partitions(chain, sizes[i], wanted, keep, context.stop);
    if (auto stopped = check_stop(context); !stopped) return tl::unexpected(stopped.error());
    if (!answer) continue;
    for (const Partition& ends : answer->partitions)
      plans.push_back(plan_from(chain, sizes[i], ends, answer->peak, wanted));
  }
  return plans;
}

/// Smallest highest peak first, then the quickest.
Result<Ranking> ordered(std::vector<Plan> plans, const PlannerContext& context) {
  const auto smaller = [](const Plan& a, const Plan& b) { return *a.objective->bytes < *b.objective->bytes; };
  if (context.top <= 1) {
    const Plan least = *std::min_element(plans.begin(), plans.end(), smaller);
    std::erase_if(plans, [&](const Plan& plan) { return smaller(least, plan); });
  }
  if (plans.size() == 1) return Ranking{std::move(plans), {}};
  std::vector<Judged> judged;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    report(context.progress, 0.5 + 0.5 * static_cast<double>(i) / static_cast<double>(plans.size()), "simulating");
    if (auto stopped = check_stop(context); !stopped) return tl::unexpected(stopped.error());
    // Without a simulator all of the ties are as good: the order given stands.
    const auto iteration = context.score ? judge(context, plans[i]) : Result<Seconds>(Seconds());
    if (!iteration) return tl::unexpected(iteration.error());
    judged.push_back({std::move(plans[i]), *iteration});
  }
  PlannerContext all = context;
  all.top = static_cast<int>(judged.size());
  Ranking ranking = ranked(std::move(judged), all);
  std::stable_sort(ranking.plans.begin(), ranking.plans.end(), smaller);
  if (ranking.plans.size() > static_cast<std::size_t>(std::max(1, context.top)))
    ranking.plans.erase(ranking.plans.begin() + std::max(1, context.top), ranking.plans.end());
  return ranking;
}

Result<Ranking> plan_capture(const Problem& problem, const PlannerOptions& options, const PlannerContext& context) {
  const PlannerInfo info = capture_planner();
  const Wanted wanted{{.ignore_memory = flag(info, options, "ignore-memory"),
                       .paper_in_flight = flag(info, options, "paper-in-flight")},
                      choice(info, options, "recommender") == "bf"};
  auto chain = Chain::of(problem);
  if (!chain) return tl::unexpected(chain.error());
  const int slice = smallest_slice(*problem.profile, integer(info, options, "min-slice"));
  auto sizes = micro_batch_choices(problem.workload, slice);
  if (!sizes) return tl::unexpected(sizes.error());
  std::erase_if(*sizes, [&](int size) { return size < slice; });
  if (sizes->empty())
    return too_few_samples(fmt::format("no micro-batch has the {} samples that were measured at least", slice),
                           problem.workload, slice, [&](int fewer) -> Result<bool> {
                             const auto all = micro_batch_choices(problem.workload, 1);
                             if (!all) return tl::unexpected(all.error());
                             const auto size =
                                 std::find_if(all->begin(), all->end(), [&](int s) { return s >= fewer; });
                             return size != all->end() &&
                                    partitions(*chain, *size, {wanted.predictor, false}, 1, context.stop).has_value();
                           });
  const double count = partition_count(chain->layers(), stage_count(*chain));
  if (wanted.brute_force && count > brute_force_limit)
    return fail(
        ErrorCode::bad_usage,
        fmt::format("{:.3g} partitions of {} layers into {} stages, at most {:.0f} for --recommender bf expected",
                    count, chain->layers(), stage_count(*chain), brute_force_limit));

  auto plans = candidates(*chain, *sizes, wanted, context);
  if (!plans) return tl::unexpected(plans.error());
  if (!plans->empty()) return ordered(std::move(*plans), context);
  const int smallest = sizes->front();
  return nothing_fits(
      fmt::format("no partition into {} stages fits with micro-batches of {} samples", stage_count(*chain), smallest),
      context, [&](Bytes more) -> Result<bool> {
        auto relaxed = Chain::of(with_more_memory(problem, more));
        if (!relaxed) return tl::unexpected(relaxed.error());
        return partitions(*relaxed, smallest, {wanted.predictor, false}, 1, context.stop).has_value();
      });
}

}  // namespace

PlannerInfo capture_planner() {
  return {.name = "capture",
          .title = "CAPTURE",
          .summary = "smallest highest peak memory of any device, one device a stage",
          .source =
              "Dreuning et al., CAPTURE: Memory-Centric Partitioning for Distributed DNN Training with Hybrid "
              "Parallelism; mCAP",
          .options =
              {{"recommender",
                OptionType::choice,
                "exact: dynamic programme; bf: all partitions, where they are at most 5,000,000",
                "exact",
                {"exact", "bf"}},
               {"pipeline-only",
                OptionType::flag,
                "pipelines without replicas, which is what both recommenders give",
                "false",
                {}},
               {"paper-in-flight",
                OptionType::flag,
                "predict one micro-batch on every stage, as the paper does",
                "false",
                {}},
               {"ignore-memory", OptionType::flag, "also plans that do not fit", "false", {}},
               {"min-slice", OptionType::integer, "least samples of a micro-batch; 0: the smallest measured", "0", {}}},
          .plan = &plan_capture,
          .compared_by_default = true};
}

}  // namespace pipedeck
