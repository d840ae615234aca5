// SPDX-License-Identifier: Apache-2.0
// Walks back from the end. In simulated time an operation begins when another one ends. Each step reads the operations
// for which the current one may have waited, and takes one that ended at that very nanosecond. If several did, any of
// them is right: as long as that chain is unchanged, no other operation can make the iteration shorter. The order of
// choice is the device's own previous operation, a received tensor, an all-reduce.
#include "core/sim/explain/critical_path.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/sim/build_timeline.hpp"
#include "core/sim/engine/row_index.hpp"
#include "core/sim/engine_plan.hpp"
#include "core/sim/simulation_size.hpp"
#include "core/sim/timeline_index.hpp"

namespace pipedeck::sim::explain {
namespace {

constexpr std::size_t stop_interval = 1 << 12;  // links between looks at the stop token

/// Something that took time, by its place in the trace.
struct Place {
  enum class Of { operation, transfer, reduction, step } of = Of::operation;
  std::size_t group = 0;  // lane, resource, stage, lane
  std::size_t row = 0;
  std::size_t rank = 0;  // of the lane's devices; steps only
};

struct Before {
  Place place;
  WaitCause cause = WaitCause::start;
};

class Finder {
 public:
  Finder(const engine::EngineInput& run, const engine::Trace& trace) : run_(run), trace_(trace), index_(run, trace) {}

  std::optional<Place> last(const Window& window) const {
    return run_.schedule.synchronous ? last_step() : completion(window.end.count);
  }

  std::int64_t begin(const Place& place) const {
    switch (place.of) {
      case Place::Of::operation:
        return operation(place).start.count;
      case Place::Of::transfer:
        return trace_.transfers[place.group][place.row].start;
      case Place::Of::reduction:
        return trace_.reductions[place.group][place.row].start;
      case Place::Of::step:
        return step(place).start;
    }
    return 0;
  }

  std::int64_t end(const Place& place) const {
    switch (place.of) {
      case Place::Of::operation:
        return operation(place).end().count;
      case Place::Of::transfer:
        return index_.transfer_end(place.group, place.row);
      case Place::Of::reduction:
        return reduction_end(place.group, place.row);
      case Place::Of::step:
        return step(place).start + step(place).duration;
    }
    return 0;
  }

  /// Returns the operation that ended when `place` began; nothing if there is none.
  std::optional<Before> before(const Place& place) const {
    switch (place.of) {
      case Place::Of::operation:
        return before_operation(place);
      case Place::Of::transfer:
        return before_transfer(place);
      case Place::Of::reduction:
        return before_reduction(place);
      case Place::Of::step:
        return before_step(place);
    }
    return std::nullopt;
  }

  /// All but begin, end and cause, and where it is in the timeline.
  CriticalSegment link(const Place& place) const {
    CriticalSegment link;
    switch (place.of) {
      case Place::Of::operation:
        link.operation = operation(place).operation;
        link.device = run_.costs.lanes[place.group].devices.front();
        break;
      case Place::Of::step:
        link.operation = {OpKind::optimizer, StageId(std::int32_t{step(place).stage}), 0};
        link.device = run_.costs.lanes[place.group].devices[place.rank];
        break;
      case Place::Of::transfer:
        describe_transfer(place, link);
        break;
      case Place::Of::reduction:
        describe_reduction(place, link);
        break;
    }
    return link;
  }

 private:
  const TimelineRow& operation(const Place& place) const { return trace_.operations[place.group][place.row]; }
  engine::OptimizerStep step(const Place& place) const {
    return engine::optimizer_steps(run_.costs, trace_, place.group, place.rank)[place.row];
  }
  std::int64_t reduction_end(std::size_t stage, std::size_t row) const {
    return trace_.reductions[stage][row].start + trace_.reductions[stage][row].duration;
  }
  const costs::Channel& channel_of(const Place& transfer) const {
    const engine::TransferRow& row = trace_.transfers[transfer.group][transfer.row];
    return run_.channels.all[static_cast<std::size_t>(row.channel)];
  }

  // --- the end

  Place last_step() const {
    Place last{Place::Of::step, 0, 0, 0};
    std::int64_t latest = -1;
    for (std::size_t lane = 0; lane < run_.costs.lanes.size(); ++lane)
      for (std::size_t rank = 0; rank < run_.costs.lanes[lane].devices.size(); ++rank) {
        const Place place{Place::Of::step, lane, run_.costs.lanes[lane].workers.size() - 1, rank};
        if (end(place) > latest) latest = end(place), last = place;
      }
    return last;
  }

  std::optional<Place> completion(std::int64_t at) const { return gradient_ending(0, at); }

  /// A gradient of the stage that ends at that time.
  std::optional<Place> gradient_ending(std::size_t stage, std::int64_t at) const {
    for (std::size_t w = run_.costs.stages[stage].first_worker;
         w < run_.costs.workers.size() && run_.costs.workers[w].stage == static_cast<int>(stage); ++w) {
      const std::size_t lane = run_.costs.workers[w].lane;
      const std::vector<TimelineRow>& rows = trace_.operations[lane];
      auto row = std::partition_point(rows.begin(), rows.end(),
                                      [&](const TimelineRow& candidate) { return candidate.end().count < at; });
      for (; row != rows.end() && row->end().count == at; ++row)
        if (row->operation.stage.index() == stage &&
            (row->operation.kind == OpKind::backward || row->operation.kind == OpKind::backward_input))
          return Place{Place::Of::operation, lane, static_cast<std::size_t>(row - rows.begin()), 0};
    }
    return std::nullopt;
  }

  // --- before an operation

  std::optional<Before> before_operation(const Place& place) const {
    const std::vector<TimelineRow>& rows = trace_.operations[place.group];
    const std::int64_t at = rows[place.row].start.count;
    if (place.row > 0 && rows[place.row - 1].end().count == at)
      return Before{{Place::Of::operation, place.group, place.row - 1, 0}, WaitCause::device};
    std::size_t needy = place.row;  // an optimizer step of an asynchronous plan is due when the next pass can start
    while (rows[needy].operation.kind == OpKind::optimizer && needy + 1 < rows.size()) ++needy;
    if (auto input = input_at(place.group, rows[needy].operation, at)) return input;
    if (rows[needy].operation.overlapped_with_next)
      if (auto input = input_at(place.group, rows[needy + 1].operation, at))
        return Before{input->place, WaitCause::overlapped_operation};
    return update_at(rows[place.row].operation.stage.index(), at);
  }

  /// The input of an operation that was there at this time and not before.
  std::optional<Before> input_at(std::size_t lane, const Operation& operation, std::int64_t at) const {
    const bool gradient = operation.kind != OpKind::forward;
    if (gradient && operation.kind != OpKind::backward && operation.kind != OpKind::backward_input) return std::nullopt;
    const WaitCause cause = gradient ? WaitCause::gradient : WaitCause::activation;
    for (const int c : index_.incoming(index_.worker_of(lane, operation), gradient)) {
      const costs::Channel& channel = run_.channels.all[static_cast<std::size_t>(c)];
      if (channel.resource == costs::Channel::local) {
        if (auto source = source_at(channel, operation.micro_batch, at)) return source;
        continue;
      }
      const auto found = index_.transfer(c, operation.micro_batch);
      if (found && index_.transfer_end(found->group, found->row) == at)
        return Before{{Place::Of::transfer, found->group, found->row, 0}, cause};
    }
    return std::nullopt;
  }

  /// The stage's all-reduce that ends at this time.
  std::optional<Before> round_at(std::size_t stage, std::int64_t at) const {
    const std::vector<engine::ReductionRow>& rows = trace_.reductions[stage];
    for (std::size_t row = rows.size(); row-- > 0;)
      if (reduction_end(stage, row) == at) return Before{{Place::Of::reduction, stage, row, 0}, WaitCause::all_reduce};
    return std::nullopt;
  }

  /// Returns the operation for which a replica of an asynchronous stage waits before it continues: its all-reduce or,
  /// without one, the last replica's gradient.
  std::optional<Before> update_at(std::size_t stage, std::int64_t at) const {
    if (run_.schedule.synchronous) return std::nullopt;
    if (auto round = round_at(stage, at)) return round;
    const auto gradient = gradient_ending(stage, at);
    return gradient ? std::optional<Before>({*gradient, WaitCause::all_reduce}) : std::nullopt;
  }

  // --- before a transfer

  std::optional<Before> before_transfer(const Place& place) const {
    const engine::TransferRow& row = trace_.transfers[place.group][place.row];
    if (auto source = source_at(channel_of(place), row.micro_batch, row.start)) return source;
    if (place.row > 0 && index_.transfer_end(place.group, place.row - 1) == row.start)
      return Before{{Place::Of::transfer, place.group, place.row - 1, 0}, WaitCause::channel};
    return std::nullopt;
  }

  /// The pass whose result was there at this time; joined operations hand theirs over at the end of the second.
  std::optional<Before> source_at(const costs::Channel& channel, int micro_batch, std::int64_t at) const {
    for (const int worker : channel.sources) {
      const auto found = index_.pass(static_cast<std::size_t>(worker), channel.gradient, micro_batch);
      if (!found) continue;
      const bool joined = trace_.operations[found->group][found->row].operation.overlapped_with_next;
      const Place place{Place::Of::operation, found->group, found->row + (joined ? 1 : 0), 0};
      if (end(place) != at) continue;
      const WaitCause cause = channel.gradient ? WaitCause::gradient : WaitCause::activation;
      return Before{place, joined ? WaitCause::overlapped_operation : cause};
    }
    return std::nullopt;
  }

  // --- before an all-reduce and an optimizer step

  std::optional<Before> before_reduction(const Place& place) const {
    const std::int64_t at = begin(place);
    if (place.row > 0 && reduction_end(place.group, place.row - 1) == at)
      return Before{{Place::Of::reduction, place.group, place.row - 1, 0}, WaitCause::all_reduce};
    if (!run_.schedule.synchronous) {
      const auto source = gradient_ending(place.group, at);
      return source ? std::optional<Before>({*source, WaitCause::gradient}) : std::nullopt;
    }
    for (std::size_t w = run_.costs.stages[place.group].first_worker;
         w < run_.costs.workers.size() && run_.costs.workers[w].stage == static_cast<int>(place.group); ++w) {
      const costs::StageReplicaCosts& worker = run_.costs.workers[w];
      const auto row = index_.last_gradient(w);
      if (!row) continue;
      const TimelineRow& last = trace_.operations[worker.lane][*row];
      const OpKind kind = last.operation.kind;
      if (last.start.count + engine::gradient_ready(worker, kind, last.duration.count, place.row) == at)
        return Before{{Place::Of::operation, worker.lane, *row, 0}, WaitCause::gradient};
    }
    return std::nullopt;
  }

  std::optional<Before> before_step(const Place& place) const {
    const engine::OptimizerStep own = step(place);
    if (place.row > 0) {
      const Place previous{Place::Of::step, place.group, place.row - 1, place.rank};
      if (end(previous) == own.start) return Before{previous, WaitCause::device};
    }
    const std::vector<TimelineRow>& rows = trace_.operations[place.group];
    if (!rows.empty() && rows.back().end().count == own.start)
      return Before{{Place::Of::operation, place.group, rows.size() - 1, 0}, WaitCause::device};
    return round_at(static_cast<std::size_t>(own.stage), own.start);
  }

  // --- what they are

  void describe_transfer(const Place& place, CriticalSegment& link) const {
    const engine::TransferRow& row = trace_.transfers[place.group][place.row];
    const costs::Channel& channel = channel_of(place);
    link.role = LaneRole::link;
    link.device = run_.channels.resources[place.group].from;
    link.to = run_.channels.resources[place.group].to;
    link.operation = {OpKind::send, StageId(std::int32_t{channel.stage}), row.micro_batch};
    link.slowed = Nanoseconds(end(place) - row.start - channel.duration);
  }

  void describe_reduction(const Place& place, CriticalSegment& link) const {
    const engine::ReductionRow& row = trace_.reductions[place.group][place.row];
    const costs::StageCosts& stage = run_.costs.stages[place.group];
    const std::size_t which = run_.schedule.synchronous ? place.row : 0;
    link.role = LaneRole::collective;
    link.device = run_.costs.workers[stage.first_worker].devices.front();
    link.operation = {OpKind::all_reduce, StageId(place.group), row.micro_batch};
    link.slowed = Nanoseconds(row.duration - stage.reductions[which].duration);
  }

  const engine::EngineInput& run_;
  const engine::Trace& trace_;
  engine::RowIndex index_;
};

Error not_found(const CriticalSegment& link, std::int64_t at) {
  return {ErrorCode::internal,
          fmt::format("what {} of stage {} and micro-batch {} waited for until {} ns is not to be found",
                      name_of(link.operation.kind), link.operation.stage.value, link.operation.micro_batch, at),
          {},
          {}};
}

Result<CriticalPath> walk(const engine::EngineInput& run, const engine::Trace& trace, const Window& window,
                          const std::stop_token& stop) {
  const Finder finder(run, trace);
  const Timeline timeline = build_timeline(run, trace);
  const TimelineIndex rows(timeline);
  CriticalPath path{window.begin, window.end, {}};
  std::optional<Place> place = finder.last(window);
  ensure(place.has_value(), "nothing ends when the iteration does");
  for (std::int64_t until = window.end.count; until > window.begin.count;) {
    if (path.links.size() % stop_interval == stop_interval - 1 && stop.stop_requested())
      return fail(ErrorCode::cancelled, "the explanation was stopped");
    const std::int64_t begin = finder.begin(*place);
    CriticalSegment link = finder.link(*place);
    link.begin = Nanoseconds(std::max(begin, window.begin.count));
    link.end = Nanoseconds(until);
    link.slowed = std::min(link.slowed, link.end - link.begin);
    std::optional<Before> before;
    if (begin > window.begin.count) {
      before = finder.before(*place);
      if (!before && std::ranges::find(run.begin, begin) != run.begin.end()) {  // its first weights are gathered before
        link.begin = window.begin;
        path.links.push_back(link);
        break;
      }
      if (!before) return tl::unexpected(not_found(link, begin));
      link.cause = before->cause;
      place = before->place;
    }
    // Optimizer steps that take no time are in no timeline.
    if (link.operation.kind != OpKind::optimizer || link.begin < link.end) {
      rows.locate(link, begin);
      path.links.push_back(link);
    }
    until = begin;
  }
  std::reverse(path.links.begin(), path.links.end());
  return path;
}

}  // namespace

Result<CriticalPath> critical_path(const Simulator& simulator, const Plan& plan, std::stop_token stop) {
  if (!has_mesh(plan)) TRY_VOID(check_size(plan, true));
  const costs::SimulatorInputs& inputs = simulator.inputs();
  const Result<EnginePlan> ready = prepare(inputs, plan, stop);
  if (!ready) return tl::unexpected(ready.error());
  const engine::EngineInput run = ready->run_of(inputs, plan, true);
  const Result<engine::Trace> trace = run_to_end(run, stop);
  if (!trace) return tl::unexpected(trace.error());
  return walk(run, *trace, window_of(run, *trace), stop);
}

}  // namespace pipedeck::sim::explain
