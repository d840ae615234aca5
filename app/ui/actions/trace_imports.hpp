// SPDX-License-Identifier: GPL-3.0-or-later
// Import of traces. The user imports a trace with modules as a profile or as a measured timeline; other traces become
// timelines.
#pragma once

#include <QString>

#include "app/ui/dialogs/dialogs.hpp"

namespace pipedeck::ui::actions {

/// Imports a trace in the background. Without a dialog (for screenshots) every trace becomes a timeline.
void import_trace(QWidget& window, session::Session& session, const dialogs::Dialogs& dialogs, const QString& file);

}  // namespace pipedeck::ui::actions
