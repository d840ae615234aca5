// SPDX-License-Identifier: GPL-3.0-or-later
// Two plans' timelines set against each other, device by device: when only one of them is busy, when they do different
// things, and how much earlier or later each operation of the second starts.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>

#include "app/models/gantt_content.hpp"

namespace pipedeck::app {

/// What a span of device-time is. They are drawn as kinds of operations are, hence the numbers.
enum class Difference : std::uint8_t {
  gained = static_cast<std::uint8_t>(OpKind::forward),     ///< only the first plan is busy: time gained
  lost = static_cast<std::uint8_t>(OpKind::backward),      ///< only the second is: time lost
  other = static_cast<std::uint8_t>(OpKind::optimizer),    ///< both are, with different operations
  earlier = static_cast<std::uint8_t>(OpKind::recompute),  ///< an operation of the second starts earlier, a little
  later = static_cast<std::uint8_t>(OpKind::backward_weight),
};

struct GanttDifference {
  std::shared_ptr<const GanttContent> from, to;
  /// Lanes of spans: kind = Difference, micro-batch = -1. A lane a device that either plan uses; folded as usual.
  std::shared_ptr<const GanttContent> busy;
  /// Operations of the second plan: gained or lost, where they start much earlier or later than in the first, earlier
  /// or later where by less; nothing where at the same time or where the first has no such operation.
  std::shared_ptr<const GanttContent> lag;
  std::int64_t gained = 0, lost = 0, other = 0;  ///< ns over all devices
  std::size_t matched = 0, unmatched = 0;        ///< operations of the second plan that the first has, has not

  /// Starts of the same operation (kind, stage, micro-batch) in the first plan; nullopt: it has none.
  std::optional<std::int64_t> start_in_first(const Operation& operation) const;

  /// The earliest start in the first plan by kind and stage, then micro-batch; -1: none.
  std::vector<std::vector<std::int64_t>> starts;
  std::size_t stages = 0;
};

/// Null where it was stopped, or either is null.
std::shared_ptr<const GanttDifference> make_difference(std::shared_ptr<const GanttContent> from,
                                                       std::shared_ptr<const GanttContent> to,
                                                       const std::stop_token& stop = {});

}  // namespace pipedeck::app
