// SPDX-License-Identifier: GPL-3.0-or-later
// Every shortcut of the window: of its actions, menu by menu, and what its views tell of their keys. Nothing is written
// down twice: a new action with a shortcut is in the list by itself.
#pragma once

#include <QStringList>

#include "app/views/key_help.hpp"

class QAction;
class QWidget;

namespace pipedeck::app {

struct Shortcut {
  QStringList keys;           ///< "Ctrl+R"; each does it
  QString what;               ///< "Compare"
  QAction* action = nullptr;  ///< null: a view's own key
};

struct ShortcutGroup {
  QString title;
  std::vector<Shortcut> shortcuts;
};

/// Menus first, in their order, then views.
std::vector<ShortcutGroup> shortcuts_of(const QWidget& window);

/// Those whose keys or words hold every word of `wanted`; groups without any are left out.
std::vector<ShortcutGroup> matching(const std::vector<ShortcutGroup>& groups, const QString& wanted);

}  // namespace pipedeck::app
