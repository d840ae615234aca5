// SPDX-License-Identifier: GPL-3.0-or-later
// Import of profiles from published configurations of transformers, with a preview and as one undo step.
#pragma once

#include <QString>

#include "app/ui/dialogs/dialogs.hpp"

namespace pipedeck::ui::actions {

/// Imports a configuration. Without a dialog (for screenshots), adds the profile for the assumed device type.
void import_transformer(QWidget& window, session::Session& session, const dialogs::Dialogs& dialogs,
                        const QString& file);

/// Imports a preset.
void choose_transformer_preset(QWidget& window, session::Session& session, const dialogs::Dialogs& dialogs,
                               const QString& name);

}  // namespace pipedeck::ui::actions
