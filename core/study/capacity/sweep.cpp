// SPDX-License-Identifier: Apache-2.0
#include "core/study/capacity/sweep.hpp"

#include <algorithm>
#include <mutex>
#include <tuple>

#include <fmt/format.h>

#include "core/base/parallel_for.hpp"
#include "core/plan/validate.hpp"
#include "core/study/utilization.hpp"
#include "core/study/whatif/scales.hpp"

namespace pipedeck::study::capacity {
namespace {

/// So much memory that planners need not think of it.
constexpr double plenty = 1e4;

std::vector<PlannerRequest> with_capture(std::span<const PlannerRequest> planners) {
  std::vector<PlannerRequest> asked(planners.begin(), planners.end());
  const planner::PlannerInfo* capture = *planner::find_planner("capture");
  if (std::ranges::find(asked, capture, &PlannerRequest::planner) == asked.end()) asked.push_back({capture, {}});
  return asked;
}

/// Less is nearer to fitting.
std::tuple<bool, double, double> memory_deficit(const PlanCandidate& found) {
  const double capacity = static_cast<double>(std::max<std::int64_t>(1, found.capacity.count));
  return {!found.fits, static_cast<double>(found.peak.count) / capacity, -found.samples_per_second};
}

Result<std::optional<PlanCandidate>> nearest_plan(const Problem& problem, std::span<const PlannerRequest> planners,
                                                  const std::stop_token& stop) {
  TRY(const auto simulator, sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions));
  Problem roomy = problem;
  Cluster cluster = *problem.cluster;
  whatif::scale_memory(cluster, plenty);
  roomy.cluster = std::make_shared<const Cluster>(std::move(cluster));
  TRY(const auto answer, whatif::best_plan(roomy, with_capture(planners), {}, 1, {1, stop, {}, {}}));
  std::optional<PlanCandidate> nearest;
  for (const PlanCandidate& one : answer.found) {
    auto simulated_plan = whatif::simulate_plan(problem, simulator, *one.plan, stop);
    if (simulated_plan && (!nearest || memory_deficit(simulated_plan->found) < memory_deficit(*nearest)))
      nearest = std::move(simulated_plan->found);
  }
  return nearest;
}

CapacityFound without_plan(const CapacityPoint& point, std::string why_not) {
  return {point, std::nullopt, std::move(why_not)};
}

}  // namespace

std::vector<PlannerRequest> capacity_planners(bool language_model) {
  std::vector<PlannerRequest> asked;
  for (const char* name : {"amp", "data-parallel", "straight", "megatron"})
    asked.push_back({*planner::find_planner(name), {}});
  if (language_model) asked.push_back({*planner::find_planner("mesh"), {}});
  return asked;
}

Result<CapacityFound> find_capacity(const Problem& problem, const CapacityPoint& point,
                                    std::span<const PlannerRequest> planners, std::stop_token stop) {
  TRY(auto answer, whatif::best_plan(problem, planners, {}, 1, {1, stop, {}, {}}));
  if (answer.best) return CapacityFound{point, std::move(answer.best->found), {}};
  TRY(auto nearest, nearest_plan(problem, planners, stop));
  CapacityFound found{point, std::move(nearest), {}};
  if (!found.fits()) found.failure_reason = answer.failure_reason;
  return found;
}

Result<std::vector<CapacityFound>> sweep_capacity(std::span<const CapacityPoint> points, const ProblemAt& problem_at,
                                                  std::span<const PlannerRequest> planners,
                                                  std::vector<std::optional<CapacityFound>> known,
                                                  const whatif::SearchOptions& how,
                                                  const std::function<void(std::size_t, const CapacityFound&)>& some) {
  known.resize(points.size());
  std::mutex mutex;
  auto done = static_cast<std::size_t>(std::ranges::count_if(known, [](const auto& one) { return one.has_value(); }));
  const auto look = [&](std::size_t i) {
    const auto problem = problem_at(points[i]);
    if (!problem) return without_plan(points[i], problem.error().text());
    auto found = find_capacity(*problem, points[i], planners, how.stop);
    return found ? *std::move(found) : without_plan(points[i], found.error().text());
  };
  parallel_for(points.size(), how.threads, [&](std::size_t i) {
    if (known[i] || how.stop.stop_requested()) return;
    CapacityFound found = look(i);
    if (how.stop.stop_requested()) return;
    const std::lock_guard lock(mutex);
    if (some) some(i, found);
    known[i] = std::move(found);
    report(how.progress, static_cast<double>(++done) / static_cast<double>(points.size()),
           fmt::format("{} of {} points", done, points.size()));
  });
  if (how.stop.stop_requested()) return fail(ErrorCode::cancelled, "cancelled");
  std::vector<CapacityFound> all;
  for (std::optional<CapacityFound>& one : known) all.push_back(*std::move(one));
  return all;
}

Result<void> restore_clusters(std::map<CapacityPoint, CapacityFound>& found, const ProblemAt& problem_at) {
  std::size_t at = 0;
  for (auto& [point, one] : found) {
    const std::string place = fmt::format("/points/{}", at++);
    if (!one.plan) continue;
    const auto problem = problem_at(point);
    if (!problem) return fail(ErrorCode::bad_input, problem.error().message, place);
    if (auto valid = plan::validate(*one.plan->plan, *problem->profile, *problem->cluster); !valid)
      return fail(ErrorCode::bad_input, valid.error().message, place + "/plan" + valid.error().place);
    one.plan->cluster = problem->cluster;
    one.plan->utilization = utilization_of(*problem, *one.plan->plan, one.plan->samples_per_second);
  }
  return {};
}

}  // namespace pipedeck::study::capacity
