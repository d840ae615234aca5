// SPDX-License-Identifier: Apache-2.0
// A second opinion on the simulator, deliberately plain: no events and no clock. Every operation and transfer starts at
// the latest end of its inputs; this is applied to all of them until nothing changes. It takes the schedule's lists,
// layer times, paths and collectives as given (they have their own tests). It shares nothing else with core/sim:
// samples, slices, channels, copies, rounds and reductions are computed again here.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "core/model/plan.hpp"
#include "core/model/schedule.hpp"
#include "core/model/timeline.hpp"
#include "core/model/workload.hpp"

namespace pipedeck::test {

/// The transfer of one micro-batch from a stage to the next, or back, over one resource.
struct Sent {
  int stage = 0, micro_batch = 0;  ///< the sending stage
  std::int64_t start = 0, duration = 0;
};

struct Opinion {
  std::int64_t iteration = 0;                            ///< ns
  std::map<DeviceId, std::vector<TimelineRow>> compute;  ///< forwards, backwards, recomputes of every device, in order
  std::vector<Sent> transfers;                           ///< in an order that durations do not change
  bool settled = true;                                   ///< false: transfers keep changing their order
  std::vector<std::size_t>
      turns;  ///< transfers of each resource, then stages of each device's optimizer steps, in turn
};

/// Other durations than the plan's: each function maps the plan's own duration of an operation.
struct Durations {
  std::function<std::int64_t(DeviceId lead, std::size_t place, std::int64_t own)> operation;
  std::function<std::int64_t(std::size_t transfer, std::int64_t own)> transfer;
  std::function<std::int64_t(std::size_t stage, std::size_t which, std::int64_t own)> reduction;
};

/// Computes the second opinion on a schedule that ends.
Opinion second_opinion(const Problem& problem, const Plan& plan, const Schedule& schedule,
                       const Durations* durations = nullptr);

}  // namespace pipedeck::test
