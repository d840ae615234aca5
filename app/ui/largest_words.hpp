// SPDX-License-Identifier: GPL-3.0-or-later
// What was found of the largest size that fits, in words and as rows with bars.
#pragma once

#include <vector>

#include <QStringList>

#include "app/models/explain_rows.hpp"
#include "app/session/largest_study.hpp"

namespace pipedeck::app {

/// The answer, what its plan takes, and why the next size is none: a sentence each.
QStringList largest_words(const LargestFound& found);

/// A row a size that was planned for, its bar as long as the size.
std::vector<BarRow> tried_rows(const LargestFound& found);

}  // namespace pipedeck::app
