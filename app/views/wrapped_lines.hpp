// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QListWidget;

namespace pipedeck::app {

/// Lines of text break at the list's edge, or at its vertical bar where there is one: nothing scrolls sideways. What
/// has no place to break is elided.
void wrap_lines(QListWidget& list);

}  // namespace pipedeck::app
