// SPDX-License-Identifier: GPL-3.0-or-later
// Why an action is not available now: shown by its tool tip, by the buttons that trigger it and by the command palette.
#pragma once

#include <QString>

class QAction;

namespace pipedeck::ui::actions {

/// Enables the action if `reason` is empty. Otherwise disables it, and its tool tip shows the reason.
void set_available(QAction& action, const QString& reason);
/// Returns the reason given last; empty if it is enabled or has none.
QString unavailable_reason(const QAction& action);

}  // namespace pipedeck::ui::actions
