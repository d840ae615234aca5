// SPDX-License-Identifier: Apache-2.0
#include "core/planner/baseline.hpp"

#include <fmt/format.h>

namespace pipedeck {

namespace {

Result<bool> any_fits(const Baseline& baseline, const Problem& problem, const std::vector<int>& sizes, int slice) {
  auto chain = Chain::of(problem);
  if (!chain) return tl::unexpected(chain.error());
  for (const int size : sizes)
    if (auto plan = baseline.plan(*chain, size, slice); plan && baseline.fits(*chain, *plan)) return true;
  return false;
}

Result<Ranking> none(const Baseline& baseline, const Problem& problem, const std::vector<int>& sizes, int slice,
                     const PlannerContext& context) {
  auto chain = Chain::of(problem);
  if (!chain) return tl::unexpected(chain.error());
  bool any = false;
  for (const int size : sizes) any |= baseline.plan(*chain, size, slice).has_value();
  if (!any)
    return too_few_samples(baseline.no_size, problem.workload, slice,
                           [&](int fewer) { return any_fits(baseline, problem, sizes, fewer); });
  return nothing_fits("the plan does not fit its devices with any of the micro-batches", context,
                      [&](Bytes more) { return any_fits(baseline, with_more_memory(problem, more), sizes, slice); });
}

}  // namespace

Result<Ranking> rank_baseline(const Baseline& baseline, const Problem& problem, int min_slice,
                              const PlannerContext& context) {
  auto chain = Chain::of(problem);
  if (!chain) return tl::unexpected(chain.error());
  const int slice = smallest_slice(*problem.profile, min_slice);
  const auto sizes = micro_batch_choices(problem.workload, 1);
  if (!sizes) return tl::unexpected(sizes.error());

  std::vector<Judged> judged;
  for (std::size_t i = 0; i < sizes->size(); ++i) {
    report(context.progress, static_cast<double>(i) / static_cast<double>(sizes->size()), "simulating");
    if (auto stopped = check_stop(context); !stopped) return tl::unexpected(stopped.error());
    auto plan = baseline.plan(*chain, (*sizes)[i], slice);
    if (!plan || !baseline.fits(*chain, *plan)) continue;
    const auto iteration = judge(context, *plan);
    if (!iteration) return tl::unexpected(iteration.error());
    plan->objective = simulated_objective(*iteration);
    judged.push_back({std::move(*plan), *iteration});
  }
  report(context.progress, 1, "done");
  if (judged.empty()) return none(baseline, problem, *sizes, slice, context);
  return ranked(std::move(judged), context);
}

std::vector<int> even_layers(int layers, int stages) {
  std::vector<int> ends;
  for (int s = 0, end = 0; s < stages; ++s) ends.push_back(end += layers / stages + (s < layers % stages ? 1 : 0));
  return ends;
}

}  // namespace pipedeck
