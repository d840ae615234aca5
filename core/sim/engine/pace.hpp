// SPDX-License-Identifier: Apache-2.0
// The rate of an asynchronous plan in its steady state.
#pragma once

#include <cstdint>
#include <vector>

#include "core/sim/engine/engine.hpp"

namespace pipedeck::sim::engine {

/// A time in which a number of mini-batches passes a worker's stage, again and again.
struct Pace {
  double time = 0;  ///< ns
  double mini_batches = 1;
  bool periodic = false;  ///< false: times do not repeat within the run, and this is a mean
};

/// Returns the pace of the slowest worker of an asynchronous run. In the long run all workers have it: each can only
/// run ahead by the mini-batches in flight.
///
/// A worker's pace is the least period of the ends of its backwards, if the run is long enough to show one: it must
/// hold over a period and twice the mini-batches in flight. Otherwise it is a mean. The drain is left out.
Pace steady_pace(const EngineInput& run, const Trace& trace);

}  // namespace pipedeck::sim::engine
