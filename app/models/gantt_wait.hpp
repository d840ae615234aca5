// SPDX-License-Identifier: GPL-3.0-or-later
// Why an operation did not start earlier.
#pragma once

#include <optional>

#include "app/models/gantt_content.hpp"

namespace pipedeck::app {

enum class WaitFor { nothing, activation, gradient, all_reduce };

struct GanttWait {
  WaitFor cause = WaitFor::nothing;
  Nanoseconds idle;                  ///< the lane stood still before it
  std::optional<std::size_t> group;  ///< whose activation or gradient it was
  bool operator==(const GanttWait&) const = default;
};

/// `operation` is a column of `lane` (a compute lane).
GanttWait wait_of(const GanttContent& content, std::size_t lane, std::size_t operation);

}  // namespace pipedeck::app
