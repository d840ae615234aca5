// SPDX-License-Identifier: Apache-2.0
// A computed profile's transformer: the member "transformer" of its file (formats.md, "Profile"), stored among the
// members that other readers need not know.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/cluster.hpp"
#include "core/model/device_model.hpp"
#include "core/model/profile.hpp"
#include "core/model/transformer_origin.hpp"

namespace pipedeck::io::documents {

/// Replaces the profile's previous one, and the type of its weights (weight_type.hpp).
Profile with_origin(Profile profile, const TransformerOrigin& origin);

/// Nothing: the profile was measured, or computed from something else. bad_input if the member is no transformer.
Result<std::optional<TransformerOrigin>> origin_of(const Profile& profile);

/// Returns SimulationOptions::efficiency: of the cluster's types in the catalogue, as the layer times have them. Empty
/// for a profile that is not computed by shape.
std::map<std::string, HardwareEfficiency> hardware_efficiencies(const Profile& profile, const Cluster& cluster,
                                                                const std::vector<DeviceModel>& catalogue);

}  // namespace pipedeck::io::documents
