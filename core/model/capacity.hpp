// SPDX-License-Identifier: Apache-2.0
// Capacity planning: the number and type of devices that a training needs. Holds the goal, the clusters and batch sizes
// considered, the time and cost of training on each, and the reason that rules one out.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/units.hpp"
#include "core/model/what_if.hpp"

namespace pipedeck {

/// A training to plan for, with its limits.
struct CapacityGoal {
  double samples = 0;                  ///< in total, at least 1
  std::optional<int> sample_tokens{};  ///< tokens per sample; absent: samples have no tokens
  std::optional<Seconds> within{};
  std::optional<double> budget{};  ///< in the currency of the prices
  bool operator==(const CapacityGoal&) const = default;
};

/// A cluster and a batch size to plan for.
struct CapacityPoint {
  std::string type;  ///< of all devices; empty: as in the cluster
  int nodes = 1;
  int global_batch = 1;
  int micro_batch = 0;  ///< 0: chosen by the planners
  auto operator<=>(const CapacityPoint&) const = default;
};

/// A result of the planners at a point. It does not depend on the goal.
struct CapacityFound {
  CapacityPoint point;
  std::optional<PlanCandidate> plan;  ///< if it does not fit, the plan that lacks least memory; absent: no plan
  std::string failure_reason;         ///< message of the planners if none of their plans fits
  bool fits() const { return plan && plan->fits; }
};

/// A cost in time and money of the whole training, with the plan of a point that fits.
struct CapacityCost {
  std::int64_t iterations = 0;  ///< whole iterations
  double samples_per_second = 0;
  std::optional<double> tokens_per_second;  ///< if the tokens per sample are known
  Seconds time;
  double device_hours = 0;      ///< of all devices of the nodes that the plan uses: only whole nodes can be rented
  std::optional<double> money;  ///< absent: a price is unknown
  bool operator==(const CapacityCost&) const = default;
};

/// Returns the time and cost of the training; nothing if no plan fits.
std::optional<CapacityCost> capacity_cost(const CapacityGoal& goal, const CapacityFound& found);

/// Returns the number of devices of all nodes that the plan uses.
int rented_devices(const PlanCandidate& found);

/// Returns the memory that the most loaded device lacks; 0 if the plan fits or there is none.
Bytes missing_memory(const CapacityFound& found);

enum class CapacityStatus {
  meets,
  memory,    ///< the nearest plan lacks missing_memory()
  no_plan,   ///< planners found no plan
  time,      ///< exceeds the time limit
  money,     ///< exceeds the budget
  no_price,  ///< there is a budget, but a price is unknown
};
std::string_view name_of(CapacityStatus verdict);  // "memory"

CapacityStatus capacity_verdict(const CapacityGoal& goal, const CapacityFound& found);

/// Returns the positions of all points, the best first.
/// 1. Points that meet the goal: with a time limit by cost, then number of devices; otherwise by time, then cost, then
/// number of devices.
/// 2. Points with a plan that fits, by the factor by which they exceed the time limit or the budget.
/// 3. Points whose best plan lacks memory, by its peak memory over the capacity.
/// 4. Points without a plan.
/// Ties keep the given order.
std::vector<std::size_t> ranked_capacity(const CapacityGoal& goal, std::span<const CapacityFound> found);

}  // namespace pipedeck
