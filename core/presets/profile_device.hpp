// SPDX-License-Identifier: Apache-2.0
// The times of a profile on the device types of a cluster that it was not made for.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/cluster.hpp"
#include "core/model/device_model.hpp"
#include "core/model/efficiency.hpp"
#include "core/model/profile.hpp"

namespace pipedeck::presets {

/// A profile as it is planned with, and where its times on the cluster's devices come from.
struct FittedProfile {
  std::shared_ptr<const Profile> profile;
  std::vector<std::string> notes;        ///< one sentence per device type whose times are not the profile's own
  std::vector<std::string> assumptions;  ///< of the times and of the cluster's links, one clause each
  /// SimulationOptions::efficiency: of the cluster's types, if the layer times are computed by shape.
  std::map<std::string, HardwareEfficiency> efficiency;
};

/// Returns the profile with times for every device type of the cluster's devices:
/// - A profile that is computed from a transformer's shape and was not edited is computed anew for types that the
///   catalogue has, with its own options.
/// - Types that the cluster relates to the profile's device, and those with times of their own, keep their times.
/// - Others take the ratio of data sheets, or of `peak_tflops` in the cluster's file.
/// Types as fast as any (relative_speed 1) are assumed to be as fast as the profile's device. bad_input for a type of
/// another speed: nothing relates it to the profile's device. The profile is shared if nothing changes.
Result<FittedProfile> profile_on_cluster(std::shared_ptr<const Profile> profile, const Cluster& cluster,
                                         const std::vector<DeviceModel>& catalogue);

/// Returns what times at other sizes are, for a profile of one micro-batch size: a guess. Else nothing.
std::optional<std::string> guess_of_sizes(const Profile& profile);

}  // namespace pipedeck::presets
