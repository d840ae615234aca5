// SPDX-License-Identifier: Apache-2.0
// Times of all-reduces among devices: measured, and as estimated by the library that does them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/units.hpp"
#include "core/runtime/machine/robust.hpp"

namespace pipedeck::runtime::transport {

struct AllReduceTimes {
  Bytes bytes;                       ///< per device, as many as come out
  machine::RobustSummary measured;   ///< s, on the first device
  std::optional<Seconds> estimated;  ///< by the library, for the same devices; empty if it has no estimate
};

struct AllReduceMeasurement {
  std::vector<AllReduceTimes> sizes;
  std::string not_estimated;  ///< reason for missing estimates; empty if the library gave estimates
};

}  // namespace pipedeck::runtime::transport
