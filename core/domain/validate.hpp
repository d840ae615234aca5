// SPDX-License-Identifier: Apache-2.0
// What must hold of values before anybody computes with them. The first broken rule comes back as bad_input with a JSON
// pointer into the value's own file format.
#pragma once

#include "core/domain/cluster.hpp"
#include "core/domain/model.hpp"
#include "core/domain/plan.hpp"
#include "core/domain/profile.hpp"
#include "core/domain/result.hpp"

namespace pipedeck {

Result<void> validate(const Profile& profile);
/// A cluster that is not connected is valid (the editor shows it); planning on it is refused by core/cost/network.
Result<void> validate(const Cluster& cluster);
Result<void> validate(const ModelSpec& model);
/// What a plan can be checked for alone: everything but what needs the profile's layers and the cluster's devices.
Result<void> validate(const Plan& plan);
/// The plan by itself, and against what it is for: ranges, devices, replicas, shares, order.
Result<void> validate(const Plan& plan, const Profile& profile, const Cluster& cluster);

}  // namespace pipedeck
