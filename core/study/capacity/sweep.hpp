// SPDX-License-Identifier: Apache-2.0
// Many points of a capacity question planned for, one after the other or side by side; what was found before is kept.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/model/capacity.hpp"
#include "core/study/whatif/best_plan.hpp"

namespace pipedeck::study::capacity {

using ProblemAt = std::function<Result<Problem>(const CapacityPoint&)>;

/// Quick ones that, between them, cut by layers, by columns and by samples: a point in some tens of milliseconds.
/// Language models are also divided in all dimensions, in some hundred milliseconds.
std::vector<PlannerRequest> capacity_planners(bool language_model = false);

/// The best plan for the problem. Where none of the planners finds one that fits they are asked again as if memory were
/// no matter, with CAPTURE, whose plans need least of it; the plan that lacks least is the answer, if it lacks
/// anything.
Result<CapacityFound> find_capacity(const Problem& problem, const CapacityPoint& point,
                                    std::span<const PlannerRequest> planners, std::stop_token stop = {});

/// Gives plans that were kept the clusters that they are for, and their utilization. bad_input, with the JSON pointer
/// below "points" of the file, where one is no plan for its point.
Result<void> restore_clusters(std::map<CapacityPoint, CapacityFound>& found, const ProblemAt& problem_at);

/// Returns every point, in their order for any number of threads. `known`, as long as `points` or empty, holds the
/// points that need no search. `some`, if there is one, gets each new point, one call at a time. A point that can't be
/// asked for has its error as `failure_reason`. After cancellation the answer is the points that `some` got.
Result<std::vector<CapacityFound>> sweep_capacity(
    std::span<const CapacityPoint> points, const ProblemAt& problem_at, std::span<const PlannerRequest> planners,
    std::vector<std::optional<CapacityFound>> known, const whatif::SearchOptions& how,
    const std::function<void(std::size_t, const CapacityFound&)>& some = {});

}  // namespace pipedeck::study::capacity
