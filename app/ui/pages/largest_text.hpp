// SPDX-License-Identifier: GPL-3.0-or-later
// The result of a search for the largest size that fits, as sentences and as rows with bars.
#pragma once

#include <vector>

#include <QStringList>

#include "app/models/whatif/explain_rows.hpp"
#include "app/session/whatif/largest_study.hpp"

namespace pipedeck::ui::pages {

/// Returns one sentence each for the answer, its plan's requirements, and why the next size does not fit.
QStringList largest_text(const session::whatif::LargestFound& found);

/// Returns one row per planned size; the length of its bar is the size.
std::vector<models::whatif::BarRow> tried_rows(const session::whatif::LargestFound& found);

}  // namespace pipedeck::ui::pages
