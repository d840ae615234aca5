// SPDX-License-Identifier: Apache-2.0
// What a user insists on: plans that break a pin are no answers.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/domain/ids.hpp"
#include "core/domain/result.hpp"

namespace pipedeck {

struct Cluster;
struct Plan;
struct Profile;

struct Pins {
  std::optional<int> stages;                         ///< exactly so many: --pp
  std::optional<int> max_stages;                     ///< at most so many: --max-stages
  std::optional<int> replicas;                       ///< of every stage: --dp
  std::optional<int> tensor_parallel;                ///< of every stage: --tmp
  std::vector<std::pair<LayerId, DeviceId>> layers;  ///< the layer's stage has the device among its own: --pin
  bool operator==(const Pins&) const = default;
  bool empty() const { return *this == Pins(); }
};

/// bad_usage for pins that no plan can honour: unknown layers or devices, more stages than layers, degrees that exceed
/// the devices, stages above max_stages, tensor parallelism that the profile has no times for.
Result<void> check(const Pins& pins, const Profile& profile, const Cluster& cluster);

/// The first pin that the plan breaks, in words; nothing where it honours all.
std::optional<std::string> broken_pin(const Plan& plan, const Profile& profile, const Pins& pins);

}  // namespace pipedeck
