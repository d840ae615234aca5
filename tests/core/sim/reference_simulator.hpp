// SPDX-License-Identifier: Apache-2.0
// A second, slow simulator written from the contract alone: every operation, slice and all-reduce is a task; time steps
// from end to end and all tasks are looked at each time. It shares no code with core/sim, core/schedule or core/cost.
#pragma once

#include "core/model/plan.hpp"
#include "core/model/workload.hpp"

namespace pipedeck::test {

/// Synchronous gpipe and 1f1b without tensor parallelism and recompute, warm-up by plan.warmup with memory to spare;
/// one device type, profile times proportional, all nodes joined by one switch. Nanoseconds.
std::int64_t reference_iteration(const Problem& problem, const Plan& plan);

}  // namespace pipedeck::test
