// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/memory/curves.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

namespace pipedeck::models::memory {

namespace {

constexpr std::size_t block_size = 64;

void widen(Range& range, const Range& other) {
  range.least = std::min(range.least, other.least);
  range.most = std::max(range.most, other.most);
}

std::vector<Range> blocks_of(const std::vector<MemoryPoint>& curve) {
  std::vector<Range> blocks;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    const Range point{curve[i].bytes.count, curve[i].bytes.count};
    if (i % block_size == 0) blocks.push_back(point);
    widen(blocks.back(), point);
  }
  return blocks;
}

int stage_of(const Timeline& timeline, DeviceId device) {
  for (const TimelineLane& lane : timeline.lanes)
    if (lane.role == LaneRole::compute && lane.device == device && lane.size() > 0) return timeline.stage[lane.begin];
  return 0;
}

bool same_curve(const SimulatedDevice& a, const SimulatedDevice& b) {
  return a.capacity == b.capacity && a.peak == b.peak && a.curve == b.curve;
}

}  // namespace

Range Curve::range(double begin, double end) const {
  const std::vector<MemoryPoint>& points = simulated->curve;
  const auto after = [&points](double time) {
    return static_cast<std::size_t>(std::partition_point(points.begin(), points.end(),
                                                         [time](const MemoryPoint& point) {
                                                           return static_cast<double>(point.time.count) <= time;
                                                         }) -
                                    points.begin());
  };
  if (points.empty()) return {};
  const std::size_t first = std::max<std::size_t>(after(begin), 1) - 1;
  return range_of_points(first, std::max(after(end), first + 1));
}

std::vector<Range> Curve::ranges(double begin, double span, std::size_t count) const {
  const std::vector<MemoryPoint>& points = simulated->curve;
  std::vector<Range> ranges(count);
  if (points.empty()) return ranges;
  std::size_t after = 0;  // first point after the processed time
  const auto go_to = [&](double time) {
    while (after < points.size() && static_cast<double>(points[after].time.count) <= time) ++after;
  };
  go_to(begin);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = std::max<std::size_t>(after, 1) - 1;
    go_to(begin + static_cast<double>(i + 1) * span);
    ranges[i] = range_of_points(first, std::max(after, first + 1));
  }
  return ranges;
}

Range Curve::range_of_points(std::size_t first, std::size_t last) const {
  const std::vector<MemoryPoint>& points = simulated->curve;
  const auto value = [&points](std::size_t i) { return Range{points[i].bytes.count, points[i].bytes.count}; };
  Range range = value(first);
  for (std::size_t i = first; i < last;) {
    if (i % block_size == 0 && i + block_size <= last) {
      widen(range, blocks[i / block_size]);
      i += block_size;
    } else {
      widen(range, value(i++));
    }
  }
  return range;
}

std::shared_ptr<const Curves> make_memory_curves(std::shared_ptr<const Simulation> simulation) {
  if (!simulation) return nullptr;
  auto curves = std::make_shared<Curves>();
  std::set<Bytes> capacities;
  for (const SimulatedDevice& simulated : simulation->devices) {
    curves->axis_top = std::max({curves->axis_top, simulated.peak, simulated.peak_upper_bound});
    curves->highest = std::max({curves->highest, curves->axis_top, simulated.capacity});
    if (simulated.capacity.count > 0) capacities.insert(simulated.capacity);
    auto curve = std::find_if(curves->curves.begin(), curves->curves.end(),
                              [&](const Curve& known) { return same_curve(*known.simulated, simulated); });
    if (curve == curves->curves.end())
      curve = curves->curves.insert(
          curve, {{}, stage_of(simulation->timeline, simulated.device), &simulated, blocks_of(simulated.curve)});
    std::vector<DeviceId>& devices = curve->devices;
    devices.push_back(simulated.device);
    devices.insert(devices.end(), simulated.twins.begin(), simulated.twins.end());
  }
  if (curves->axis_top.count == 0 || curves->axis_top.count >= curves->highest.count / 5)
    curves->axis_top = curves->highest;
  curves->capacities.assign(capacities.begin(), capacities.end());
  curves->end = std::max(simulation->timeline.makespan().count, std::int64_t{0});
  curves->simulation = std::move(simulation);
  return curves;
}

}  // namespace pipedeck::models::memory
