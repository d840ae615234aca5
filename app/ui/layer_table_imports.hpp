// SPDX-License-Identifier: GPL-3.0-or-later
// Profiles from tables of layers: columns are chosen and what is understood is shown first, added as one step of undo.
#pragma once

#include <QString>

#include "app/ui/dialogs.hpp"

namespace pipedeck::app {

/// Without a dialog for it (pictures are taken) the profile is added as its columns are guessed.
void import_layer_table(QWidget& window, Session& session, const Dialogs& dialogs, const QString& file);

}  // namespace pipedeck::app
