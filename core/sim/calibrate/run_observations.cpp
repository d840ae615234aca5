// SPDX-License-Identifier: Apache-2.0
#include "core/sim/calibrate/run_observations.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace pipedeck::sim::calibrate {
namespace {

bool backward_like(OpKind kind) { return kind == OpKind::backward || kind == OpKind::backward_input; }

using StageAndBatch = std::pair<int, int>;

/// A stage's message before its gradient of a micro-batch is an activation, and a gradient from then on.
std::map<StageAndBatch, std::int64_t> gradients_done(const Timeline& timeline) {
  std::map<StageAndBatch, std::int64_t> done;
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    if (!backward_like(timeline.kind[i])) continue;
    const TimelineRow row = timeline.row(i);
    const auto [at, fresh] = done.try_emplace({row.operation.stage.value, row.operation.micro_batch}, row.end().count);
    if (!fresh) at->second = std::min(at->second, row.end().count);
  }
  return done;
}

/// One measured step, operation by operation.
class Step {
 public:
  Step(const Timeline& timeline, const Plan& plan)
      : timeline_(timeline),
        last_stage_(static_cast<int>(plan.stages.size()) - 1),
        operations_(operations_of(timeline)) {
    for (const auto& [key, row] : operations_) {
      if (key.kind == OpKind::send) arrivals_[{key.stage, key.micro_batch, key.gradient}].push_back({key, row});
      if (key.is_pass()) {
        auto& end = ends_[{key.stage, key.micro_batch, backward_like(key.kind)}];
        if (key.kind == OpKind::forward || backward_like(key.kind)) end = std::max(end, row.end().count);
      }
    }
    for (const TimelineLane& lane : timeline.lanes)
      if (lane.role == LaneRole::compute) compute_lanes_[lane.device] = lane;
  }

  void observe(std::vector<OperationMeasurement>& into) const {
    for (const auto& [device, lane] : compute_lanes_) observe_passes(lane, into);
    for (const auto& [key, row] : operations_)
      if (key.kind == OpKind::all_reduce || (key.kind == OpKind::send && in_flight(key, row)))
        into.push_back({key, row.duration, {}, false});
  }

 private:
  struct Transfer {
    OperationKey key;
    TimelineRow row;
  };
  struct Sent {
    int stage = 0, micro_batch = 0;
    bool gradient = false;
    auto operator<=>(const Sent&) const = default;
  };

  void observe_passes(const TimelineLane& lane, std::vector<OperationMeasurement>& into) const {
    std::int64_t before = -1;  // end of the operation before; the first has none
    for (std::size_t i = lane.begin; i < lane.end; ++i) {
      const TimelineRow row = timeline_.row(i);
      const OperationKey key = pass_key(row, lane.device);
      if (key.is_pass()) {
        OperationMeasurement seen{key, row.duration, {}, beside_communication(row, lane.device)};
        if (before >= 0 && all_there(row.operation, lane.device, before)) seen.gap = row.start - Nanoseconds(before);
        into.push_back(seen);
      }
      before = row.end().count;
    }
  }

  static OperationKey pass_key(const TimelineRow& row, DeviceId device) {
    return {row.operation.kind, row.operation.stage.value, row.operation.micro_batch, device, device, false, 0};
  }

  /// Returns the input of a pass from another stage, if there is one.
  std::optional<Sent> needed(const Operation& pass) const {
    const int stage = pass.stage.value;
    if (pass.kind == OpKind::forward && stage > 0) return Sent{stage - 1, pass.micro_batch, false};
    if (backward_like(pass.kind) && stage < last_stage_) return Sent{stage + 1, pass.micro_batch, true};
    return std::nullopt;
  }

  /// Returns true if the device had all inputs at `time`. A runtime may record a transfer when its receiver looks for
  /// it, long after its arrival. Then the sender's end is its arrival.
  bool all_there(const Operation& pass, DeviceId device, std::int64_t time) const {
    const auto sent = needed(pass);
    if (!sent) return true;
    const auto end = ends_.find(*sent);
    if (end == ends_.end() || end->second > time) return false;
    const auto found = arrivals_.find(*sent);
    if (found == arrivals_.end()) return true;
    const bool to_this_one = std::ranges::any_of(found->second, [&](const Transfer& t) { return t.key.to == device; });
    return std::ranges::all_of(found->second, [&](const Transfer& transfer) {
      if (to_this_one && transfer.key.to != device) return true;
      return transfer.row.end().count <= time || transfer.row.start.count >= time;
    });
  }

  /// Returns true if the row lasts from sender to receiver: false if the receiver looked for it later.
  bool in_flight(const OperationKey& key, const TimelineRow& row) const {
    const auto sent = ends_.find({key.stage, key.micro_batch, key.gradient});
    const auto lane = compute_lanes_.find(key.to);
    if (sent == ends_.end() || lane == compute_lanes_.end()) return false;
    std::int64_t before = 0;  // the receiver's last end when its row begins
    for (std::size_t i = lane->second.begin; i < lane->second.end; ++i) {
      const TimelineRow pass = timeline_.row(i);
      if (pass.start >= row.start) break;
      if (pass.end() > row.start) return true;  // it came in while the receiver worked
      before = pass.end().count;
    }
    const auto sender = end_of_sender(key);
    return sender.value_or(sent->second) >= before;
  }

  std::optional<std::int64_t> end_of_sender(const OperationKey& key) const {
    for (const OpKind kind : {OpKind::forward, OpKind::backward, OpKind::backward_input}) {
      if (backward_like(kind) != key.gradient) continue;
      const auto pass = operations_.find({kind, key.stage, key.micro_batch, key.from, key.from, false, 0});
      if (pass != operations_.end()) return pass->second.end().count;
    }
    return std::nullopt;
  }

  /// For more than a hundredth of the pass.
  bool beside_communication(const TimelineRow& pass, DeviceId device) const {
    std::int64_t beside = 0;
    for (const TimelineLane& lane : timeline_.lanes) {
      if (lane.role == LaneRole::compute || (lane.device != device && lane.to != device)) continue;
      for (std::size_t i = lane.begin; i < lane.end && timeline_.start[i] < pass.end().count; ++i) {
        const TimelineRow row = timeline_.row(i);
        beside +=
            std::max<std::int64_t>(0, std::min(row.end(), pass.end()).count - std::max(row.start, pass.start).count);
      }
    }
    return beside > pass.duration.count / 100;
  }

  const Timeline& timeline_;
  int last_stage_;
  Operations operations_;
  std::map<Sent, std::vector<Transfer>> arrivals_;
  std::map<Sent, std::int64_t> ends_;  ///< of the passes that give what is sent; the latest replica's
  std::map<DeviceId, TimelineLane> compute_lanes_;
};

Result<void> check_started(const Plan& plan, const std::vector<RunEvent>& events) {
  for (const RunEvent& event : events) {
    if (const auto* failed = std::get_if<RunFailed>(&event))
      return fail(ErrorCode::bad_input,
                  fmt::format("found a run that failed ({}), expected one that ended", failed->message));
    const auto* started = std::get_if<RunStarted>(&event);
    if (!started) continue;
    if (started->plan != plan.name)
      return fail(ErrorCode::bad_input,
                  fmt::format("found a run of the plan \"{}\", expected \"{}\"", started->plan, plan.name));
    if (started->devices != static_cast<int>(devices_used(plan).size()))
      return fail(ErrorCode::bad_input, fmt::format("found a run on {} devices, expected {}, as the plan has",
                                                    started->devices, devices_used(plan).size()));
  }
  return {};
}

/// The forwards of the plan, no more and no less: each replica of each stage, each micro-batch of its copy.
Result<void> check_operations(const Plan& plan, const MeasuredTimeline& measured) {
  std::set<DeviceId> devices;
  std::set<StageAndBatch> forwards;
  for (const TimelineLane& lane : measured.timeline.lanes) {
    if (lane.role != LaneRole::compute) continue;
    devices.insert(lane.device);
    for (std::size_t i = lane.begin; i < lane.end; ++i)
      if (measured.timeline.kind[i] == OpKind::forward)
        forwards.insert({measured.timeline.stage[i], measured.timeline.micro_batch[i]});
  }
  const std::vector<DeviceId> used = devices_used(plan);
  if (!std::ranges::equal(devices, used))
    return fail(ErrorCode::bad_input,
                fmt::format("step {}: found operations on {} devices, expected those of the plan's {} devices",
                            measured.step, devices.size(), used.size()));
  const std::size_t expected = plan.stages.size() * static_cast<std::size_t>(plan.micro_batches);
  const bool all_of_plan = std::ranges::all_of(forwards, [&](const StageAndBatch& forward) {
    return forward.first < static_cast<int>(plan.stages.size()) && forward.second < plan.micro_batches;
  });
  if (forwards.size() != expected || !all_of_plan)
    return fail(ErrorCode::bad_input,
                fmt::format("step {}: found forwards of {} micro-batches of stages, expected {} stages x {}: the "
                            "events are of another plan",
                            measured.step, forwards.size(), plan.stages.size(), plan.micro_batches));
  return {};
}

Seconds median(std::vector<Seconds> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  return *middle;
}

}  // namespace

Operations operations_of(const Timeline& timeline) {
  const auto done = gradients_done(timeline);
  Operations operations;
  for (const TimelineLane& lane : timeline.lanes) {
    std::map<int, int> reduced;  // all-reduces so far, by stage
    for (std::size_t i = lane.begin; i < lane.end; ++i) {
      const TimelineRow row = timeline.row(i);
      OperationKey key{
          row.operation.kind, row.operation.stage.value, row.operation.micro_batch, lane.device, lane.to, false, 0};
      if (lane.role != LaneRole::link) key.to = lane.device;
      if (key.kind == OpKind::all_reduce) key.nth = reduced[key.stage]++;
      if (key.kind == OpKind::send) {
        const auto gradient = done.find({key.stage, key.micro_batch});
        key.gradient = gradient != done.end() && row.start.count >= gradient->second;
      }
      operations.emplace(key, row);
    }
  }
  return operations;
}

Result<RunObservations> collect_measurements(const Plan& plan, const std::vector<RunEvent>& events) {
  if (!plan.synchronous())
    return fail(ErrorCode::bad_input,
                fmt::format("found the asynchronous schedule {}, expected a synchronous one", name_of(plan.schedule)));
  TRY_VOID(check_started(plan, events));
  RunObservations seen;
  std::vector<Seconds> steps;
  int timelines = 0;
  for (const RunEvent& event : events) {
    if (const auto* step = std::get_if<StepDone>(&event)) {
      for (const Bytes peak : step->memory) seen.peak = std::max(seen.peak, peak);
      if (step->step > 1) steps.push_back(step->duration);
    }
    const auto* measured = std::get_if<MeasuredTimeline>(&event);
    if (!measured || measured->step <= 1) continue;
    TRY_VOID(check_operations(plan, *measured));
    Step(measured->timeline, plan).observe(seen.operations);
    ++timelines;
  }
  if (steps.empty())
    return fail(ErrorCode::bad_input, "found no step after the first, which warms caches up; expected 2 steps or more");
  if (timelines == 0)
    return fail(
        ErrorCode::bad_input,
        "found no measured operations of a step after the first, expected those of some: run with --timeline-every 1");
  seen.steps = static_cast<int>(steps.size());
  seen.step = median(std::move(steps));
  if (seen.step.count <= 0) return fail(ErrorCode::bad_input, "found steps of 0 ms, expected more");
  return seen;
}

}  // namespace pipedeck::sim::calibrate
