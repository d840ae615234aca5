// SPDX-License-Identifier: GPL-3.0-or-later
// The sentences of the core, collected by tools/core_texts.py when the program is built.
#pragma once

#include <vector>

namespace pipedeck::app {

/// English, with %1, %2, ... where figures and names go.
const std::vector<const char*>& core_texts();
/// Patterns of reports (core/report/words.hpp), likewise.
const std::vector<const char*>& report_texts();

}  // namespace pipedeck::app
