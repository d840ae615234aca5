// SPDX-License-Identifier: Apache-2.0
// Sensitivity as people read it: devices and links that gain the same are one row.
#pragma once

#include <vector>

#include "core/domain/explanation.hpp"

namespace pipedeck {

/// Of one kind and one gain, to the nanosecond; devices ascending, links as they came.
struct SensitivityGroup {
  std::vector<SensitivityEntry> entries;
  const SensitivityEntry& first() const { return entries.front(); }
  std::vector<DeviceId> devices() const;  ///< of device_speed and device_memory
};

/// In the order of their first entries: the largest gain first.
std::vector<SensitivityGroup> grouped(const Sensitivity& sensitivity);

}  // namespace pipedeck
