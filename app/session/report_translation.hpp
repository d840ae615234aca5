// SPDX-License-Identifier: GPL-3.0-or-later
// Reports in the window's language.
#pragma once

#include <memory>

#include "core/report/words.hpp"

namespace pipedeck::app {

/// Null where that is English.
std::shared_ptr<const reports::Translation> report_translation();

}  // namespace pipedeck::app
