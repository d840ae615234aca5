// SPDX-License-Identifier: Apache-2.0
// What a simulation needs, told before it starts: a plan of thousands of stages and micro-batches must not end in a
// machine without memory.
#pragma once

#include <cstdint>

#include "core/domain/calibration.hpp"
#include "core/domain/plan.hpp"
#include "core/domain/result.hpp"

namespace pipedeck {

/// At most: how many operations and transfers there are, and the bytes that they take.
struct SimulationSize {
  std::int64_t operations = 0;
  Bytes verdict;    ///< with timeline and memory curves
  Bytes time_only;  ///< without them: what Simulator::iteration_time needs
};
SimulationSize simulation_size(const Plan& plan);

/// A quarter of what a workstation has: a verdict larger than this is asked for by mistake.
inline constexpr Bytes largest_simulation{std::int64_t{16} << 30};

/// bad_input with what would be needed where that is more than `limit`. `beside`: bytes an operation that the caller
/// holds besides.
Result<void> check_size(const Plan& plan, bool verdict, Bytes limit = largest_simulation, std::int64_t beside = 0);

/// What slowed passes need besides: of a verdict their durations, else also the rows of the run they are taken from.
std::int64_t slowed_bytes(const Calibration& calibration, bool verdict);
/// What runs with jitter need besides: those rows, and every thread's durations.
std::int64_t jittered_bytes(int threads);

}  // namespace pipedeck
