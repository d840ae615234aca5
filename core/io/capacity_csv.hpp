// SPDX-License-Identifier: Apache-2.0
// Points of a capacity question as CSV: the same columns from the window and from the command line.
#pragma once

#include <span>

#include "core/domain/capacity.hpp"
#include "core/io/csv.hpp"

namespace pipedeck {

/// A row a point, in their order; what a point that does not fit has not is empty.
CsvTable capacity_csv(const CapacityGoal& goal, std::span<const CapacityFound> found);

}  // namespace pipedeck
