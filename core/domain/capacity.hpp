// SPDX-License-Identifier: Apache-2.0
// How many devices of which type a training takes: what is to be trained, the clusters and batches that are looked at,
// what training on each takes in time and money, and what rules it out.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/domain/units.hpp"
#include "core/domain/what_if.hpp"

namespace pipedeck {

/// What is to be trained, and within what.
struct CapacityGoal {
  double samples = 0;                  ///< in all, at least 1
  std::optional<int> sample_tokens{};  ///< tokens of a sample; absent: nobody counts in tokens
  std::optional<Seconds> within{};
  std::optional<double> budget{};  ///< in the prices' currency
  bool operator==(const CapacityGoal&) const = default;
};

/// A cluster and a batch to plan for.
struct CapacityPoint {
  std::string type;  ///< of all devices; empty: as the cluster has them
  int nodes = 1;
  int global_batch = 1;
  int micro_batch = 0;  ///< 0: left to the planners
  auto operator<=>(const CapacityPoint&) const = default;
};

/// What planners found at a point; it does not depend on the goal.
struct CapacityFound {
  CapacityPoint point;
  std::optional<FoundPlan> plan;  ///< where `fits` of it is not set, the one that lacks least; absent: there is none
  std::string why_not;            ///< what planners said, where none of their plans fits
  bool fits() const { return plan && plan->fits; }
};

/// What the whole training takes with the plan of a point that fits.
struct CapacityCost {
  std::int64_t iterations = 0;  ///< whole ones
  double samples_per_second = 0;
  std::optional<double> tokens_per_second;  ///< where a sample's tokens are known
  Seconds time;
  double device_hours = 0;      ///< of all devices of the nodes in which the plan has one: nobody rents half a node
  std::optional<double> money;  ///< absent: a price is not known
  bool operator==(const CapacityCost&) const = default;
};

/// Absent where no plan fits.
std::optional<CapacityCost> capacity_cost(const CapacityGoal& goal, const CapacityFound& found);

/// Devices of the nodes in which the plan has one.
int rented_devices(const FoundPlan& found);

/// What the fullest device lacks; 0 where the plan fits or there is none.
Bytes missing_memory(const CapacityFound& found);

enum class CapacityVerdict {
  meets,
  memory,    ///< the nearest plan lacks missing_memory()
  no_plan,   ///< planners found none at all
  time,      ///< it takes longer than it may
  money,     ///< it costs more than there is
  no_price,  ///< there is a budget, and nobody knows what it costs
};
std::string_view name_of(CapacityVerdict verdict);  // "memory"

CapacityVerdict capacity_verdict(const CapacityGoal& goal, const CapacityFound& found);

/// All points, the one to take first. Those that meet the goal: with a time limit the cheapest first, else the
/// quickest, then what costs less, then fewer devices. Then those with a plan that fits, by the factor that they miss
/// time or money by; those whose nearest plan lacks memory, by its share of the memory; those without any plan. Ties:
/// as given.
std::vector<std::size_t> ranked_capacity(const CapacityGoal& goal, std::span<const CapacityFound> found);

}  // namespace pipedeck
