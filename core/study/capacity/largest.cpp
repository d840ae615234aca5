// SPDX-License-Identifier: Apache-2.0
#include "core/study/capacity/largest.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "core/cost/memory.hpp"
#include "core/study/capacity/sweep.hpp"

namespace pipedeck::study::capacity {
namespace {

class Search {
 public:
  Search(const SizeCandidates& ladder, const CapacityPoint& point, std::span<const PlannerRequest> planners,
         const whatif::SearchOptions& how)
      : ladder_(ladder), point_(point), planners_(planners), how_(how) {}

  Result<LargestAnswer> run() {
    // Steps below `fits` fit, `fails` does not, or is past the end.
    std::size_t fits = 0, fails = 1;
    for (;; fails = std::min(fails * 2, ladder_.sizes.size())) {
      TRY(const auto tried, try_size(fails - 1));
      if (!tried) break;
      fits = fails;
      if (fits == ladder_.sizes.size()) return answer(fits);
    }
    while (fails - fits > 1) {
      const std::size_t middle = fits + (fails - fits) / 2;
      TRY(const auto tried, try_size(middle - 1));
      (tried ? fits : fails) = middle;
    }
    return answer(fits);
  }

 private:
  Result<bool> try_size(std::size_t step) {
    if (how_.stop.stop_requested()) return fail(ErrorCode::cancelled, "cancelled");
    const std::int64_t size = ladder_.sizes[step];
    report(how_.progress, 1 - 1.0 / static_cast<double>(1 + tried_.size()), fmt::format("size {}", size));
    TRY(const auto problem, ladder_.make_problem(size));
    CapacityPoint point = point_;
    point.global_batch = problem.workload.global_batch;
    point.micro_batch = problem.workload.micro_batch.value_or(0);
    TRY(auto found, find_capacity(problem, point, planners_, how_.stop));
    if (how_.stop.stop_requested()) return fail(ErrorCode::cancelled, "cancelled");
    const bool fits = found.fits();
    tried_.emplace(step, Tried{std::move(found), states_of_all(problem), memory_of_all(problem)});
    return fits;
  }

  /// `count` sizes fit.
  LargestAnswer answer(std::size_t count) const {
    LargestAnswer answer;
    for (const auto& [step, tried] : tried_) answer.tried.push_back({ladder_.sizes[step], tried.found.fits()});
    if (count > 0) {
      answer.size = ladder_.sizes[count - 1];
      answer.found = tried_.at(count - 1).found;
    }
    if (count == ladder_.sizes.size()) return answer;
    const Tried& next = tried_.at(count);
    answer.next = ladder_.sizes[count];
    answer.next_found = next.found;
    answer.next_states = next.states;
    answer.devices_hold = next.memory;
    answer.proof = next.states > next.memory ? LargestProof::states_exceed_memory : LargestProof::no_plan_found;
    return answer;
  }

  struct Tried {
    CapacityFound found;
    Bytes states, memory;
  };
  const SizeCandidates& ladder_;
  const CapacityPoint& point_;
  std::span<const PlannerRequest> planners_;
  const whatif::SearchOptions& how_;
  std::map<std::size_t, Tried> tried_;
};

}  // namespace

std::vector<std::int64_t> sizes_by_step(std::int64_t step, std::int64_t most) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = step; size <= most; size += step) sizes.push_back(size);
  return sizes;
}

std::vector<std::int64_t> divisors(std::int64_t number) {
  std::vector<std::int64_t> small, large;
  for (std::int64_t one = 1; one * one <= number; ++one) {
    if (number % one != 0) continue;
    small.push_back(one);
    if (one * one != number) large.push_back(number / one);
  }
  small.insert(small.end(), large.rbegin(), large.rend());
  return small;
}

std::string_view name_of(LargestProof proof) {
  switch (proof) {
    case LargestProof::states_exceed_memory:
      return "states";
    case LargestProof::no_plan_found:
      return "planners";
    case LargestProof::limit_reached:
      return "end";
  }
  return {};
}

Bytes states_of_all(const Problem& problem) {
  Bytes parameters;
  for (const Layer& layer : problem.profile->layers) parameters += layer.parameters;
  const Workload& workload = problem.workload;
  if (workload.adapters.rank > 0) return cost::frozen_memory(parameters, workload.precision, workload.adapters);
  return cost::state_memory(parameters, 1, workload.optimizer, workload.precision, workload.zero).total();
}

Bytes memory_of_all(const Problem& problem) {
  Bytes all;
  for (const Device& device : devices_of(*problem.cluster))
    all += problem.cluster->device_types[static_cast<std::size_t>(device.type)].memory -
           problem.workload.conventions.reserve;
  return all;
}

Result<LargestAnswer> find_largest(const SizeCandidates& ladder, const CapacityPoint& point,
                                   std::span<const PlannerRequest> planners, const whatif::SearchOptions& how) {
  if (ladder.sizes.empty()) return fail(ErrorCode::bad_usage, "found no size to look at, expected at least one");
  return Search(ladder, point, planners, how).run();
}

}  // namespace pipedeck::study::capacity
