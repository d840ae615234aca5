// SPDX-License-Identifier: GPL-3.0-or-later
// Profiles from published configurations of transformers: shown first, added as one step of undo.
#pragma once

#include <QString>

#include "app/ui/dialogs.hpp"

namespace pipedeck::app {

/// Without a dialog for it (pictures are taken) the profile is added as it is computed for the device type that is
/// assumed.
void import_transformer(QWidget& window, Session& session, const Dialogs& dialogs, const QString& file);

/// The same of one of the presets.
void choose_transformer_preset(QWidget& window, Session& session, const Dialogs& dialogs, const QString& name);

}  // namespace pipedeck::app
