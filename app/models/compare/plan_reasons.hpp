// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences that explain a plan's speed, computed from its stages, the profile and the cluster.
#pragma once

#include <vector>

#include <QString>

#include "app/models/compare/plan_row.hpp"
#include "core/model/cluster.hpp"
#include "core/model/profile.hpp"

namespace pipedeck::models::compare {

/// Returns the reasons for a simulated plan. Estimates from the bandwidth alone are worded as "at least".
std::vector<QString> reasons_for(const PlanRow& row, const Profile& profile, const Cluster& cluster);

/// Returns the bytes that cross the stage boundary before position `cut` of the plan's order, for one micro-batch of
/// the plan. Each output used behind the boundary counts once.
Bytes cut_bytes(const Plan& plan, const Profile& profile, int cut);

/// Returns a lower bound of a ring all-reduce: 2 (n - 1) / n x bytes / bandwidth. The bandwidth is the smallest between
/// any two of the devices. 0 if there is nothing to reduce or the devices are not connected.
Seconds least_all_reduce(Bytes bytes, const std::vector<DeviceId>& devices,
                         const std::vector<std::vector<double>>& bandwidth);

}  // namespace pipedeck::models::compare
