// SPDX-License-Identifier: Apache-2.0
// Whether a cluster's speeds are of any use to a profile that was made for another device.
#pragma once

#include <string>
#include <vector>

#include "core/domain/cluster.hpp"
#include "core/domain/device_model.hpp"
#include "core/domain/profile.hpp"

namespace pipedeck {

/// Times are taken to a cluster's device types by `relative_speed`, 1 for a profile's device that the cluster does not
/// list (formats.md). Where that is not what the catalogue says of the two, or nobody knows the profile's device: a
/// sentence on what is assumed. Empty where all is well, or where the profile has times of its own (`on`).
std::string profile_device_note(const Profile& profile, const Cluster& cluster,
                                const std::vector<DeviceModel>& catalogue);

}  // namespace pipedeck
