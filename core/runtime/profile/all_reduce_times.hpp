// SPDX-License-Identifier: Apache-2.0
// All-reduces among devices: how long they took, and how long the library that does them expects them to take.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/domain/units.hpp"
#include "core/runtime/profile/robust.hpp"

namespace pipedeck {

struct AllReduceTimes {
  Bytes bytes;                       ///< of each device, as many as come out
  RobustSummary measured;            ///< s, on the first device
  std::optional<Seconds> estimated;  ///< by the library, for the same devices; empty where it has no estimate
};

struct AllReduceMeasurement {
  std::vector<AllReduceTimes> sizes;
  std::string not_estimated;  ///< why the library was not asked for estimates; empty: it was
};

}  // namespace pipedeck
