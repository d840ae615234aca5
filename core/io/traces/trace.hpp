// SPDX-License-Identifier: Apache-2.0
// Chrome trace of a timeline, for Perfetto and chrome://tracing. Four groups of tracks: the devices' passes, their all-
// reduces, the links between them, and their memory as counters. It avoids content that these programs would drop or
// move: no two operations of a track overlap, a track's number belongs to one group alone, and microseconds carry the
// nanoseconds after the point.
#pragma once

#include <string>

#include "core/model/plan.hpp"
#include "core/model/simulation.hpp"

namespace pipedeck::io::traces {

/// For operations alone, measured ones for instance.
std::string chrome_trace(const Timeline& timeline, const std::string& title);

/// With the memory of every device, and with the plan's values if it is given.
std::string chrome_trace(const Simulation& simulation, const std::string& title, const Plan* plan = nullptr);

}  // namespace pipedeck::io::traces
