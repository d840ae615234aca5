// SPDX-License-Identifier: GPL-3.0-or-later
// Traces: those with modules become what somebody chooses, a profile or a measured timeline; all others a timeline.
#pragma once

#include <QString>

#include "app/ui/dialogs.hpp"

namespace pipedeck::app {

/// Read in the background. Without a dialog for it (pictures are taken) every trace becomes a timeline.
void import_trace(QWidget& window, Session& session, const Dialogs& dialogs, const QString& file);

}  // namespace pipedeck::app
