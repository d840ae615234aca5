// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences that explain a plan's speed, made from figures of the core.
#pragma once

#include <vector>

#include <QString>

#include "app/models/compare/plan_row.hpp"

namespace pipedeck::models::compare {

/// Returns the reasons for a simulated plan as sentences; none if the row has no reasons. An all-reduce without
/// contention is worded as "at least".
std::vector<QString> reason_sentences(const PlanRow& row);

}  // namespace pipedeck::models::compare
