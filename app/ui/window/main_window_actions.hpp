// SPDX-License-Identifier: GPL-3.0-or-later
// The actions whose state depends on the session.
#pragma once

#include <array>

#include "app/ui/window/main_window.hpp"

namespace pipedeck::ui::window {

inline constexpr const char* steps_key = "run/steps";
inline constexpr int default_steps = 200;
inline constexpr const char* split_folded_key = "window/split_folded";

struct MainWindow::Actions {
  QAction* save = nullptr;
  QAction* export_plan = nullptr;
  QAction* export_trace = nullptr;
  QAction* undo = nullptr;
  QAction* redo = nullptr;
  QAction* compare = nullptr;
  QAction* launch = nullptr;
  QAction* charts_only = nullptr;
  QAction* split = nullptr;
  QAction* stop = nullptr;
  QAction* calibrated = nullptr;
  std::array<QAction*, 3> appearance{};
};

}  // namespace pipedeck::ui::window
