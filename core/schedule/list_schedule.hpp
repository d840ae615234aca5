// SPDX-License-Identifier: Apache-2.0
// List scheduling of a pipeline's operations by the predicted times of its stages, within the memory of its devices.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/domain/plan.hpp"
#include "core/domain/schedule.hpp"
#include "core/schedule/figures.hpp"

namespace pipedeck {

/// What an idle device takes when several operations are ready.
struct ListRule {
  enum class Order { backward_first, forward_first, in_turn };
  enum class Weights {
    fused,   ///< with the input gradient, as one backward
    fill,    ///< apart, when nothing else is ready
    patient  ///< the same, unless something else is known to become ready before half of it would be done
  };
  Order order = Order::backward_first;
  Weights weights = Weights::fill;
  bool deep_first = true;  ///< of equal operations the older micro-batch's; else the earlier stage's
  int in_flight = 0;       ///< micro-batches between forward and backward of the first stage; 0: as memory allows
  bool operator==(const ListRule&) const = default;
};

struct ListSchedule {
  Schedule schedule;
  std::int64_t end = 0;  ///< ns, by the figures alone: transfers do not wait for one another, nothing is all-reduced
};

/// Of a synchronous plan of one copy; `rooms` are the bytes on each of pipeline_ranks(plan) for what micro-batches
/// keep. Nothing where they do not suffice for one micro-batch, or once `stop` is requested.
std::optional<ListSchedule> list_schedule(const Plan& plan, std::span<const StageFigures> figures, const ListRule& rule,
                                          std::span<const Bytes> rooms, const std::stop_token& stop = {});

}  // namespace pipedeck
