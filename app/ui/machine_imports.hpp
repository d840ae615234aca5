// SPDX-License-Identifier: GPL-3.0-or-later
// Clusters from what machines tell of themselves: files, or this machine, which a child process looks at so that the
// window never loads a driver; and from what clouds publish of theirs. What is understood and assumed is shown before
// it is added, as one step of undo.
#pragma once

#include <QStringList>

#include "app/ui/dialogs.hpp"

namespace pipedeck::app {

/// Without a dialog for it (pictures are taken) the cluster is added as it is understood.
void import_machines(QWidget& window, Session& session, const Dialogs& dialogs, const QStringList& files);

/// `runner` is pipedeck-cli. Ends by itself; what goes wrong is said.
void import_this_machine(QWidget& window, Session& session, const Dialogs& dialogs, const QString& runner);

/// A machine of a cloud, chosen by its name.
void import_cloud_machines(QWidget& window, Session& session, const Dialogs& dialogs);

}  // namespace pipedeck::app
