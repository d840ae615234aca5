// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/runtime/exec/layout.hpp"
#include "core/runtime/exec/report.hpp"

namespace pipedeck::runtime::train {

/// Returns the step's operations as the simulator's timeline has them: a compute lane per device, a collective lane per
/// device that took part in one, a link lane per directed pair of devices. `reports` has one entry per placement. A
/// step of an asynchronous run begins, on each device, after its last backward of the step before. Times count from the
/// earliest begin.
Timeline measured_timeline(const exec::Layout& layout, const std::vector<exec::StepReport>& reports);

}  // namespace pipedeck::runtime::train
