// SPDX-License-Identifier: GPL-3.0-or-later
// The simulation of a plan as a Chrome trace, for Perfetto.
#pragma once

#include "app/session/session.hpp"

namespace pipedeck::app {

/// Empty: written; else why not.
QString export_trace(Session& session, int plan, const QString& path);

}  // namespace pipedeck::app
