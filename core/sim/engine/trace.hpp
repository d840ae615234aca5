// SPDX-License-Identifier: Apache-2.0
// The engine's trace, and its consequences: optimizer steps, the iteration.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/timeline.hpp"
#include "core/sim/costs/plan_costs.hpp"

namespace pipedeck::sim::engine {

struct TransferRow {
  std::int64_t start = 0, duration = 0;  ///< ns
  int channel = 0;
  int micro_batch = 0;
};

struct ReductionRow {
  std::int64_t start = 0, duration = 0;
  int micro_batch = 0;  ///< asynchronous: the round; else 0
};

/// The trace of a simulation. It has rows of operations and transfers only on request.
struct Trace {
  bool complete = false;                                 ///< false: the lists deadlock
  std::vector<std::vector<TimelineRow>> operations;      ///< by lane, optimizer steps of asynchronous plans included
  std::vector<std::vector<TransferRow>> transfers;       ///< by resource
  std::vector<std::vector<ReductionRow>> reductions;     ///< by stage
  std::vector<std::int64_t> end;                         ///< by lane: of its last operation
  std::vector<std::int64_t> synchronised;                ///< by stage: end of its last all-reduce, or 0
  std::vector<std::vector<std::int64_t>> backward_ends;  ///< asynchronous: by worker
};

/// The duration of each pass, if passes of one kind differ: ns, by lane and place in its list.
using PassDurations = std::vector<std::vector<std::int64_t>>;

/// When the n-th all-reduce of a stage may start after the start of a replica's last gradient operation, which takes
/// `duration`: layers take their share of it.
std::int64_t gradient_ready(const costs::StageReplicaCosts& worker, OpKind last, std::int64_t duration,
                            std::size_t nth);

/// The optimizer step of one chunk on one device after a synchronous iteration.
struct OptimizerStep {
  int stage = 0;
  std::int64_t start = 0, duration = 0;
};
/// Optimizer steps of the chunks on the device of rank `rank` of a lane, one after another, each after its stage's last
/// all-reduce.
std::vector<OptimizerStep> optimizer_steps(const costs::PlanCosts& costs, const Trace& trace, std::size_t lane,
                                           std::size_t rank);

/// The end of the lane's last optimizer step, on its slowest device.
std::int64_t end_of_step(const costs::PlanCosts& costs, const Trace& trace, std::size_t lane);

/// From 0 to the end of the last optimizer step.
Nanoseconds synchronous_iteration(const costs::PlanCosts& costs, const Trace& trace);

/// For a recorded run.
PassDurations pass_durations(const Trace& trace);

}  // namespace pipedeck::sim::engine
