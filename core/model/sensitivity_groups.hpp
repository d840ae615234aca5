// SPDX-License-Identifier: Apache-2.0
// Sensitivity for display: devices and links with the same gain share a row.
#pragma once

#include <vector>

#include "core/model/explanation.hpp"

namespace pipedeck {

/// A group of entries of the same kind and the same gain, to the nanosecond. Devices are ascending, links in the given
/// order.
struct SensitivityGroup {
  std::vector<SensitivityEntry> entries;
  const SensitivityEntry& first() const { return entries.front(); }
  std::vector<DeviceId> devices() const;  ///< for device_speed and device_memory
};

/// Returns the groups in the order of their first entries: the largest gain first.
std::vector<SensitivityGroup> grouped(const Sensitivity& sensitivity);

}  // namespace pipedeck
