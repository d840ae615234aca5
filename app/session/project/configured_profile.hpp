// SPDX-License-Identifier: GPL-3.0-or-later
// Profiles computed from a transformer's configuration, with the layers that launches train.
#pragma once

#include <memory>

#include <QString>

#include "app/session/project/state.hpp"

namespace pipedeck::session::project {

/// Returns the layers of the configuration in a file or a preset ("preset:NAME"), for as many tokens per sample as the
/// profile has; null if the runtime has no such layers, or the source is no configuration.
std::shared_ptr<const ModelSpec> configured_model(const QString& source, const Profile& profile);

/// Adds and chooses a profile that was computed from the source.
State with_configured_profile(State state, Profile profile, const QString& source);

}  // namespace pipedeck::session::project
