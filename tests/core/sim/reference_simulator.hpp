// SPDX-License-Identifier: Apache-2.0
// A second, slow simulator written from the contract alone. Every operation, slice and all-reduce is a task; time steps
// from end to end, and each step checks all tasks. It shares no code with core/sim, core/schedule or core/cost.
#pragma once

#include "core/model/plan.hpp"
#include "core/model/workload.hpp"

namespace pipedeck::test {

/// Returns the iteration in ns of a synchronous gpipe or 1f1b plan without tensor parallelism and recomputation,
/// warm-up by plan.warmup with enough memory. The cluster has one device type, proportional profile times, and one
/// switch for all nodes.
std::int64_t reference_iteration(const Problem& problem, const Plan& plan);

}  // namespace pipedeck::test
