// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the chosen model and the chosen cluster are of devices that can be compared.
#pragma once

#include <QString>

#include "app/session/project_state.hpp"

namespace pipedeck::app {

/// What is assumed of the chosen profile's times on the chosen cluster's devices where data sheets say otherwise, in
/// the window's language; empty where all is well or something is not chosen.
QString device_note(const ProjectState& state);

}  // namespace pipedeck::app
