// SPDX-License-Identifier: GPL-3.0-or-later
// The command palette of the main window: its action (Ctrl+K) and the field in the menu bar that opens it.
#pragma once

#include <functional>

#include "app/ui/palette/sources.hpp"

class QMenu;
class QSettings;

namespace pipedeck::ui::palette {

struct Parts {
  QMainWindow* window;
  session::Session* session;
  views::compare::Pane* charts;
  QSettings* settings;
  Choices choices;
  std::function<void()> show_charts;  ///< brings the charts' page to the front
};

/// Creates the palette, adds its action to `menu` and its field to the window's menu bar.
void install(const Parts& parts, QMenu* menu);

}  // namespace pipedeck::ui::palette
