// SPDX-License-Identifier: GPL-3.0-or-later
// Why a plan is as fast as it is: sentences computed from its stages, the profile and the cluster.
#pragma once

#include <vector>

#include <QString>

#include "app/models/plan_row.hpp"
#include "core/domain/cluster.hpp"
#include "core/domain/profile.hpp"

namespace pipedeck::app {

/// Of a simulated plan. Bandwidth-only estimates are worded as "at least".
std::vector<QString> reasons_for(const PlanRow& row, const Profile& profile, const Cluster& cluster);

/// Bytes that cross the cut before position `cut` of the plan's order, for one micro-batch of the plan: outputs used
/// behind it, each output once.
Bytes cut_bytes(const Plan& plan, const Profile& profile, int cut);

/// 2 (n - 1) / n x bytes / the narrowest bandwidth between any two of the devices: what a ring all-reduce takes at
/// least. 0 where nothing is to be reduced or nothing joins the devices.
Seconds least_all_reduce(Bytes bytes, const std::vector<DeviceId>& devices,
                         const std::vector<std::vector<double>>& bandwidth);

}  // namespace pipedeck::app
