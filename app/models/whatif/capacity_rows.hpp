// SPDX-License-Identifier: GPL-3.0-or-later
// The points of a capacity question as rows with bars: the duration of the training, and the reason why a point is
// ruled out.
#pragma once

#include <span>
#include <vector>

#include <QString>

#include "app/models/whatif/explain_rows.hpp"
#include "core/model/capacity.hpp"

namespace pipedeck::models::whatif {

/// Formats a duration: "17.7 d", "3.4 h", "12 min", "4.2 s".
QString days_text(Seconds time);

/// Returns one row per point, in their order. The bar is as long as the training and has a mark at the limit. It is
/// green if the goal is met. `currency` follows prices.
std::vector<BarRow> capacity_rows(const CapacityGoal& goal, std::span<const CapacityFound> found,
                                  const QString& currency);

/// Describes the best point, or else the nearest one and why it is ruled out. Empty if nothing was found.
QString capacity_text(const CapacityGoal& goal, std::span<const CapacityFound> found, const QString& currency);

}  // namespace pipedeck::models::whatif
