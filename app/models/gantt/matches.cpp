// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/gantt/matches.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace pipedeck::models::gantt {

namespace {

constexpr std::size_t stop_every = 1 << 20;  // operations

/// Returns true if the lane belongs to the requested device; a link belongs to both ends.
bool of_device(const Content& content, std::size_t lane, const std::optional<DeviceId>& device) {
  if (!device) return true;
  const auto group = content.group_of(*device);
  if (!group) return false;
  for (const TransferLane& link : content.links)
    if (link.lane == lane) return link.from == *group || link.to == *group;
  return content.groups[*group].compute == lane || content.groups[*group].collective == lane;
}

void set_bit(std::vector<std::uint64_t>& bits, std::size_t i) { bits[i / 64] |= std::uint64_t{1} << (i % 64); }

/// Merges each pair of adjacent bits.
std::vector<std::uint64_t> halved(const std::vector<std::uint64_t>& bits, std::size_t bins) {
  std::vector<std::uint64_t> half((bins + 63) / 64);
  for (std::size_t word = 0; word < bits.size(); ++word)
    for (std::uint64_t left = bits[word]; left != 0; left &= left - 1)
      set_bit(half, (word * 64 + static_cast<std::size_t>(std::countr_zero(left))) / 2);
  return half;
}

/// Marks the operations of the lane that are in `found`.
LaneMarks marks_of(const Content& content, std::size_t lane_index, const OperationSet& found) {
  const LanePyramid& pyramid = content.pyramids[lane_index];
  LaneMarks marks;
  if (pyramid.empty()) return marks;
  const Timeline& timeline = *content.timeline;
  const TimelineLane& lane = timeline.lanes[lane_index];
  const std::size_t bins = pyramid.bins(0);
  marks.levels.emplace_back((bins + 63) / 64);
  for (auto i = found.next(lane.begin, lane.end); i; i = found.next(*i + 1, lane.end)) {
    const std::int64_t begin = std::max<std::int64_t>(0, timeline.start[*i]);
    const std::int64_t last = std::max(begin, timeline.start[*i] + timeline.duration[*i] - 1);
    for (std::int64_t bin = begin >> pyramid.shift; bin <= last >> pyramid.shift; ++bin)
      if (static_cast<std::size_t>(bin) < bins) set_bit(marks.levels.front(), static_cast<std::size_t>(bin));
  }
  for (int level = 1; level < static_cast<int>(pyramid.levels.size()); ++level)
    marks.levels.push_back(halved(marks.levels.back(), pyramid.bins(level)));
  return marks;
}

/// Appends [left, right) to spans that end before it or overlap it.
void add(std::vector<PixelSpan>& spans, double left, double right) {
  right = std::max(right, left + 1);
  if (!spans.empty() && left <= spans.back().right)
    spans.back().right = std::max(spans.back().right, right);
  else
    spans.push_back({left, right});
}

}  // namespace

bool LaneMarks::any(int level, std::int64_t first_bin, std::int64_t end_bin) const {
  const auto& bits = levels[static_cast<std::size_t>(level)];
  const auto end =
      static_cast<std::size_t>(std::clamp<std::int64_t>(end_bin, 0, static_cast<std::int64_t>(bits.size() * 64)));
  for (auto i = static_cast<std::size_t>(std::max<std::int64_t>(0, first_bin)); i < end; i = (i / 64 + 1) * 64) {
    const std::uint64_t from_i = bits[i / 64] >> (i % 64);
    const std::size_t count = std::min(end - i, 64 - i % 64);
    if ((count == 64 ? from_i : from_i & ((std::uint64_t{1} << count) - 1)) != 0) return true;
  }
  return false;
}

std::shared_ptr<const Matches> find_matches(std::shared_ptr<const Content> content, const Query& query,
                                            const std::stop_token& stop) {
  const Timeline& timeline = *content->timeline;
  auto matches = std::make_shared<Matches>();
  matches->query = query;
  matches->found = OperationSet(timeline.size());
  matches->lanes = drawn_lanes(*content);
  for (const std::size_t lane : matches->lanes) {
    if (!of_device(*content, lane, query.device)) continue;
    for (std::size_t i = timeline.lanes[lane].begin; i < timeline.lanes[lane].end; ++i) {
      if (i % stop_every == 0 && stop.stop_requested()) return nullptr;
      if (query.matches(timeline.kind[i], timeline.stage[i], timeline.micro_batch[i])) matches->found.insert(i);
    }
  }
  matches->found.close();
  matches->marks.resize(timeline.lanes.size());
  for (const std::size_t lane : matches->lanes) {
    if (stop.stop_requested()) return nullptr;
    matches->marks[lane] = marks_of(*content, lane, matches->found);
  }
  matches->content = std::move(content);
  return matches;
}

std::size_t Matches::before(std::size_t operation) const {
  const Timeline& timeline = *content->timeline;
  const std::int64_t start = timeline.start[operation];
  std::size_t count = 0;
  for (const std::size_t index : lanes) {
    const TimelineLane& lane = timeline.lanes[index];
    std::size_t until = lane.end;
    if (operation >= lane.begin && operation < lane.end)
      until = operation;
    else
      until = first_starting_from(timeline, lane, static_cast<double>(start) + (operation >= lane.end ? 1 : 0));
    count += found.rank(until) - found.rank(lane.begin);
  }
  return count;
}

std::optional<std::size_t> Matches::next(std::optional<std::size_t> operation) const {
  const Timeline& timeline = *content->timeline;
  std::optional<std::size_t> best;
  for (const std::size_t index : lanes) {
    const TimelineLane& lane = timeline.lanes[index];
    std::size_t from = lane.begin;
    if (operation && *operation >= lane.begin && *operation < lane.end)
      from = *operation + 1;
    else if (operation)  // in a lane below, an equal time counts as later
      from = first_starting_from(timeline, lane,
                                 static_cast<double>(timeline.start[*operation]) + (*operation >= lane.end ? 1 : 0));
    const auto candidate = found.next(from, lane.end);
    if (candidate && (!best || timeline.start[*candidate] < timeline.start[*best])) best = candidate;
  }
  return best;
}

std::optional<std::size_t> Matches::previous(std::optional<std::size_t> operation) const {
  const Timeline& timeline = *content->timeline;
  std::optional<std::size_t> best;
  for (const std::size_t index : lanes) {
    const TimelineLane& lane = timeline.lanes[index];
    std::size_t until = lane.end;
    if (operation && *operation >= lane.begin && *operation < lane.end)
      until = *operation;
    else if (operation)
      until = first_starting_from(timeline, lane,
                                  static_cast<double>(timeline.start[*operation]) + (*operation >= lane.end ? 1 : 0));
    const auto candidate = found.previous(lane.begin, until);
    if (candidate && (!best || timeline.start[*candidate] >= timeline.start[*best])) best = candidate;
  }
  return best;
}

std::optional<std::size_t> Matches::from(double time) const {
  const Timeline& timeline = *content->timeline;
  std::optional<std::size_t> best;
  for (const std::size_t index : lanes) {
    const TimelineLane& lane = timeline.lanes[index];
    const auto candidate = found.next(first_starting_from(timeline, lane, time), lane.end);
    if (candidate && (!best || timeline.start[*candidate] < timeline.start[*best])) best = candidate;
  }
  return best ? best : previous(std::nullopt);
}

std::vector<PixelSpan> match_spans(const Matches& matches, std::size_t lane_index, const TimeAxis& axis, double width) {
  constexpr double operations_a_pixel = 3;  // above this density, the marks are read instead
  const Timeline& timeline = *matches.content->timeline;
  const TimelineLane& lane = timeline.lanes[lane_index];
  const std::size_t first = first_ending_after(timeline, lane, axis.begin);
  const std::size_t end = std::max(first, first_starting_from(timeline, lane, axis.end));
  std::vector<PixelSpan> spans;
  const double pixel = axis.span() / width;
  const LanePyramid& pyramid = matches.content->pyramids[lane_index];
  const int level = pyramid.level_for(pixel);
  if (static_cast<double>(end - first) <= operations_a_pixel * width || level < 0) {
    for (auto i = matches.found.next(first, end); i; i = matches.found.next(*i + 1, end)) {
      const auto start = static_cast<double>(timeline.start[*i]);
      add(spans, std::max(-1.0, axis.to_pixel(start, width)),
          std::min(width + 1, axis.to_pixel(start + static_cast<double>(timeline.duration[*i]), width)));
    }
    return spans;
  }
  const double bin = pyramid.bin_width(level);
  for (int x = 0; x < static_cast<int>(width); ++x) {
    const double from = axis.begin + x * pixel;
    if (matches.marks[lane_index].any(level, static_cast<std::int64_t>(from / bin),
                                      static_cast<std::int64_t>(std::ceil((from + pixel) / bin))))
      add(spans, x, x + 1.0);
  }
  return spans;
}

}  // namespace pipedeck::models::gantt
