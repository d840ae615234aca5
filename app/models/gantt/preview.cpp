// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/gantt/preview.hpp"

#include <algorithm>
#include <vector>

namespace pipedeck::models::gantt {

namespace {

/// Spreads sample times irregularly to avoid aliasing with periodic operations.
double moment_in(int sample, double width) {
  const auto scattered = static_cast<std::uint32_t>(sample) * 2654435761u;
  return (sample + static_cast<double>(scattered >> 8) / (1 << 24)) * width;
}

std::vector<TimelineRow> sampled(const Timeline& timeline, const TimelineLane& lane, std::int64_t end, int samples) {
  std::vector<TimelineRow> rows;
  const double width = static_cast<double>(end) / samples;
  for (int i = 0; i < samples; ++i) {
    const double moment = moment_in(i, width);
    const std::size_t at = first_ending_after(timeline, lane, moment);
    if (at == lane.end || static_cast<double>(timeline.start[at]) > moment) continue;
    const auto begin = static_cast<std::int64_t>(i * width), until = static_cast<std::int64_t>((i + 1) * width);
    if (until > begin)
      rows.push_back({Nanoseconds(begin),
                      Nanoseconds(until - begin),
                      {timeline.kind[at], StageId(std::int32_t{timeline.stage[at]}), -1}});
  }
  return rows;
}

}  // namespace

std::shared_ptr<const Content> make_gantt_preview(const Timeline& timeline, int samples) {
  std::int64_t end = 0;
  for (const TimelineLane& lane : timeline.lanes)
    if (lane.size() > 0) end = std::max(end, timeline.start[lane.end - 1] + timeline.duration[lane.end - 1]);
  auto sample_aggregator = std::make_shared<Timeline>();
  for (const TimelineLane& lane : timeline.lanes)
    if (lane.role != LaneRole::link) sample_aggregator->append_lane(lane, sampled(timeline, lane, end, samples));
  auto content =
      std::make_shared<Content>(*make_gantt_content(std::shared_ptr<const Timeline>(std::move(sample_aggregator))));
  content->preview = true;
  content->end = end;
  return content;
}

}  // namespace pipedeck::models::gantt
