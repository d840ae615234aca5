// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace pipedeck::ui::help {

/// Returns docs/reproduction.md: the papers' tables next to our results.
QString reproduction_markdown();

}  // namespace pipedeck::ui::help
