// SPDX-License-Identifier: Apache-2.0
#include "core/planner/ranking.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/planner/relax.hpp"

namespace pipedeck::planner {

Result<Seconds> judge(const PlannerContext& context, const Plan& plan, std::optional<Overlap> overlap) {
  if (!context.score)
    return fail(ErrorCode::internal, fmt::format("planner {} needs a simulator to score plans", plan.planner));
  return context.score(plan, overlap);
}

Result<void> check_stop(const PlannerContext& context) {
  if (context.stop.stop_requested()) return fail(ErrorCode::cancelled, "planning was cancelled");
  return {};
}

bool deadline_expired(const PlannerContext& context) { return context.deadline_token.stop_requested(); }

Ranking ranked(std::vector<ScoredPlan> candidates, const PlannerContext& context) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const ScoredPlan& a, const ScoredPlan& b) { return a.iteration < b.iteration; });
  Ranking ranking;
  for (ScoredPlan& candidate : candidates)
    if (static_cast<int>(ranking.plans.size()) < std::max(1, context.top))
      ranking.plans.push_back(std::move(candidate.plan));
  return ranking;
}

Objective simulated_objective(Seconds iteration) { return {"simulated iteration time", iteration, {}}; }

Result<std::optional<Objective>> simulated_time(const evaluation::Evaluation&) { return std::nullopt; }

Ranking problem_too_large(const std::string& reason, const Problem& problem, const std::string& instead) {
  const bool amp = problem.profile->layers.size() <= std::size_t{amp_most_layers} &&
                   devices_of(*problem.cluster).size() <= std::size_t{amp_most_devices};
  const std::string nearest = amp ? "planner amp can" : "planner data-parallel can";
  return {{}, Infeasible{fmt::format("too large: {}", reason), instead.empty() ? nearest : instead, true}};
}

Problem with_more_memory(const Problem& problem, Bytes more) {
  Cluster cluster = *problem.cluster;
  for (DeviceType& type : cluster.device_types) type.memory += more;
  Problem relaxed = problem;
  relaxed.cluster = std::make_shared<const Cluster>(std::move(cluster));
  return relaxed;
}

Result<Ranking> infeasible_by_samples(const std::string& reason, const Workload& workload, int slice,
                                      const std::function<Result<bool>(int slice)>& fits_with) {
  int enough = 0;
  for (int low = 1, high = slice - 1; low <= high;) {
    const int middle = enough == 0 ? 1 : low + (high - low) / 2;  // where 1 is too many, all are
    TRY(const auto fits, fits_with(middle));
    if (fits)
      enough = middle, low = middle + 1;
    else
      high = middle - 1;
  }
  return Ranking{{},
                 Infeasible{reason, enough > 0 ? fmt::format("--min-slice {}", enough) : larger_batch_hint(workload)}};
}

Result<Ranking> infeasible_by_memory(const std::string& reason, const PlannerContext& context,
                                     const std::function<Result<bool>(Bytes more)>& fits_with) {
  if (!context.relax) return Ranking{{}, Infeasible{reason, {}}};
  constexpr std::int64_t mebibyte = std::int64_t{1} << 20, most = std::int64_t{1} << 32;  // in mebibytes: 4 EiB
  std::int64_t low = 0, high = 1;
  for (;; low = high, high *= 2) {
    TRY_VOID(check_stop(context));
    if (high > most) return Ranking{{}, Infeasible{reason, ""}};
    TRY(const auto fits, fits_with(Bytes(high * mebibyte)));
    if (fits) break;
  }
  while (high - low > 1) {
    TRY_VOID(check_stop(context));
    const std::int64_t middle = low + (high - low) / 2;
    TRY(const auto fits, fits_with(Bytes(middle * mebibyte)));
    (fits ? high : low) = middle;
  }
  // Rounded up: the printed amount must suffice.
  const std::string amount = high < 1024
                                 ? fmt::format("{} MiB", high)
                                 : fmt::format("{:.2f} GiB", std::ceil(static_cast<double>(high) / 10.24) / 100);
  return Ranking{{}, Infeasible{reason, fmt::format("{} more memory on every device", amount)}};
}

}  // namespace pipedeck::planner
