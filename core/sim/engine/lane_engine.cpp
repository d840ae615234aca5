// SPDX-License-Identifier: Apache-2.0
#include "core/sim/engine/lane_engine.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/sim/engine/state.hpp"

namespace pipedeck::sim::engine {
namespace {

class LaneEngine : EngineState {
 public:
  explicit LaneEngine(const EngineInput& input)
      : EngineState(input), activation_at_(slots_), gradient_at_(slots_), line_free_(input.channels.resources.size()) {
    for (const std::vector<int>& owed : pending_sources_) ready_at_.emplace_back(owed.size());
  }

  Trace run(const std::stop_token& stop) {
    std::vector<char> listed(lanes_.size(), 1);  // among those to be looked at next
    for (std::size_t l = 0; l < lanes_.size(); ++l) {
      if (l < in_.begin.size()) lanes_[l].free = std::max<std::int64_t>(0, in_.begin[l]);
      runnable_lanes_.push_back(l);
    }
    std::vector<std::size_t> now;
    std::size_t unseen = stop_interval;  // operations since the last look at the stop token
    while (!runnable_lanes_.empty()) {
      now.swap(runnable_lanes_);
      for (const std::size_t l : now) listed[l] = 0;
      for (const std::size_t l : now) {
        if (unseen >= stop_interval && stop.stop_requested()) return std::move(trace_);
        if (unseen >= stop_interval) unseen = 0;
        const std::size_t before = runnable_lanes_.size();
        unseen += 1 + run_lane(l);
        // A lane stands there once per micro-batch that arrived.
        const auto fresh = runnable_lanes_.begin() + static_cast<std::ptrdiff_t>(before);
        runnable_lanes_.erase(std::remove_if(fresh, runnable_lanes_.end(),
                                             [&](std::size_t next) { return std::exchange(listed[next], 1) != 0; }),
                              runnable_lanes_.end());
      }
      now.clear();
    }
    close_lanes();
    if (trace_.complete) add_all_reduces();
    return std::move(trace_);
  }

 private:
  /// Runs the lane as far as what it needs is known; returns its number of operations.
  std::size_t run_lane(std::size_t l) {
    Lane& lane = lanes_[l];
    const int begin = lane.next;
    while (lane.next < lane.count) {
      const Operation operation = operation_at(*lane.order, lane.next);
      const std::size_t w = worker_of(lane, operation);
      const Worker& worker = workers_[w];
      if (!can_start(worker, operation)) break;
      const std::size_t slot = slot_of(worker, operation.micro_batch);
      const bool forward = operation.kind == OpKind::forward, gradient = is_gradient(operation.kind);
      const std::int64_t needed = forward ? activation_at_[slot] : gradient ? gradient_at_[slot] : 0;
      lane.free = begin_operation(l, w, operation, std::max(lane.free, needed));
      if (forward) pass_on(in_.channels.activations[w], worker, operation, lane.free);
      if (gradient) pass_on(in_.channels.gradients[w], worker, operation, lane.free);
    }
    return static_cast<std::size_t>(lane.next - begin);
  }

  void pass_on(const costs::Outgoing& outgoing, const Worker& worker, const Operation& operation, std::int64_t end) {
    if (outgoing.turns.empty()) return;
    const auto micro_batch = static_cast<std::size_t>(operation.micro_batch);
    for (const int c : outgoing.of(operation.micro_batch / worker.stride)) {
      const costs::Channel& channel = in_.channels.all[static_cast<std::size_t>(c)];
      std::int64_t there = end;
      if (channel.resource != costs::Channel::local) {
        if (std::vector<int>& owed = pending_sources_[static_cast<std::size_t>(c)]; !owed.empty()) {
          std::int64_t& ready = ready_at_[static_cast<std::size_t>(c)][micro_batch];
          there = ready = std::max(ready, end);
          if (--owed[micro_batch] > 0) continue;
        }
        const auto resource = static_cast<std::size_t>(channel.resource);
        const std::int64_t start = std::max(there, line_free_[resource]);
        if (in_.record) trace_.transfers[resource].push_back({start, channel.duration, c, operation.micro_batch});
        there = line_free_[resource] = start + channel.duration;
      }
      ZeroedArray<std::int64_t>& known = channel.gradient ? gradient_at_ : activation_at_;
      for (const int target : channel.targets) {
        std::int64_t& at = known[slot_of(workers_[static_cast<std::size_t>(target)], operation.micro_batch)];
        at = std::max(at, there);
      }
      arrive(channel, operation.micro_batch);
    }
  }

  // When what was sent is there, by worker and its micro-batches; when a resource is free; when the last source of a
  // channel of several was done, by micro-batch.
  ZeroedArray<std::int64_t> activation_at_, gradient_at_;
  std::vector<std::int64_t> line_free_;
  std::vector<std::vector<std::int64_t>> ready_at_;
};

}  // namespace

bool is_contention_free(const EngineInput& input) {
  if (input.shared || !input.schedule.synchronous) return false;
  // A message of several workers is ready when the last of them is done: in order if all have the same list, as closed
  // forms have.
  bool listed = false;
  for (const DeviceLane& lane : input.schedule.lanes) {
    const auto* list = std::get_if<ExplicitOrder>(&lane.order);
    if (list && std::ranges::any_of(list->operations, &Operation::overlapped_with_next)) return false;
    listed |= list != nullptr;
  }
  std::vector<int> carried(input.channels.resources.size());
  for (const costs::Channel& channel : input.channels.all) {
    if (channel.resource == costs::Channel::local) continue;
    if (++carried[static_cast<std::size_t>(channel.resource)] > 1 || (listed && channel.sources.size() > 1))
      return false;
  }
  return true;
}

Trace run_lanes(const EngineInput& input, std::stop_token stop) { return LaneEngine(input).run(stop); }

}  // namespace pipedeck::sim::engine
