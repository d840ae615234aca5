// SPDX-License-Identifier: Apache-2.0
// The largest size of something that has a plan that fits, and why the next one has none.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/model/capacity.hpp"
#include "core/study/whatif/best_plan.hpp"

namespace pipedeck::study::capacity {

/// The sizes that can be asked for, ascending, and the question with each.
struct SizeCandidates {
  std::vector<std::int64_t> sizes;
  std::function<Result<Problem>(std::int64_t size)> make_problem;
};

/// Every `step` from `step` to `most`.
std::vector<std::int64_t> sizes_by_step(std::int64_t step, std::int64_t most);
/// Every number that divides `number`.
std::vector<std::int64_t> divisors(std::int64_t number);

/// Why nothing larger is the answer.
enum class LargestProof {
  states_exceed_memory,  ///< the next size's weights, gradients and optimizer states alone are more than all devices
                         ///< hold: no plan at all, whoever makes it
  no_plan_found,  ///< no planner that was asked has a plan for the next size; the nearest is named with what it lacks
  limit_reached,  ///< no larger size was to be looked at
};
std::string_view name_of(LargestProof proof);  // "states"

struct SizeTrial {
  std::int64_t size = 0;
  bool fits = false;
  bool operator==(const SizeTrial&) const = default;
};

struct LargestAnswer {
  std::optional<std::int64_t> size;    ///< absent: not even the smallest fits, which is `next`
  std::optional<CapacityFound> found;  ///< its plan
  std::optional<std::int64_t> next;    ///< the next larger size, which was planned for and does not fit
  std::optional<CapacityFound> next_found;
  Bytes next_states, devices_hold;  ///< of the next size: held at least, and what all devices have
  LargestProof proof = LargestProof::limit_reached;
  std::vector<SizeTrial> tried;  ///< ascending
};

/// Weights, gradients and optimizer states of all layers, each once: no plan holds less over all its devices.
Bytes states_of_all(const Problem& problem);
/// Returns the memory of all devices without the reserve of each.
Bytes memory_of_all(const Problem& problem);

/// By doubling and halving: a size that fits and the next one that does not are both planned for. Where fitting is not
/// monotonous in the size (a planner misses a plan) it is the last of one row of sizes that fit. An error is one of the
/// question.
Result<LargestAnswer> find_largest(const SizeCandidates& ladder, const CapacityPoint& point,
                                   std::span<const PlannerRequest> planners, const whatif::SearchOptions& how);

}  // namespace pipedeck::study::capacity
