// SPDX-License-Identifier: Apache-2.0
#include "core/sim/build_timeline.hpp"

#include <algorithm>

namespace pipedeck::sim {
namespace {

/// Where a device works: its lane, and its place among the lane's devices.
struct LanePosition {
  DeviceId device;
  std::size_t lane = 0, rank = 0;
};

std::vector<LanePosition> seats_of(const engine::EngineInput& run) {
  std::vector<LanePosition> seats;
  for (std::size_t l = 0; l < run.costs.lanes.size(); ++l)
    for (std::size_t rank = 0; rank < run.costs.lanes[l].devices.size(); ++rank)
      seats.push_back({run.costs.lanes[l].devices[rank], l, rank});
  std::sort(seats.begin(), seats.end(),
            [](const LanePosition& a, const LanePosition& b) { return a.device < b.device; });
  return seats;
}

void append_compute(Timeline& timeline, const engine::EngineInput& run, const engine::Trace& trace,
                    const LanePosition& seat) {
  timeline.append_lane({LaneRole::compute, seat.device, seat.device, 0, 0}, trace.operations[seat.lane]);
  if (!run.schedule.synchronous) return;
  std::vector<TimelineRow> rows;
  for (const engine::OptimizerStep& step : engine::optimizer_steps(run.costs, trace, seat.lane, seat.rank))
    if (step.duration > 0)
      rows.push_back({Nanoseconds(step.start),
                      Nanoseconds(step.duration),
                      {OpKind::optimizer, StageId(std::int32_t{step.stage}), 0}});
  if (rows.empty()) return;
  TimelineLane lane = timeline.lanes.back();
  timeline.lanes.pop_back();
  const std::size_t begin = lane.begin;
  timeline.append_lane(lane, rows);
  timeline.lanes.back().begin = begin;
}

/// Stages that are all-reduced on a device, each once.
std::vector<std::size_t> stages_on(const engine::EngineInput& run, const LanePosition& seat) {
  std::vector<std::size_t> stages;
  for (const std::size_t w : run.costs.lanes[seat.lane].workers)
    stages.push_back(static_cast<std::size_t>(run.costs.workers[w].stage));
  stages.erase(std::unique(stages.begin(), stages.end()), stages.end());
  return stages;
}

void append_collectives(Timeline& timeline, const engine::EngineInput& run, const engine::Trace& trace,
                        const LanePosition& seat) {
  std::vector<TimelineRow> rows;
  for (const std::size_t stage : stages_on(run, seat))
    for (const engine::ReductionRow& row : trace.reductions[stage])
      rows.push_back(
          {Nanoseconds(row.start), Nanoseconds(row.duration), {OpKind::all_reduce, StageId(stage), row.micro_batch}});
  if (rows.empty()) return;
  std::stable_sort(rows.begin(), rows.end(),
                   [](const TimelineRow& a, const TimelineRow& b) { return a.start < b.start; });
  timeline.append_lane({LaneRole::collective, seat.device, seat.device, 0, 0}, rows);
}

void append_link(Timeline& timeline, const engine::EngineInput& run, const engine::Trace& trace, std::size_t resource) {
  if (trace.transfers[resource].empty()) return;
  std::vector<TimelineRow> rows;
  for (const engine::TransferRow& row : trace.transfers[resource]) {
    const costs::Channel& channel = run.channels.all[static_cast<std::size_t>(row.channel)];
    rows.push_back({Nanoseconds(row.start),
                    Nanoseconds(row.duration),
                    {OpKind::send, StageId(std::int32_t{channel.stage}), row.micro_batch}});
  }
  const costs::Resource& ends = run.channels.resources[resource];
  timeline.append_lane({LaneRole::link, ends.from, ends.to, 0, 0}, rows);
}

/// Sorted and merged.
std::vector<engine::Interval> covered(const Timeline& timeline, bool compute, std::int64_t begin, std::int64_t end) {
  std::vector<std::vector<engine::Interval>> lanes;
  for (const TimelineLane& lane : timeline.lanes) {
    if ((lane.role == LaneRole::compute) != compute) continue;
    std::vector<engine::Interval>& all = lanes.emplace_back();
    for (std::size_t i = lane.begin; i < lane.end; ++i) {
      const engine::Interval cut{std::max(begin, timeline.start[i]),
                                 std::min(end, timeline.start[i] + timeline.duration[i])};
      if (cut.begin >= cut.end) continue;
      if (!all.empty() && cut.begin <= all.back().end)
        all.back().end = std::max(all.back().end, cut.end);
      else
        all.push_back(cut);
    }
  }
  return engine::merged(std::move(lanes));
}

std::int64_t length(const std::vector<engine::Interval>& intervals) {
  std::int64_t sum = 0;
  for (const engine::Interval& interval : intervals) sum += interval.end - interval.begin;
  return sum;
}

std::int64_t common_length(const std::vector<engine::Interval>& a, const std::vector<engine::Interval>& b) {
  std::int64_t sum = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    sum += std::max<std::int64_t>(0, std::min(a[i].end, b[j].end) - std::max(a[i].begin, b[j].begin));
    a[i].end < b[j].end ? ++i : ++j;
  }
  return sum;
}

/// Why a lane waited before this operation.
Nanoseconds& part_before(IdleBreakdown& idle, OpKind kind) {
  if (kind == OpKind::forward || kind == OpKind::recompute) return idle.waiting_activation;
  return kind == OpKind::optimizer ? idle.waiting_all_reduce : idle.waiting_gradient;
}

}  // namespace

Timeline build_timeline(const engine::EngineInput& run, const engine::Trace& trace) {
  Timeline timeline;
  const std::vector<LanePosition> seats = seats_of(run);
  for (const LanePosition& seat : seats) append_compute(timeline, run, trace, seat);
  for (const LanePosition& seat : seats) append_collectives(timeline, run, trace, seat);
  for (std::size_t r = 0; r < trace.transfers.size(); ++r) append_link(timeline, run, trace, r);
  return timeline;
}

Nanoseconds exposed_communication(const Timeline& timeline, Nanoseconds begin, Nanoseconds end) {
  const std::vector<engine::Interval> compute = covered(timeline, true, begin.count, end.count);
  const std::vector<engine::Interval> communication = covered(timeline, false, begin.count, end.count);
  return Nanoseconds(length(communication) - common_length(compute, communication));
}

namespace {

std::int64_t overlap(std::int64_t begin, std::int64_t end, const std::vector<engine::Interval>& intervals) {
  std::int64_t sum = 0;
  auto interval = std::lower_bound(intervals.begin(), intervals.end(), begin,
                                   [](const engine::Interval& one, std::int64_t time) { return one.end <= time; });
  for (; interval != intervals.end() && interval->begin < end; ++interval)
    sum += std::min(end, interval->end) - std::max(begin, interval->begin);
  return sum;
}

/// Adds what one compute lane does, row by row, to its parts.
class LaneParts {
 public:
  LaneParts(const LaneFacts& facts, TimeBreakdown& parts)
      : facts_(facts), parts_(parts), input_(facts.inputs.begin()) {}

  /// `shown` of its duration is within the window.
  void add_operation(const TimelineRow& row, std::int64_t shown) {
    const OpKind kind = row.operation.kind;
    if (kind == OpKind::optimizer) {
      parts_[TimePart::optimizer] += Nanoseconds(shown);
      return;
    }
    const std::int64_t whole = row.duration.count;
    std::int64_t reduced = std::min(whole, reduced_in(row.operation));
    if (shown < whole)
      reduced = static_cast<std::int64_t>(static_cast<double>(reduced) * static_cast<double>(shown) /
                                          static_cast<double>(whole));
    parts_[TimePart::tensor_parallel] += Nanoseconds(reduced);
    parts_[kind == OpKind::recompute ? TimePart::recompute : TimePart::compute] += Nanoseconds(shown - reduced);
  }

  /// The device is idle in [free, start), before this row of the lane.
  void add_wait(std::size_t row, OpKind waits, std::int64_t free, std::int64_t start) {
    while (input_ != facts_.inputs.end() && input_->row < row) ++input_;
    const std::int64_t weights = std::clamp(facts_.gathered.count, free, start);
    parts_[TimePart::gather] += Nanoseconds(weights - free);
    free = weights;
    std::int64_t there = free;
    if (input_ != facts_.inputs.end() && input_->row == row) {
      const std::int64_t begin = std::max(free, input_->begin);
      there = std::clamp(input_->end, begin, std::max(begin, start));
      parts_[TimePart::point_to_point] += Nanoseconds(there - begin);
    }
    if (waits == OpKind::optimizer || !facts_.synchronous) add_reductions(there, start);
  }

  void add_reductions(std::int64_t begin, std::int64_t end) {
    parts_[TimePart::all_reduce] += Nanoseconds(overlap(begin, end, facts_.reductions));
  }

 private:
  std::int64_t reduced_in(const Operation& operation) const {
    for (const TensorParallelTimes& of : facts_.tensor_parallel)
      if (of.stage == operation.stage) return of.times[static_cast<std::size_t>(operation.kind)].count;
    return 0;
  }

  const LaneFacts& facts_;
  TimeBreakdown& parts_;
  std::vector<engine::OnTheWay>::const_iterator input_;
};

}  // namespace

LaneTimes lane_times(const Timeline& timeline, const TimelineLane& lane, const LaneFacts& facts, Nanoseconds begin,
                     Nanoseconds end) {
  LaneTimes times;
  LaneParts parts(facts, times.parts);
  auto second = facts.waits_of_second.begin();
  const auto within = [&](std::int64_t time) { return std::clamp(time, begin.count, end.count); };
  std::int64_t free = begin.count;
  for (std::size_t i = lane.begin; i < lane.end; ++i) {
    const std::int64_t start = within(timeline.start[i]), stop = within(timeline.start[i] + timeline.duration[i]);
    const bool of_next = second != facts.waits_of_second.end() && lane.begin + *second == i;
    if (of_next) ++second;
    const OpKind waited = timeline.kind[of_next ? i + 1 : i];
    Nanoseconds& why = i == lane.begin ? times.idle.warmup : part_before(times.idle, waited);
    if (start > free) {
      why += Nanoseconds(start - free);
      parts.add_wait(i - lane.begin, waited, free, start);
    }
    times.busy += Nanoseconds(stop - start);
    parts.add_operation(timeline.row(i), stop - start);
    free = std::max(free, stop);
  }
  const std::int64_t reduced = std::max(free, within(facts.synchronised.count));
  times.idle.waiting_all_reduce += Nanoseconds(reduced - free);
  times.idle.drain += Nanoseconds(end.count - reduced);
  parts.add_reductions(free, reduced);
  times.parts[TimePart::bubble] = end - begin - times.parts.total();
  return times;
}

TimeBreakdown mean_parts(const std::vector<SimulatedDevice>& devices, Nanoseconds iteration) {
  TimeBreakdown mean;
  if (devices.empty()) return mean;
  std::int64_t most = 0, all = 0;
  for (const SimulatedDevice& device : devices) {
    for (std::size_t i = 0; i < mean.times.size(); ++i) mean.times[i] += device.parts.times[i];
    most = std::max(most, device.busy.count);
    all += device.busy.count;
  }
  const auto count = static_cast<std::int64_t>(devices.size());
  for (Nanoseconds& time : mean.times) time = Nanoseconds(time.count / count);
  mean[TimePart::bubble] += iteration - mean.total();
  mean[TimePart::imbalance] = std::min(mean[TimePart::bubble], Nanoseconds(most - all / count));
  mean[TimePart::bubble] = mean[TimePart::bubble] - mean[TimePart::imbalance];
  return mean;
}

}  // namespace pipedeck::sim
