// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "app/ui/window/command_line.hpp"

namespace pipedeck::ui::window {

class MainWindow;

/// Waits until all computations are finished, draws the requested views and quits the application. The status is 0, or
/// 1 with the reason on standard error.
void take_screenshots(MainWindow& window, const std::vector<Screenshot>& screenshots);

}  // namespace pipedeck::ui::window
