// SPDX-License-Identifier: Apache-2.0
#include "core/model/timeline.hpp"

#include <algorithm>

#include "core/model/simulation.hpp"

namespace pipedeck {

Nanoseconds Timeline::makespan() const {
  std::int64_t last = 0;
  for (const TimelineLane& lane : lanes)
    if (lane.size() > 0) last = std::max(last, start[lane.end - 1] + duration[lane.end - 1]);
  return Nanoseconds(last);
}

void Timeline::append_lane(TimelineLane lane, std::span<const TimelineRow> rows) {
  lane.begin = size();
  for (const TimelineRow& row : rows) {
    start.push_back(row.start.count);
    duration.push_back(row.duration.count);
    micro_batch.push_back(row.operation.micro_batch);
    stage.push_back(static_cast<std::uint16_t>(row.operation.stage.value));
    kind.push_back(row.operation.kind);
  }
  lane.end = size();
  lanes.push_back(lane);
}

IdleBreakdown& IdleBreakdown::operator+=(const IdleBreakdown& other) {
  warmup += other.warmup;
  drain += other.drain;
  waiting_activation += other.waiting_activation;
  waiting_gradient += other.waiting_gradient;
  waiting_all_reduce += other.waiting_all_reduce;
  return *this;
}

Nanoseconds TimeBreakdown::total() const {
  Nanoseconds sum;
  for (const Nanoseconds time : times) sum += time;
  return sum;
}

Nanoseconds TimeBreakdown::communication() const {
  Nanoseconds sum;
  for (int part = static_cast<int>(TimePart::tensor_parallel); part < time_part_count; ++part)
    sum += times[static_cast<std::size_t>(part)];
  return sum;
}

std::size_t num_devices(const Simulation& simulation) {
  std::size_t count = simulation.devices.size();
  for (const SimulatedDevice& device : simulation.devices) count += device.twins.size();
  return count;
}

double TimeBreakdown::share(Nanoseconds part) const {
  const Nanoseconds whole = total();
  return whole.count > 0 ? static_cast<double>(part.count) / static_cast<double>(whole.count) : 0;
}

Bytes MemoryBreakdown::total() const {
  Bytes sum;
  for (const Bytes part : bytes) sum += part;
  return sum;
}

}  // namespace pipedeck
