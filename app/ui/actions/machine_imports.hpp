// SPDX-License-Identifier: GPL-3.0-or-later
// Import of clusters from descriptions of machines: files, this machine, or the catalogues of clouds. A child process
// inspects this machine, so that the window never loads a driver. Results and assumptions are shown before they are
// added as one undo step.
#pragma once

#include <QStringList>

#include "app/ui/dialogs/dialogs.hpp"

namespace pipedeck::ui::actions {

/// Imports a cluster. Without a dialog (for screenshots), adds it as recognised.
void import_machines(QWidget& window, session::Session& session, const dialogs::Dialogs& dialogs,
                     const QStringList& files);

/// Inspects this machine with `runner`, which is pipedeck-cli. Works in the background and reports errors.
void import_this_machine(QWidget& window, session::Session& session, const dialogs::Dialogs& dialogs,
                         const QString& runner);

/// Imports a cloud machine that the user chooses by name.
void import_cloud_machines(QWidget& window, session::Session& session, const dialogs::Dialogs& dialogs);

}  // namespace pipedeck::ui::actions
