// SPDX-License-Identifier: Apache-2.0
// The fit of a cluster's speeds to a profile that was made for another device.
#pragma once

#include <string>
#include <vector>

#include "core/model/cluster.hpp"
#include "core/model/device_model.hpp"
#include "core/model/profile.hpp"

namespace pipedeck::presets {

/// Times are scaled to a cluster's device types by `relative_speed`, which is 1 for a profile's device that the cluster
/// does not list (formats.md). Returns a sentence on the assumption if the catalogue has another ratio, or if the
/// profile's device is unknown. Empty if there is no assumption, or if the profile has times of its own (`on`).
std::string profile_device_note(const Profile& profile, const Cluster& cluster,
                                const std::vector<DeviceModel>& catalogue);

}  // namespace pipedeck::presets
