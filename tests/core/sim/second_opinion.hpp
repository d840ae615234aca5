// SPDX-License-Identifier: Apache-2.0
// A second opinion on the simulator, deliberately plain: no events and no clock. Every operation and transfer starts at
// the latest end of what it waits for; that is applied to all of them, again and again, until nothing moves any more.
// It takes the schedule's lists, layer times, paths and collectives as given (they have tests of their own) and shares
// nothing else with core/sim: samples, slices, channels, copies, rounds and reductions are worked out here again.
#pragma once

#include <map>
#include <vector>

#include "core/domain/plan.hpp"
#include "core/domain/schedule.hpp"
#include "core/domain/timeline.hpp"
#include "core/domain/workload.hpp"

namespace pipedeck::test {

struct Opinion {
  std::int64_t iteration = 0;                            ///< ns
  std::map<DeviceId, std::vector<TimelineRow>> compute;  ///< forwards, backwards, recomputes of every device, in order
};

/// Of a schedule that ends.
Opinion second_opinion(const Problem& problem, const Plan& plan, const Schedule& schedule);

}  // namespace pipedeck::test
