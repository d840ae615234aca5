// SPDX-License-Identifier: GPL-3.0-or-later
// Import of traces. The user imports a trace with modules as a profile or as a measured timeline; other traces become
// timelines.
#pragma once

#include <QString>

#include "app/ui/dialogs.hpp"

namespace pipedeck::app {

/// Imports a trace in the background. Without a dialog (for screenshots) every trace becomes a timeline.
void import_trace(QWidget& window, Session& session, const Dialogs& dialogs, const QString& file);

}  // namespace pipedeck::app
