// SPDX-License-Identifier: GPL-3.0-or-later
// Reports on the files that a run left behind: memory snapshots, dumps of NCCL's flight recorder, traces of ranks.
#pragma once

#include <QStringList>

#include "app/ui/dialogs/dialogs.hpp"

namespace pipedeck::session {
class Session;
}
class QWidget;

namespace pipedeck::ui::actions {

/// Reads the files in the background, then shows the report next to the window. Faults are reported by the session.
void show_autopsy(QWidget& window, session::Session& session, const QStringList& files);
/// Asks for the files first.
void open_autopsy(QWidget& window, session::Session& session, const dialogs::Dialogs& dialogs);

}  // namespace pipedeck::ui::actions
