// SPDX-License-Identifier: GPL-3.0-or-later
// Points of a capacity question as rows with bars: how long the training takes on each, and what rules it out.
#pragma once

#include <span>
#include <vector>

#include <QString>

#include "app/models/explain_rows.hpp"
#include "core/domain/capacity.hpp"

namespace pipedeck::app {

/// "17.7 d", "3.4 h".
QString days_text(Seconds time);

/// A row a point, in their order: its bar is as long as the training, with a mark at the limit; green where the goal is
/// met. `currency` stands behind sums.
std::vector<BarRow> capacity_rows(const CapacityGoal& goal, std::span<const CapacityFound> found,
                                  const QString& currency);

/// The point to take, or the nearest and what rules it out; empty where nothing is found.
QString capacity_words(const CapacityGoal& goal, std::span<const CapacityFound> found, const QString& currency);

}  // namespace pipedeck::app
