// SPDX-License-Identifier: Apache-2.0
// The memory of a simulation, known before it starts: a plan of thousands of stages and micro-batches must not exhaust
// the machine.
#pragma once

#include <cstdint>

#include "core/base/result.hpp"
#include "core/model/calibration.hpp"
#include "core/model/plan.hpp"

namespace pipedeck::sim {

/// At most: how many operations and transfers there are, and the bytes that they take.
struct SimulationSize {
  std::int64_t operations = 0;
  Bytes verdict;    ///< with timeline and memory curves
  Bytes time_only;  ///< without them: what Simulator::iteration_time needs
};
SimulationSize simulation_size(const Plan& plan);

/// A quarter of what a workstation has: a verdict larger than this is asked for by mistake.
inline constexpr Bytes max_simulation{std::int64_t{16} << 30};

/// bad_input with what would be needed where that is more than `limit`. `beside`: bytes an operation that the caller
/// holds besides.
Result<void> check_size(const Plan& plan, bool verdict, Bytes limit = max_simulation, std::int64_t beside = 0);

/// Additional memory for slowed passes: their durations for a result, and for a timeline also the rows of the run that
/// they are taken from.
std::int64_t slowed_bytes(const Calibration& calibration, bool verdict);
/// Additional memory for runs with jitter: those rows, and every thread's durations.
std::int64_t jittered_bytes(int threads);

}  // namespace pipedeck::sim
