// SPDX-License-Identifier: Apache-2.0
// A predicted or measured timeline in columns that the Gantt chart reads directly; 23 bytes per operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/model/schedule.hpp"

namespace pipedeck {

enum class LaneRole : std::uint8_t {
  compute,     ///< forward, backward, recompute, optimizer of a device
  collective,  ///< all-reduces of a device; overlap its compute
  link,        ///< transfers over a directed pair of nodes or of devices
};

/// A lane. Its operations do not overlap and are sorted by start.
struct TimelineLane {
  LaneRole role = LaneRole::compute;
  DeviceId device;                 ///< compute, collective: the device; link: the lowest sending device
  DeviceId to;                     ///< link: the lowest receiving device
  std::size_t begin = 0, end = 0;  ///< half-open range in the columns
  bool operator==(const TimelineLane&) const = default;
  std::size_t size() const { return end - begin; }
};

struct TimelineRow {
  Nanoseconds start, duration;
  Operation operation;
  bool operator==(const TimelineRow&) const = default;
  Nanoseconds end() const { return start + duration; }
};

struct Timeline {
  std::vector<TimelineLane> lanes;
  std::vector<std::int64_t> start;     ///< ns
  std::vector<std::int64_t> duration;  ///< ns
  std::vector<std::int32_t> micro_batch;
  std::vector<std::uint16_t> stage;
  std::vector<OpKind> kind;
  bool operator==(const Timeline&) const = default;

  std::size_t size() const { return start.size(); }
  TimelineRow row(std::size_t i) const {
    return {
        Nanoseconds(start[i]), Nanoseconds(duration[i]), {kind[i], StageId(std::int32_t{stage[i]}), micro_batch[i]}};
  }
  /// Returns the latest end of any operation; 0 for an empty timeline.
  Nanoseconds makespan() const;
  /// Appends a lane with `rows`, sorted by start. Transfers have kind send and the sending stage.
  void append_lane(TimelineLane lane, std::span<const TimelineRow> rows);
};

}  // namespace pipedeck
