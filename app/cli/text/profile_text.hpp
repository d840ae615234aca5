// SPDX-License-Identifier: Apache-2.0
// A measured profile as people read it.
#pragma once

#include <string>

#include "core/model/profile.hpp"
#include "core/runtime/profile/link_probe.hpp"

namespace pipedeck::cli::text {

/// The layers at the profile's own micro-batch, with quartiles; then the whole model at every size and degree.
std::string measured_profile_text(const Profile& profile);

/// The layers alone.
std::string layers_table(const Profile& profile);

/// Transfers by size, and the line through them.
std::string measured_link_text(const runtime::profile::LinkMeasurement& measured);

}  // namespace pipedeck::cli::text
