// SPDX-License-Identifier: GPL-3.0-or-later
// The reason why an operation did not start earlier.
#pragma once

#include <optional>

#include "app/models/gantt/content.hpp"

namespace pipedeck::models::gantt {

enum class WaitFor { nothing, activation, gradient, all_reduce };

struct Wait {
  WaitFor cause = WaitFor::nothing;
  Nanoseconds idle;                  ///< idle time of the lane before it
  std::optional<std::size_t> group;  ///< source of the activation or gradient
  bool operator==(const Wait&) const = default;
};

/// Finds the wait of `operation`, a column of `lane` (a compute lane).
Wait wait_reason(const Content& content, std::size_t lane, std::size_t operation);

}  // namespace pipedeck::models::gantt
