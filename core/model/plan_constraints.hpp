// SPDX-License-Identifier: Apache-2.0
// The user's constraints on plans. A plan that breaks one is no answer.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/result.hpp"

namespace pipedeck {

struct Cluster;
struct Plan;
struct Profile;

struct PlanConstraints {
  std::optional<int> stages;                         ///< exact number: --pp
  std::optional<int> max_stages;                     ///< upper bound: --max-stages
  std::optional<int> replicas;                       ///< of every stage: --dp
  std::optional<int> tensor_parallel;                ///< of every stage: --tmp
  std::vector<std::pair<LayerId, DeviceId>> layers;  ///< the layer's stage uses the device: --pin
  bool operator==(const PlanConstraints&) const = default;
  bool empty() const { return *this == PlanConstraints(); }
};

/// Returns bad_usage for pins that no plan can satisfy: unknown layers or devices, more stages than layers, degrees
/// that exceed the devices, stages above max_stages, or tensor parallelism for which the profile has no times.
Result<void> check(const PlanConstraints& pins, const Profile& profile, const Cluster& cluster);

/// Returns a description of the first pin that the plan breaks; nothing if it satisfies all.
std::optional<std::string> first_violation(const Plan& plan, const Profile& profile, const PlanConstraints& pins);

}  // namespace pipedeck
