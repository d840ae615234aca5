// SPDX-License-Identifier: Apache-2.0
// Memory over time by item, kept small: most items are held all the time, and only the others have a curve.
#pragma once

#include <cstddef>
#include <vector>

#include "core/domain/simulation.hpp"

namespace pipedeck {

/// The items that come and go, from `time` on until the next point.
struct ItemPoint {
  Nanoseconds time;
  Bytes activations, boundary, workspace;
  bool operator==(const ItemPoint&) const = default;
  Bytes changing() const { return activations + boundary + workspace; }
};

struct DeviceItems {
  DeviceId device;
  MemoryParts held;               ///< all the time; what changes is 0 here
  std::vector<ItemPoint> points;  ///< first point at 0
  bool operator==(const DeviceItems&) const = default;
  MemoryParts at(std::size_t point) const;
};

/// Of a simulation whose curves were asked for by item (DeviceVerdict::item_curve); devices without are left out.
std::vector<DeviceItems> memory_items_of(const Simulation& simulation);

}  // namespace pipedeck
