// SPDX-License-Identifier: GPL-3.0-or-later
// Import of profiles from tables of layers. The user chooses columns and sees a preview; the result is one undo step.
#pragma once

#include <QString>

#include "app/ui/dialogs/dialogs.hpp"

namespace pipedeck::ui::actions {

/// Imports a table. Without a dialog (for screenshots), adds the profile with the guessed columns.
void import_layer_table(QWidget& window, session::Session& session, const dialogs::Dialogs& dialogs,
                        const QString& file);

}  // namespace pipedeck::ui::actions
