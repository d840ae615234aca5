// SPDX-License-Identifier: GPL-3.0-or-later
// Export of a plan's simulation as a Chrome trace, for Perfetto.
#pragma once

#include "app/session/session.hpp"

namespace pipedeck::session {

/// Returns the reason of a failure; empty on success.
QString export_trace(Session& session, int plan, const QString& path);

}  // namespace pipedeck::session
