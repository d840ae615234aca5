// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/runtime/layout.hpp"
#include "core/runtime/report.hpp"

namespace pipedeck {

/// The step's operations as the simulator's timeline has them: a compute lane a device, a collective lane a device that
/// took part in one, a link lane a directed pair of devices. `reports`: one a placement. A step of an asynchronous run
/// is, on each device, what comes behind its last backward of the step before; times count from the first of it all.
Timeline measured_timeline(const Layout& layout, const std::vector<StepReport>& reports);

}  // namespace pipedeck
