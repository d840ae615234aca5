// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "app/ui/command_line.hpp"

namespace pipedeck::app {

class MainWindow;

/// Waits until nothing is computed any more, draws the views asked for, ends the application: status 0, or 1 and why
/// on standard error.
void take_screenshots(MainWindow& window, const std::vector<Screenshot>& screenshots);

}  // namespace pipedeck::app
