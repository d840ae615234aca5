// SPDX-License-Identifier: Apache-2.0
#include "core/planner/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/planner/relax.hpp"

namespace pipedeck::planner {

Result<Seconds> judge(const PlannerContext& context, const Plan& plan, std::optional<Overlap> overlap) {
  if (!context.score)
    return fail(ErrorCode::internal, fmt::format("planner {} needs a simulator to score plans", plan.planner));
  const std::stop_token& stop = context.simulation_stop.stop_possible() ? context.simulation_stop : context.stop;
  auto time = context.score(plan, overlap, stop);
  const bool late = !time && time.error().code == ErrorCode::cancelled && !context.stop.stop_requested();
  if (late && stop.stop_requested()) return Seconds(std::numeric_limits<double>::infinity());
  return time;
}

Result<void> check_stop(const PlannerContext& context) {
  if (context.stop.stop_requested()) return fail(ErrorCode::cancelled, "planning was cancelled");
  return {};
}

bool deadline_expired(const PlannerContext& context) { return context.deadline_token.stop_requested(); }

void note_plan(const PlannerContext& context) {
  if (context.found_plan) context.found_plan();
}

Infeasible out_of_time(const PlannerContext& context) {
  Infeasible none;
  none.reason = context.budget.count > 0
                    ? fmt::format("no plan found within the time budget of {:.4g} s", context.budget.count)
                    : std::string("no plan found within the time budget");
  none.relaxation = "a longer time budget";
  none.out_of_time = true;
  return none;
}

Ranking ranked(std::vector<ScoredPlan> candidates, const PlannerContext& context) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const ScoredPlan& a, const ScoredPlan& b) { return a.iteration < b.iteration; });
  Ranking ranking;
  for (ScoredPlan& candidate : candidates) {
    const bool late = std::isinf(candidate.iteration.count) && !ranking.plans.empty();
    if (!late && static_cast<int>(ranking.plans.size()) < std::max(1, context.top))
      ranking.plans.push_back(std::move(candidate.plan));
  }
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

namespace {

/// Returns the value of an attempt; nothing if the deadline ended it.
Result<std::optional<bool>> in_time(const PlannerContext& context, const Result<bool>& attempt) {
  if (attempt) return std::optional(*attempt);
  if (attempt.error().code == ErrorCode::cancelled && deadline_expired(context)) return std::optional<bool>();
  return tl::unexpected(attempt.error());
}

/// Rounded up: the printed amount must suffice.
std::string amount_text(std::int64_t mebibytes) {
  return mebibytes < 1024 ? fmt::format("{} MiB", mebibytes)
                          : fmt::format("{:.2f} GiB", std::ceil(static_cast<double>(mebibytes) / 10.24) / 100);
}

}  // namespace

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
  const auto attempt = [&](std::int64_t more) -> Result<std::optional<bool>> {
    if (auto stop = check_stop(context); !stop) return in_time(context, tl::unexpected(stop.error()));
    return in_time(context, fits_with(Bytes(more * mebibyte)));
  };
  std::int64_t low = 0, high = 1;
  for (;; low = high, high *= 2) {
    if (high > most) return Ranking{{}, Infeasible{reason, ""}};
    TRY(const auto fits, attempt(high));
    if (!fits) return Ranking{{}, Infeasible{reason, ""}};
    if (*fits) break;
  }
  bool least = true;
  while (high - low > 1 && least) {
    const std::int64_t middle = low + (high - low) / 2;
    TRY(const auto fits, attempt(middle));
    least = fits.has_value();
    if (fits) (*fits ? high : low) = middle;
  }
  return Ranking{
      {},
      Infeasible{reason, fmt::format("{}{} more memory on every device", least ? "" : "at most ", amount_text(high))}};
}

}  // namespace pipedeck::planner
