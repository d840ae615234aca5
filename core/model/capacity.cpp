// SPDX-License-Identifier: Apache-2.0
#include "core/model/capacity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>

namespace pipedeck {
namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

/// Returns the factor by which a plan that fits exceeds the goal; 1 or less: it meets the goal.
double overshoot(const CapacityGoal& goal, const CapacityCost& cost) {
  double factor = 0;
  if (goal.within) factor = std::max(factor, cost.time.count / goal.within->count);
  if (goal.budget) factor = std::max(factor, cost.money ? *cost.money / *goal.budget : unknown);
  return factor;
}

/// Smaller ranks come first: the distance from the goal, then the order of preference at that distance.
using Rank = std::tuple<int, double, double, double>;

Rank capacity_sort_key(const CapacityGoal& goal, const CapacityFound& found) {
  if (!found.plan) return {3, 0, 0, 0};
  const auto cost = capacity_cost(goal, found);
  if (!cost)
    return {2, static_cast<double>(found.plan->peak.count) / static_cast<double>(found.plan->capacity.count), 0, 0};
  if (capacity_verdict(goal, found) != CapacityStatus::meets) return {1, overshoot(goal, *cost), 0, 0};
  const double money = cost->money.value_or(unknown), devices = rented_devices(*found.plan);
  return goal.within ? Rank{0, money, devices, cost->time.count} : Rank{0, cost->time.count, money, devices};
}

}  // namespace

int rented_devices(const PlanCandidate& found) {
  const std::vector<Device> devices = devices_of(*found.cluster);
  std::set<NodeId> nodes;
  for (const DeviceId device : devices_used(*found.plan)) nodes.insert(devices[device.index()].node);
  return static_cast<int>(
      std::ranges::count_if(devices, [&](const Device& device) { return nodes.contains(device.node); }));
}

std::optional<CapacityCost> capacity_cost(const CapacityGoal& goal, const CapacityFound& found) {
  if (!found.fits() || found.plan->samples_per_second <= 0) return {};
  const double batch = found.point.global_batch;
  CapacityCost cost;
  cost.iterations = saturating::whole(std::ceil(goal.samples / batch));
  cost.samples_per_second = found.plan->samples_per_second;
  if (goal.sample_tokens) cost.tokens_per_second = cost.samples_per_second * *goal.sample_tokens;
  cost.time = Seconds(static_cast<double>(cost.iterations) * batch / cost.samples_per_second);
  const double hours = cost.time.count / 3600;
  cost.device_hours = rented_devices(*found.plan) * hours;
  if (found.plan->price_per_hour) cost.money = *found.plan->price_per_hour * hours;
  return cost;
}

Bytes missing_memory(const CapacityFound& found) {
  if (!found.plan || found.plan->fits) return {};
  return std::max(Bytes(0), found.plan->peak - found.plan->capacity);
}

std::string_view name_of(CapacityStatus verdict) {
  switch (verdict) {
    case CapacityStatus::meets:
      return "meets";
    case CapacityStatus::memory:
      return "memory";
    case CapacityStatus::no_plan:
      return "no-plan";
    case CapacityStatus::time:
      return "time";
    case CapacityStatus::money:
      return "money";
    case CapacityStatus::no_price:
      return "no-price";
  }
  return {};
}

CapacityStatus capacity_verdict(const CapacityGoal& goal, const CapacityFound& found) {
  const auto cost = capacity_cost(goal, found);
  if (!cost) return found.plan ? CapacityStatus::memory : CapacityStatus::no_plan;
  if (goal.within && cost->time > *goal.within) return CapacityStatus::time;
  if (!goal.budget) return CapacityStatus::meets;
  if (!cost->money) return CapacityStatus::no_price;
  return *cost->money > *goal.budget ? CapacityStatus::money : CapacityStatus::meets;
}

std::vector<std::size_t> ranked_capacity(const CapacityGoal& goal, std::span<const CapacityFound> found) {
  std::vector<Rank> ranks;
  for (const CapacityFound& one : found) ranks.push_back(capacity_sort_key(goal, one));
  std::vector<std::size_t> order(found.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return ranks[i]; });
  return order;
}

}  // namespace pipedeck
