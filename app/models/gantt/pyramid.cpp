// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/gantt/pyramid.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "app/models/gantt/lane_sums.hpp"

namespace pipedeck::models::gantt {

namespace {

LaneBin bin_of(const KindTimes& times, std::int64_t width) {
  std::int64_t covered = 0;
  std::size_t most = 0;
  for (std::size_t kind = 0; kind < times.size(); ++kind) {
    covered += times[kind];
    if (times[kind] > times[most]) most = kind;
  }
  if (covered == 0) return {};
  const auto cover = covered >= width ? 255 : std::max<std::int64_t>(1, covered * 255 / width);
  return {static_cast<std::uint8_t>(most), static_cast<std::uint8_t>(cover)};
}

std::vector<KindTimes> lowest_times(const Timeline& timeline, const TimelineLane& lane, int shift, std::size_t bins) {
  std::vector<KindTimes> times(bins);
  for (std::size_t i = lane.begin; i < lane.end; ++i) {
    const std::int64_t end = timeline.start[i] + timeline.duration[i];
    for (std::int64_t at = std::max<std::int64_t>(timeline.start[i], 0); at < end;) {
      const std::int64_t bin = at >> shift;
      const std::int64_t until = std::min(end, (bin + 1) << shift);
      times[static_cast<std::size_t>(bin)][static_cast<std::size_t>(timeline.kind[i])] += until - at;
      at = until;
    }
  }
  return times;
}

std::vector<LaneBin> bins_of(const std::vector<KindTimes>& times, int shift) {
  std::vector<LaneBin> bins;
  bins.reserve(times.size());
  for (const KindTimes& bin : times) bins.push_back(bin_of(bin, std::int64_t{1} << shift));
  return bins;
}

/// Adds up pairs of neighbours in place.
void halve(std::vector<KindTimes>& times) {
  for (std::size_t i = 0; 2 * i < times.size(); ++i) {
    KindTimes sum = times[2 * i];
    if (2 * i + 1 < times.size())
      for (std::size_t kind = 0; kind < sum.size(); ++kind) sum[kind] += times[2 * i + 1][kind];
    times[i] = sum;
  }
  times.resize((times.size() + 1) / 2);
}

}  // namespace

double LanePyramid::bin_width(int level) const { return std::ldexp(1.0, shift + level); }

int LanePyramid::level_for(double span) const {
  if (empty() || span < bin_width(0)) return -1;
  const int level = std::ilogb(span) - shift;
  return std::min(level, static_cast<int>(levels.size()) - 1);
}

LaneBin LanePyramid::sample(int level, double begin, double end) const {
  LaneBin bin;
  sample_columns(level, begin, end - begin, {&bin, 1});
  return bin;
}

void LanePyramid::sample_columns(int level, double begin, double span, std::span<LaneBin> columns) const {
  const std::vector<LaneBin>& bins = levels[static_cast<std::size_t>(level)];
  const double width = bin_width(level), per_bin = 1 / width, per_span = 1 / span;
  const auto bin_count = static_cast<std::int64_t>(bins.size());
  for (std::size_t column = 0; column < columns.size(); ++column) {
    const double from = begin + static_cast<double>(column) * span, to = from + span;
    std::array<float, op_kind_count> times{};
    float covered = 0, most = 0;
    std::uint8_t kind = 0;
    for (auto i = static_cast<std::int64_t>(std::max(0.0, from * per_bin)); i < bin_count; ++i) {
      const double left = static_cast<double>(i) * width;
      if (left >= to) break;
      const LaneBin bin = bins[static_cast<std::size_t>(i)];
      const auto weight = static_cast<float>((std::min(to, left + width) - std::max(from, left)) * bin.cover);
      covered += weight;
      times[bin.kind] += weight;
      if (times[bin.kind] > most || (times[bin.kind] == most && bin.kind < kind)) {
        most = times[bin.kind];
        kind = bin.kind;
      }
    }
    columns[column] = {};
    if (covered > 0) columns[column] = {kind, static_cast<std::uint8_t>(std::clamp(covered * per_span, 1.0, 255.0))};
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
  std::vector<KindTimes> times =
      lowest_times(timeline, lane, pyramid.shift, static_cast<std::size_t>(((end - 1) >> pyramid.shift) + 1));
  for (int shift = pyramid.shift;; ++shift) {
    pyramid.levels.push_back(bins_of(times, shift));
    if (times.size() == 1) return pyramid;
    halve(times);
  }
}

LaneBin exact_bin(const Timeline& timeline, const TimelineLane& lane, std::int64_t begin, std::int64_t end) {
  KindTimes times{};
  for (std::size_t i = first_ending_after(timeline, lane, static_cast<double>(begin));
       i < lane.end && timeline.start[i] < end; ++i) {
    const std::int64_t from = std::max(begin, timeline.start[i]);
    times[static_cast<std::size_t>(timeline.kind[i])] += std::min(end, timeline.start[i] + timeline.duration[i]) - from;
  }
  return bin_of(times, end - begin);
}

void exact_columns(const Timeline& timeline, const TimelineLane& lane, double span, std::span<LaneBin> columns) {
  std::size_t first = lane.begin;
  for (std::size_t column = 0; column < columns.size(); ++column) {
    const auto begin = static_cast<std::int64_t>(static_cast<double>(column) * span);
    const auto end = static_cast<std::int64_t>(static_cast<double>(column + 1) * span) + 1;
    while (first < lane.end && timeline.start[first] + timeline.duration[first] <= begin) ++first;
    KindTimes times{};
    for (std::size_t i = first; i < lane.end && timeline.start[i] < end; ++i)
      times[static_cast<std::size_t>(timeline.kind[i])] += std::max<std::int64_t>(
          0, std::min(end, timeline.start[i] + timeline.duration[i]) - std::max(begin, timeline.start[i]));
    columns[column] = bin_of(times, end - begin);
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
