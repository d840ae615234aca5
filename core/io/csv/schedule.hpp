// SPDX-License-Identifier: Apache-2.0
// Orders of operations as PyTorch's pipelining writes and reads them: a row a device, a cell an operation (formats.md,
// "Schedule").
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/model/plan.hpp"
#include "core/model/schedule.hpp"

namespace pipedeck::io::csv {

/// A row a lane, in device order. A recompute right before its backward is not written: PyTorch has none.
std::string schedule_to_csv(const Schedule& schedule);

/// Returns `base` with the schedule `explicit` and the operations of `text`: one row per device of the plan, in device
/// order, or one row for all devices of each rank of the pipeline. If a stage recomputes and its rows do not list it,
/// it does so right before each backward. Errors carry line and cell.
Result<Plan> plan_with_schedule_csv(const Plan& base, const std::string& text);

}  // namespace pipedeck::io::csv
