// SPDX-License-Identifier: GPL-3.0-or-later
// The difference of two plans' timelines, device by device. It has the spans in which only one is busy or both run
// different operations. It also has how much earlier or later each operation of the second starts.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>

#include "app/models/gantt/content.hpp"

namespace pipedeck::models::gantt {

/// A kind of difference in a span of device time. The values are those of the operation kinds whose colours they share.
enum class Difference : std::uint8_t {
  gained = static_cast<std::uint8_t>(OpKind::forward),     ///< only the first plan is busy: time gained
  lost = static_cast<std::uint8_t>(OpKind::backward),      ///< only the second plan is busy: time lost
  other = static_cast<std::uint8_t>(OpKind::optimizer),    ///< both are busy with different operations
  earlier = static_cast<std::uint8_t>(OpKind::recompute),  ///< an operation of the second plan starts slightly earlier
  later = static_cast<std::uint8_t>(OpKind::backward_weight),
};

struct GanttDifference {
  std::shared_ptr<const Content> from, to;
  /// Lanes of spans with kind = Difference and micro-batch = -1, one lane per device used by either plan; folded as
  /// usual.
  std::shared_ptr<const Content> busy;
  /// Operations of the second plan by their start compared with the first: `gained` or `lost` if much earlier or later,
  /// `earlier` or `later` if less. Operations with equal starts or without a counterpart are omitted.
  std::shared_ptr<const Content> lag;
  std::int64_t gained = 0, lost = 0, other = 0;  ///< ns, summed over all devices
  std::size_t matched = 0,
              unmatched = 0;  ///< operations of the second plan with and without a counterpart in the first

  /// Returns the start of the same operation (kind, stage, micro-batch) in the first plan, or nullopt if it has none.
  std::optional<std::int64_t> start_in_first(const Operation& operation) const;

  /// Earliest start in the first plan, by kind and stage, then by micro-batch; -1: none.
  std::vector<std::vector<std::int64_t>> starts;
  std::size_t stages = 0;
};

/// Returns null if it was stopped or either content is null.
std::shared_ptr<const GanttDifference> make_difference(std::shared_ptr<const Content> from,
                                                       std::shared_ptr<const Content> to,
                                                       const std::stop_token& stop = {});

}  // namespace pipedeck::models::gantt
