// SPDX-License-Identifier: GPL-3.0-or-later
// Profiles computed from a transformer's config.json, with the layers that launches train.
#pragma once

#include <memory>

#include <QString>

#include "app/session/project/state.hpp"

namespace pipedeck::session::project {

/// Returns the layers of the configuration in a file, for as many tokens per sample as the profile has; null if the
/// runtime has no such layers, or the file is no configuration.
std::shared_ptr<const ModelSpec> configured_model(const QString& file, const Profile& profile);

/// Adds and chooses a profile that was computed from the file.
State with_configured_profile(State state, Profile profile, const QString& file);

}  // namespace pipedeck::session::project
