// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/gantt/pyramid.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "app/models/gantt/lane_sums.hpp"

namespace pipedeck::models::gantt {

namespace {

std::uint8_t part_of(std::int64_t time, std::int64_t width) {
  if (time <= 0) return 0;
  return static_cast<std::uint8_t>(std::clamp<std::int64_t>((time * 255 + width / 2) / width, 1, 255));
}

std::vector<std::uint8_t> kinds_of(const Timeline& timeline, const TimelineLane& lane) {
  std::uint32_t there = 0;
  for (std::size_t i = lane.begin; i < lane.end; ++i) there |= 1u << static_cast<unsigned>(timeline.kind[i]);
  std::vector<std::uint8_t> kinds;
  for (std::uint8_t kind = 0; kind < op_kind_count; ++kind)
    if (there >> kind & 1) kinds.push_back(kind);
  return kinds;
}

/// A map from kinds to their positions among a lane's kinds.
using Slots = std::array<std::uint8_t, op_kind_count>;

Slots slots_of(std::span<const std::uint8_t> kinds) {
  Slots of_kind{};
  for (std::size_t i = 0; i < kinds.size(); ++i) of_kind[kinds[i]] = static_cast<std::uint8_t>(i);
  return of_kind;
}

/// Returns nanoseconds by bin and kind.
std::vector<std::int64_t> lowest_times(const Timeline& timeline, const TimelineLane& lane, const LanePyramid& pyramid,
                                       std::size_t bins) {
  const Slots slot_of = slots_of(pyramid.kinds);
  const std::size_t kinds = pyramid.kinds.size();
  std::vector<std::int64_t> times(bins * kinds);
  for (std::size_t i = lane.begin; i < lane.end; ++i) {
    const std::size_t slot = slot_of[static_cast<std::size_t>(timeline.kind[i])];
    const std::int64_t end = timeline.start[i] + timeline.duration[i];
    for (std::int64_t at = std::max<std::int64_t>(timeline.start[i], 0); at < end;) {
      const std::int64_t bin = at >> pyramid.shift;
      const std::int64_t until = std::min(end, (bin + 1) << pyramid.shift);
      times[static_cast<std::size_t>(bin) * kinds + slot] += until - at;
      at = until;
    }
  }
  return times;
}

std::vector<std::uint8_t> parts_of(const std::vector<std::int64_t>& times, int shift) {
  std::vector<std::uint8_t> parts(times.size());
  std::ranges::transform(times, parts.begin(),
                         [width = std::int64_t{1} << shift](std::int64_t time) { return part_of(time, width); });
  return parts;
}

/// Adds up pairs of neighbours in place.
void halve(std::vector<std::int64_t>& times, std::size_t kinds) {
  const std::size_t bins = times.size() / kinds;
  for (std::size_t i = 0; 2 * i < bins; ++i)
    for (std::size_t kind = 0; kind < kinds; ++kind)
      times[i * kinds + kind] =
          times[2 * i * kinds + kind] + (2 * i + 1 < bins ? times[(2 * i + 1) * kinds + kind] : 0);
  times.resize((bins + 1) / 2 * kinds);
}

}  // namespace

double LanePyramid::bin_width(int level) const { return std::ldexp(1.0, shift + level); }

int LanePyramid::level_for(double span) const {
  if (empty() || span < bin_width(0)) return -1;
  const int level = std::ilogb(span) - shift;
  return std::min(level, static_cast<int>(levels.size()) - 1);
}

void LanePyramid::sample_columns(int level, double begin, double span, std::span<std::uint8_t> parts) const {
  const std::vector<std::uint8_t>& stored = levels[static_cast<std::size_t>(level)];
  const std::size_t count = kinds.size();
  const double width = bin_width(level), per_bin = 1 / width;
  const auto per_span = static_cast<float>(1 / span);
  const auto bin_count = static_cast<std::int64_t>(bins(level));
  for (std::size_t column = 0; column * count < parts.size(); ++column) {
    const double from = begin + static_cast<double>(column) * span, to = from + span;
    std::array<float, op_kind_count> sums{};
    for (auto i = static_cast<std::int64_t>(std::max(0.0, from * per_bin)); i < bin_count; ++i) {
      const double left = static_cast<double>(i) * width;
      if (left >= to) break;
      const auto weight = static_cast<float>(std::min(to, left + width) - std::max(from, left));
      const std::uint8_t* bin = stored.data() + static_cast<std::size_t>(i) * count;
      for (std::size_t kind = 0; kind < count; ++kind) sums[kind] += weight * static_cast<float>(bin[kind]);
    }
    for (std::size_t kind = 0; kind < count; ++kind)
      parts[column * count + kind] =
          sums[kind] > 0 ? static_cast<std::uint8_t>(std::clamp(sums[kind] * per_span + 0.5f, 1.0f, 255.0f)) : 0;
  }
}

LanePyramid build_pyramid(const Timeline& timeline, const TimelineLane& lane) {
  if (lane.size() == 0) return {};
  const std::int64_t end = std::max<std::int64_t>(1, timeline.start[lane.end - 1] + timeline.duration[lane.end - 1]);
  // About half a bin per operation. At a finer scale, there are fewer operations than pixels, and they are read
  // directly.
  const auto wanted = static_cast<std::int64_t>(lane.size() / 2 + 1);
  const auto width = static_cast<std::uint64_t>(std::max<std::int64_t>(1, end / wanted));
  LanePyramid pyramid;
  pyramid.shift = static_cast<int>(std::bit_width(width)) - 1;
  pyramid.kinds = kinds_of(timeline, lane);
  std::vector<std::int64_t> times =
      lowest_times(timeline, lane, pyramid, static_cast<std::size_t>(((end - 1) >> pyramid.shift) + 1));
  for (int shift = pyramid.shift;; ++shift) {
    pyramid.levels.push_back(parts_of(times, shift));
    if (times.size() == pyramid.kinds.size()) return pyramid;
    halve(times, pyramid.kinds.size());
  }
}

std::vector<std::uint8_t> exact_parts(const Timeline& timeline, const TimelineLane& lane,
                                      std::span<const std::uint8_t> kinds, std::int64_t begin, std::int64_t end) {
  KindTimes times{};
  for (std::size_t i = first_ending_after(timeline, lane, static_cast<double>(begin));
       i < lane.end && timeline.start[i] < end; ++i)
    times[static_cast<std::size_t>(timeline.kind[i])] +=
        std::min(end, timeline.start[i] + timeline.duration[i]) - std::max(begin, timeline.start[i]);
  std::vector<std::uint8_t> parts;
  for (const std::uint8_t kind : kinds) parts.push_back(part_of(times[kind], end - begin));
  return parts;
}

void exact_columns(const Timeline& timeline, const TimelineLane& lane, std::span<const std::uint8_t> kinds, double span,
                   std::span<std::uint8_t> parts) {
  std::size_t first = lane.begin;
  for (std::size_t column = 0; column * kinds.size() < parts.size(); ++column) {
    const auto begin = static_cast<std::int64_t>(static_cast<double>(column) * span);
    const auto end = static_cast<std::int64_t>(static_cast<double>(column + 1) * span) + 1;
    while (first < lane.end && timeline.start[first] + timeline.duration[first] <= begin) ++first;
    KindTimes times{};
    for (std::size_t i = first; i < lane.end && timeline.start[i] < end; ++i)
      times[static_cast<std::size_t>(timeline.kind[i])] += std::max<std::int64_t>(
          0, std::min(end, timeline.start[i] + timeline.duration[i]) - std::max(begin, timeline.start[i]));
    for (std::size_t kind = 0; kind < kinds.size(); ++kind)
      parts[column * kinds.size() + kind] = part_of(times[kinds[kind]], end - begin);
  }
}

std::size_t first_ending_after(const Timeline& timeline, const TimelineLane& lane, double time) {
  std::size_t low = lane.begin, high = lane.end;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (static_cast<double>(timeline.start[middle] + timeline.duration[middle]) > time)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

std::size_t first_starting_from(const Timeline& timeline, const TimelineLane& lane, double time) {
  const auto begin = timeline.start.begin();
  const auto found = std::partition_point(begin + static_cast<std::ptrdiff_t>(lane.begin),
                                          begin + static_cast<std::ptrdiff_t>(lane.end),
                                          [time](std::int64_t start) { return static_cast<double>(start) < time; });
  return static_cast<std::size_t>(found - begin);
}

}  // namespace pipedeck::models::gantt
