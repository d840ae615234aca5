// SPDX-License-Identifier: Apache-2.0
// Points of a capacity question as CSV: the same columns from the window and from the command line.
#pragma once

#include <span>

#include "core/io/csv/csv.hpp"
#include "core/model/capacity.hpp"

namespace pipedeck::io::csv {

/// A row a point, in their order; what a point that does not fit has not is empty.
CsvTable capacity_csv(const CapacityGoal& goal, std::span<const CapacityFound> found);

}  // namespace pipedeck::io::csv
