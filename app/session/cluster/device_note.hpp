// SPDX-License-Identifier: GPL-3.0-or-later
// A check that the chosen model and cluster have comparable devices.
#pragma once

#include <QString>

#include "app/session/project/state.hpp"

namespace pipedeck::session::cluster {

/// Describes the assumption about the profile's times on the cluster's devices if data sheets contradict it. Empty if
/// they agree or a choice is missing.
QString device_warning(const project::State& state);

}  // namespace pipedeck::session::cluster
