// SPDX-License-Identifier: Apache-2.0
// What a simulation needs, told before it starts: a plan of thousands of stages and micro-batches must not end in a
// machine without memory.
#pragma once

#include <cstdint>

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

/// bad_input with what would be needed where that is more than `limit`.
Result<void> check_size(const Plan& plan, bool verdict, Bytes limit = largest_simulation);

}  // namespace pipedeck
