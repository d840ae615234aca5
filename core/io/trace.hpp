// SPDX-License-Identifier: Apache-2.0
// Chrome trace of a timeline, for Perfetto and chrome://tracing. Four groups of tracks: what devices compute, their
// all-reduces, the links between them, and their memory as counters. What these programs would drop or move is not
// written: no two operations of a track overlap, a track's number belongs to one group alone, and microseconds carry
// the nanoseconds behind the point.
#pragma once

#include <string>

#include "core/domain/plan.hpp"
#include "core/domain/simulation.hpp"

namespace pipedeck {

/// Of operations alone, measured ones for instance.
std::string chrome_trace(const Timeline& timeline, const std::string& title);

/// With the memory of every device; with the figures of the plan where it is at hand.
std::string chrome_trace(const Simulation& simulation, const std::string& title, const Plan* plan = nullptr);

}  // namespace pipedeck
