// SPDX-License-Identifier: Apache-2.0
// A compact form of memory over time by item: most items are constant, and only the others have a curve.
#pragma once

#include <cstddef>
#include <vector>

#include "core/model/simulation.hpp"

namespace pipedeck {

/// A point of the items that vary, valid from `time` on until the next point.
struct ItemPoint {
  Nanoseconds time;
  Bytes activations, boundary, workspace;
  bool operator==(const ItemPoint&) const = default;
  Bytes changing() const { return activations + boundary + workspace; }
};

struct DeviceItems {
  DeviceId device;
  MemoryBreakdown held;           ///< constant items; varying ones are 0 here
  std::vector<ItemPoint> points;  ///< first point at 0
  bool operator==(const DeviceItems&) const = default;
  MemoryBreakdown at(std::size_t point) const;
};

/// Returns the items of a simulation that recorded them (SimulatedDevice::item_curve). Omits devices without them.
std::vector<DeviceItems> memory_items_of(const Simulation& simulation);

}  // namespace pipedeck
