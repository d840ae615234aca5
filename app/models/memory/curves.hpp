// SPDX-License-Identifier: GPL-3.0-or-later
// Memory over time prepared for drawing. Devices with equal curves are merged, and each pixel reads the minimum and
// maximum bytes.
#pragma once

#include <memory>
#include <vector>

#include "core/model/simulation.hpp"

namespace pipedeck::models::memory {

struct Range {
  std::int64_t least = 0, most = 0;
  bool operator==(const Range&) const = default;
};

struct Curve {
  std::vector<DeviceId> devices;               ///< ascending
  int stage = 0;                               ///< of the first device's first operation
  const SimulatedDevice* simulated = nullptr;  ///< of the first device; valid as long as the simulation

  /// Returns the extremes over [begin, end) ns. If begin equals end, returns the value at that time.
  Range range(double begin, double end) const;
  /// Returns the extremes of `count` adjacent spans of `span` ns each.
  std::vector<Range> ranges(double begin, double span, std::size_t count) const;
  std::int64_t at(double time) const { return range(time, time).least; }

  Range range_of_points(std::size_t first, std::size_t last) const;

  std::vector<Range> blocks;  ///< of 64 points each, for ranges of many points
};

struct Curves {
  std::shared_ptr<const Simulation> simulation;
  std::vector<Curve> curves;  ///< by first device
  std::int64_t end = 0;       ///< ns: end of the curves
  Bytes highest;              ///< maximum of all peaks, upper bounds and capacities
  Bytes axis_top;             ///< end of the axis: `highest`, or the largest peak if that is under a fifth of it
  bool cut() const { return axis_top < highest; }
  std::vector<Bytes> capacities;  ///< distinct ones, ascending
};

std::shared_ptr<const Curves> make_memory_curves(std::shared_ptr<const Simulation> simulation);

}  // namespace pipedeck::models::memory
