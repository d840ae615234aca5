// SPDX-License-Identifier: Apache-2.0
#include "core/io/csv/timeline_columns.hpp"

#include <bit>
#include <cstring>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

namespace pipedeck::io::csv {
namespace {

static_assert(std::endian::native == std::endian::little, "columns are written as they lie in memory");

constexpr std::string_view magic = "PDT1";
constexpr std::size_t head_bytes = 4 + 2 * sizeof(std::uint64_t);
constexpr std::size_t lane_bytes = 1 + 2 * sizeof(std::int32_t) + 2 * sizeof(std::uint64_t);
constexpr std::size_t row_bytes = 8 + 8 + 4 + 2 + 1;

template <class Value>
void append(std::string& bytes, Value value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes.append(raw, sizeof value);
}

template <class Value>
void append(std::string& bytes, const std::vector<Value>& column) {
  static_assert(std::is_trivially_copyable_v<Value>);
  bytes.append(reinterpret_cast<const char*>(column.data()), column.size() * sizeof(Value));
}

/// Walks over bytes whose number was checked before.
class Walk {
 public:
  explicit Walk(const std::string& bytes) : bytes_(bytes) {}

  template <class Value>
  Value next() {
    Value value;
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  template <class Value>
  void next(std::vector<Value>& column, std::size_t size) {
    column.resize(size);
    if (size > 0) std::memcpy(column.data(), bytes_.data() + at_, size * sizeof(Value));
    at_ += size * sizeof(Value);
  }

 private:
  const std::string& bytes_;
  std::size_t at_ = magic.size();
};

Result<void> check_lane(const TimelineLane& lane, std::size_t index, std::size_t rows) {
  if (lane.role > LaneRole::link || lane.begin > lane.end || lane.end > rows)
    return fail(ErrorCode::bad_input, fmt::format("lane {} goes past its {} operations", index, rows));
  return {};
}

}  // namespace

std::string timeline_to_columns(const Timeline& timeline) {
  std::string bytes(magic);
  bytes.reserve(head_bytes + timeline.lanes.size() * lane_bytes + timeline.size() * row_bytes);
  append(bytes, std::uint64_t{timeline.lanes.size()});
  append(bytes, std::uint64_t{timeline.size()});
  for (const TimelineLane& lane : timeline.lanes) {
    append(bytes, static_cast<std::uint8_t>(lane.role));
    append(bytes, std::int32_t{lane.device.value});
    append(bytes, std::int32_t{lane.to.value});
    append(bytes, std::uint64_t{lane.begin});
    append(bytes, std::uint64_t{lane.end});
  }
  append(bytes, timeline.start);
  append(bytes, timeline.duration);
  append(bytes, timeline.micro_batch);
  append(bytes, timeline.stage);
  append(bytes, timeline.kind);
  return bytes;
}

Result<Timeline> timeline_from_columns(const std::string& bytes) {
  if (bytes.size() < head_bytes || !bytes.starts_with(magic))
    return fail(ErrorCode::bad_input, "found other bytes than a timeline's columns");
  Walk walk(bytes);
  const auto lanes = walk.next<std::uint64_t>();
  const auto rows = walk.next<std::uint64_t>();
  const std::size_t most = bytes.size();
  if (lanes > most || rows > most || head_bytes + lanes * lane_bytes + rows * row_bytes != bytes.size())
    return fail(ErrorCode::bad_input,
                fmt::format("found {} bytes, which are not {} lanes with {} operations", bytes.size(), lanes, rows));
  Timeline timeline;
  for (std::size_t i = 0; i < lanes; ++i) {
    TimelineLane lane;
    lane.role = static_cast<LaneRole>(walk.next<std::uint8_t>());
    lane.device = DeviceId(walk.next<std::int32_t>());
    lane.to = DeviceId(walk.next<std::int32_t>());
    lane.begin = walk.next<std::uint64_t>();
    lane.end = walk.next<std::uint64_t>();
    TRY_VOID(check_lane(lane, i, rows));
    timeline.lanes.push_back(lane);
  }
  walk.next(timeline.start, rows);
  walk.next(timeline.duration, rows);
  walk.next(timeline.micro_batch, rows);
  walk.next(timeline.stage, rows);
  walk.next(timeline.kind, rows);
  for (std::size_t i = 0; i < rows; ++i) {
    if (static_cast<int>(timeline.kind[i]) >= op_kind_count)
      return fail(ErrorCode::bad_input, fmt::format("operation {} is of a kind that there is not", i));
  }
  return timeline;
}

}  // namespace pipedeck::io::csv
