// SPDX-License-Identifier: GPL-3.0-or-later
// A list of all shortcuts of the window: those of its actions, menu by menu, and the keys that its views describe. New
// actions with a shortcut appear automatically.
#pragma once

#include <QStringList>

#include "app/views/widgets/key_help.hpp"

class QAction;
class QWidget;

namespace pipedeck::ui::help {

struct Shortcut {
  QStringList keys;           ///< "Ctrl+R"; any of them works
  QString what;               ///< "Compare"
  QAction* action = nullptr;  ///< null: a view's own key
};

struct ShortcutGroup {
  QString title;
  std::vector<Shortcut> shortcuts;
};

/// Returns the groups of menus in their order, then those of views.
std::vector<ShortcutGroup> shortcuts_of(const QWidget& window);

/// Returns the shortcuts whose keys or names contain every word of `wanted`, without empty groups.
std::vector<ShortcutGroup> matching(const std::vector<ShortcutGroup>& groups, const QString& wanted);

}  // namespace pipedeck::ui::help
