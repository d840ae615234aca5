// SPDX-License-Identifier: Apache-2.0
// List scheduling of a pipeline's operations by the stages' predicted times, within the memory of the devices.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/model/plan.hpp"
#include "core/model/schedule.hpp"
#include "core/schedule/stage_estimates.hpp"

namespace pipedeck::schedule {

/// A rule that selects an idle device's operation when several are ready.
struct ListRule {
  enum class Order { backward_first, forward_first, alternate };
  enum class Weights {
    fused,                  ///< with the input gradient, as one backward
    fill,                   ///< separate, when nothing else is ready
    delay_weight_gradients  ///< as fill, but waits if another operation becomes ready before half of it would be done
  };
  Order order = Order::backward_first;
  Weights weights = Weights::fill;
  bool deep_first = true;  ///< among equals, the older micro-batch; otherwise the earlier stage
  int in_flight = 0;       ///< micro-batches in flight on the first stage; 0: as memory allows
  bool operator==(const ListRule&) const = default;
};

struct ListSchedule {
  Schedule schedule;
  std::int64_t end = 0;  ///< ns, by predicted times alone: no contention between transfers, no all-reduces
};

/// Schedules a synchronous plan of one copy. `rooms` are the bytes for saved activations on each of
/// pipeline_ranks(plan). Returns nothing if they are too small for one micro-batch, or after a request to `stop`.
std::optional<ListSchedule> list_schedule(const Plan& plan, std::span<const StageEstimates> figures,
                                          const ListRule& rule, std::span<const Bytes> rooms,
                                          const std::stop_token& stop = {});

}  // namespace pipedeck::schedule
