// SPDX-License-Identifier: Apache-2.0
// A discrete-event simulation. Its events are the ends of a lane's operation and of a resource's transfer, at most one
// pending each, so the queue stays as small as the cluster. All events of one instant are taken before any operation
// starts, so ties never depend on the queue's order.
//
// In the `ideal` network durations are known beforehand. All-reduces, for which only the optimizer waits, are added at
// the end. In `shared` the carrier ends a transfer or an all-reduce.
#include "core/sim/engine/engine.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>

#include "core/sim/engine/lane_engine.hpp"
#include "core/sim/engine/state.hpp"
#include "core/sim/network/flow_scheduler.hpp"

namespace pipedeck::sim::engine {
namespace {

struct Event {
  std::int64_t time = 0;
  int who = 0;  // lane, lanes + resource, or lanes + resources + a stage whose all-reduce is due
  bool operator>(const Event& other) const { return time != other.time ? time > other.time : who > other.who; }
};

struct Waiting {
  std::int64_t ready = 0;
  int channel = 0, micro_batch = 0;
};

struct Line {  // of a resource
  bool busy = false;
  Waiting current;
  std::vector<Waiting> queue;
  std::size_t head = 0;
  std::size_t fresh = 0;  // of the queue, those that became ready at this instant
};

/// Rounds of gradients of an asynchronous stage, an update each; a synchronous one has a single round.
struct Rounds {
  int size = 1;                    // micro-batches of a round: one a replica, or a global batch
  std::vector<int> missing;        // micro-batches that the round still waits for
  std::vector<std::int64_t> done;  // end of the round's all-reduce; -1: not known
  std::int64_t free = 0;
};

/// All-reduces of a stage in the `shared` network, one at a time.
struct Reducing {
  int gradients_left = 0;  // operations of its workers
  std::size_t next = 0;    // of its all-reduces, or of its rounds
  bool running = false;
  std::int64_t start = 0;           // of the running one
  std::vector<std::int64_t> ready;  // of each, when it may start
};

class EventEngine : EngineState {
 public:
  EventEngine(const EngineInput& input, std::stop_token stop) : EngineState(input), stop_(std::move(stop)) {
    lines_.resize(in_.channels.resources.size());
    if (!in_.schedule.synchronous) add_rounds();
    if (!in_.shared) return;
    carrier_.emplace(*in_.shared);
    reducing_.resize(in_.costs.stages.size());
    if (in_.schedule.synchronous) count_gradients();
  }

  Trace run() {
    for (std::size_t l = 0; l < in_.begin.size(); ++l)
      if (in_.begin[l] > 0) sleep(l, in_.begin[l]);
    for (std::size_t l = 0; l < lanes_.size(); ++l) try_start(l, 0);
    std::size_t unseen = 0;  // thousands of devices may have their ends at one instant
    for (std::int64_t now = next(); now != network::FluidNetwork::never; now = next()) {
      step(now);
      unseen += 1 + runnable_lanes_.size();
      if (unseen < stop_interval) continue;
      if (stop_.stop_requested()) return std::move(trace_);
      unseen = 0;
    }
    finish();
    return std::move(trace_);
  }

 private:
  /// Only rounds in which every replica has a mini-batch are reduced.
  void add_rounds() {
    for (const Stage& stage : in_.plan.stages) {
      Rounds rounds;
      rounds.size = two_versions() ? in_.plan.micro_batches : stage.replicas();
      rounds.missing.assign(count_ / static_cast<std::size_t>(rounds.size), rounds.size);
      rounds.done.assign(rounds.missing.size(), -1);
      rounds_.push_back(std::move(rounds));
    }
    trace_.backward_ends.resize(workers_.size());
  }

  /// PipeDream-2BW: an update a global batch.
  bool two_versions() const { return in_.plan.schedule == ScheduleKind::pipedream_2bw; }

  void count_gradients() {
    for (const Lane& lane : lanes_)
      for (int i = 0; i < lane.count; ++i) {
        const Operation operation = operation_at(*lane.order, i);
        if (!gives_gradient(operation.kind)) continue;
        ++reducing_[static_cast<std::size_t>(workers_[worker_of(lane, operation)].stage)].gradients_left;
      }
  }

  // --- events

  std::int64_t next() const {
    const std::int64_t own = events_.empty() ? network::FluidNetwork::never : events_.front().time;
    return carrier_ ? std::min(own, carrier_->next()) : own;
  }

  void push(std::int64_t time, std::size_t who) {
    events_.push_back({time, static_cast<int>(who)});
    std::push_heap(events_.begin(), events_.end(), std::greater<>());
  }

  std::size_t pop() {
    const auto who = static_cast<std::size_t>(events_.front().who);
    std::pop_heap(events_.begin(), events_.end(), std::greater<>());
    events_.pop_back();
    return who;
  }

  /// All ends of one instant, then all starts.
  void step(std::int64_t now) {
    runnable_lanes_.clear();
    ready_.clear();
    while (!events_.empty() && events_.front().time == now) {
      const std::size_t who = pop(), resources = lines_.size();
      if (who < lanes_.size())
        end_operation(who, now);
      else if (who < lanes_.size() + resources)
        end_transfer(who - lanes_.size(), now);
      else
        start_all_reduce(who - lanes_.size() - resources, now);
    }
    if (carrier_) end_flows(now);

    enqueue_ready(now);
    for (const std::size_t l : runnable_lanes_) try_start(l, now);
    if (carrier_) carrier_->update_rates(now);
  }

  void end_flows(std::int64_t now) {
    const network::FlowScheduler::Completions& ended = carrier_->advance(now);
    for (const std::size_t resource : ended.resources) {
      if (in_.record) trace_.transfers[resource].back().duration = now - trace_.transfers[resource].back().start;
      end_transfer(resource, now);
    }
    for (const std::size_t stage : ended.stages) end_all_reduce(stage, now);
  }

  /// Among transfers ready at the same instant: earlier micro-batches first, activations first, earlier stages first.
  std::tuple<int, bool, int, int> tie(const Waiting& waiting) const {
    const costs::Channel& channel = in_.channels.all[static_cast<std::size_t>(waiting.channel)];
    return {waiting.micro_batch, channel.gradient, channel.stage, waiting.channel};
  }

  // --- compute

  void try_start(std::size_t l, std::int64_t now) {
    Lane& lane = lanes_[l];
    if (lane.running || lane.next == lane.count) return;
    const Operation operation = operation_at(*lane.order, lane.next);
    const std::size_t w = worker_of(lane, operation);
    if (!can_start(workers_[w], operation)) return;
    if (operation.overlapped_with_next && !second_can_start(lane, operation)) return;
    std::int64_t start = now;
    if (!rounds_.empty() && !apply_updates(l, w, operation, start)) return;

    start = begin(l, w, operation, start);
    lane.joined = operation.overlapped_with_next;
    if (operation.overlapped_with_next) {
      lane.first = operation;
      const Operation second = operation_at(*lane.order, lane.next);
      start = begin(l, worker_of(lane, second), second, start);
    }
    lane.running = true;
    push(start, l);
  }

  /// The second of two joined operations: what it needs must be there, and from elsewhere than the first.
  bool second_can_start(const Lane& lane, const Operation& first) const {
    if (lane.next + 1 == lane.count) return false;
    const Operation second = operation_at(*lane.order, lane.next + 1);
    if (second.stage == first.stage && second.micro_batch == first.micro_batch) return false;
    return can_start(workers_[worker_of(lane, second)], second);
  }

  std::int64_t begin(std::size_t l, std::size_t w, const Operation& operation, std::int64_t start) {
    const std::int64_t end = begin_operation(l, w, operation, start);
    if (carrier_ && in_.schedule.synchronous && gives_gradient(operation.kind))
      begin_gradient(static_cast<std::size_t>(workers_[w].stage));
    return end;
  }

  void sleep(std::size_t l, std::int64_t until) {
    lanes_[l].running = lanes_[l].blocked = true;
    push(until, l);
  }

  void end_operation(std::size_t l, std::int64_t now) {
    Lane& lane = lanes_[l];
    lane.running = false;
    lane.free = now;
    runnable_lanes_.push_back(l);
    if (std::exchange(lane.blocked, false)) return;
    if (lane.joined) deliver(lane, lane.first, now);
    deliver(lane, lane.operation, now);
  }

  void deliver(const Lane& lane, const Operation& operation, std::int64_t now) {
    const std::size_t w = worker_of(lane, operation);
    if (operation.kind == OpKind::forward) send(in_.channels.activations[w], workers_[w], operation, now);
    if (!is_gradient(operation.kind)) return;
    send(in_.channels.gradients[w], workers_[w], operation, now);
    if (!rounds_.empty()) end_round(workers_[w], operation.micro_batch, now);
  }

  void send(const costs::Outgoing& outgoing, const Worker& worker, const Operation& operation, std::int64_t now) {
    if (outgoing.turns.empty()) return;
    const int micro_batch = operation.micro_batch;
    for (const int c : outgoing.of(micro_batch / worker.stride)) {
      const costs::Channel& channel = in_.channels.all[static_cast<std::size_t>(c)];
      if (channel.resource == costs::Channel::local) {
        arrive(channel, micro_batch);
        continue;
      }
      std::vector<int>& owed = pending_sources_[static_cast<std::size_t>(c)];
      if (owed.empty() || --owed[static_cast<std::size_t>(micro_batch)] == 0) ready_.push_back({now, c, micro_batch});
    }
  }

  // --- transfers

  /// Only what goes over one resource takes turns: thousands of transfers that become ready at one instant are not
  /// sorted, but few of each resource. Flows of the `shared` network begin in the order of all.
  void enqueue_ready(std::int64_t now) {
    const auto earlier = [&](const Waiting& a, const Waiting& b) { return tie(a) < tie(b); };
    if (carrier_ && ready_.size() > 1) std::sort(ready_.begin(), ready_.end(), earlier);
    lengthened_.clear();
    for (const Waiting& transfer : ready_) {
      const auto resource =
          static_cast<std::size_t>(in_.channels.all[static_cast<std::size_t>(transfer.channel)].resource);
      Line& line = lines_[resource];
      if (line.fresh++ == 0) lengthened_.push_back(resource);
      line.queue.push_back(transfer);
    }
    for (const std::size_t resource : lengthened_) {
      Line& line = lines_[resource];
      if (line.fresh > 1 && !carrier_)
        std::sort(line.queue.end() - static_cast<std::ptrdiff_t>(line.fresh), line.queue.end(), earlier);
      line.fresh = 0;
      if (!line.busy) start_transfer(resource, now);
    }
  }

  void start_transfer(std::size_t resource, std::int64_t now) {
    Line& line = lines_[resource];
    line.current = line.queue[line.head++];
    if (line.head == line.queue.size()) line.queue.clear(), line.head = 0;
    line.busy = true;
    const std::int64_t alone = in_.channels.all[static_cast<std::size_t>(line.current.channel)].duration;
    if (in_.record) trace_.transfers[resource].push_back({now, alone, line.current.channel, line.current.micro_batch});
    if (carrier_)
      carrier_->start_transfer(resource, line.current.channel, now);
    else
      push(now + alone, lanes_.size() + resource);
  }

  void end_transfer(std::size_t resource, std::int64_t now) {
    Line& line = lines_[resource];
    line.busy = false;
    const costs::Channel& channel = in_.channels.all[static_cast<std::size_t>(line.current.channel)];
    arrive(channel, line.current.micro_batch);
    // Operations that became ready earlier go first. Operations of this very instant queue after them.
    if (line.head < line.queue.size()) start_transfer(resource, now);
  }

  // --- asynchronous weight synchronisation: replicas all-reduce once every r mini-batches, or once a batch

  /// Rounds whose update must be in the weights before `operation` starts. For a single replica, or overlap none: all
  /// rounds that it has computed. Otherwise the all-reduce overlaps the next round's passes and is due before the
  /// backward after; with two versions before the forwards of the batch after.
  int updates_due(const Worker& worker, const Operation& operation) const {
    const int replicas = in_.plan.stages[static_cast<std::size_t>(worker.stage)].replicas();
    if (replicas == 1 || in_.overlap == Overlap::none) return worker.backwards;
    if (two_versions()) {
      const int batch = operation.micro_batch / in_.plan.micro_batches;
      return operation.kind == OpKind::forward ? std::max(worker.updates, batch - 1) : worker.updates;
    }
    return operation.kind == OpKind::backward ? worker.backwards - 1 : worker.updates;
  }

  /// Moves `start` behind the all-reduces that are due and their optimizer steps; false where one has not begun.
  bool apply_updates(std::size_t l, std::size_t w, const Operation& operation, std::int64_t& start) {
    Worker& worker = workers_[w];
    const Rounds& rounds = rounds_[static_cast<std::size_t>(worker.stage)];
    const int due = std::min(updates_due(worker, operation), static_cast<int>(rounds.done.size()));
    if (worker.updates < due && rounds.done[static_cast<std::size_t>(due - 1)] < 0) return false;
    for (; worker.updates < due; ++worker.updates) {
      start = std::max(start, rounds.done[static_cast<std::size_t>(worker.updates)]);
      step_optimizer(l, worker, start);
    }
    return true;
  }

  void step_optimizer(std::size_t l, const Worker& worker, std::int64_t& start) {
    const std::int64_t duration = *std::max_element(worker.costs->optimizer.begin(), worker.costs->optimizer.end());
    if (duration > 0 && in_.record)
      trace_.operations[l].push_back({Nanoseconds(start),
                                      Nanoseconds(duration),
                                      {OpKind::optimizer, StageId(std::int32_t{worker.stage}), worker.updates}});
    start += duration;
  }

  void end_round(Worker& worker, int micro_batch, std::int64_t now) {
    trace_.backward_ends[static_cast<std::size_t>(&worker - workers_.data())].push_back(now);
    const auto stage = static_cast<std::size_t>(worker.stage);
    Rounds& rounds = rounds_[stage];
    const auto round = static_cast<std::size_t>(micro_batch / rounds.size);
    worker.backwards = (micro_batch + worker.stride) / rounds.size;
    if (round >= rounds.missing.size() || --rounds.missing[round] > 0) return;
    const std::vector<costs::Reduction>& reductions = in_.costs.stages[stage].reductions;
    if (carrier_ && !reductions.empty()) return enqueue_round(stage, now);
    rounds.done[round] = now;
    if (!reductions.empty()) {
      const std::int64_t start = std::max(now, rounds.free), duration = reductions.front().duration;
      rounds.done[round] = rounds.free = start + duration;
      trace_.reductions[stage].push_back({start, duration, static_cast<int>(round)});
    }
    wake(stage);
  }

  void wake(std::size_t stage) {
    for (std::size_t w = first_worker(stage); w < first_worker(stage + 1); ++w)
      runnable_lanes_.push_back(workers_[w].costs->lane);
  }

  // --- all-reduces in the `shared` network

  /// When the last gradient of a stage has begun, it is known when each of its all-reduces may start.
  void begin_gradient(std::size_t stage) {
    Reducing& reducing = reducing_[stage];
    if (--reducing.gradients_left > 0) return;
    reducing.ready.resize(in_.costs.stages[stage].reductions.size());
    for (std::size_t k = 0; k < reducing.ready.size(); ++k) reducing.ready[k] = gradients_ready(stage, k);
    if (!reducing.ready.empty()) push(reducing.ready.front(), lanes_.size() + lines_.size() + stage);
  }

  /// Rounds become ready one after another.
  void enqueue_round(std::size_t stage, std::int64_t now) {
    Reducing& reducing = reducing_[stage];
    reducing.ready.push_back(now);
    if (!reducing.running) start_all_reduce(stage, now);
  }

  void start_all_reduce(std::size_t stage, std::int64_t now) {
    Reducing& reducing = reducing_[stage];
    reducing.running = true;
    reducing.start = now;
    carrier_->start_all_reduce(stage, in_.schedule.synchronous ? reducing.next : 0, now);
  }

  void end_all_reduce(std::size_t stage, std::int64_t now) {
    Reducing& reducing = reducing_[stage];
    const int round = in_.schedule.synchronous ? 0 : static_cast<int>(reducing.next);
    trace_.reductions[stage].push_back({reducing.start, now - reducing.start, round});
    if (!in_.schedule.synchronous) {
      rounds_[stage].done[reducing.next] = now;
      wake(stage);
    }
    reducing.running = false;
    if (++reducing.next == reducing.ready.size()) return;
    const std::int64_t ready = reducing.ready[reducing.next];
    if (ready <= now)
      start_all_reduce(stage, now);
    else
      push(ready, lanes_.size() + lines_.size() + stage);
  }

  // --- the end

  void finish() {
    close_lanes();
    if (!trace_.complete || !in_.schedule.synchronous) return;
    if (!carrier_) return add_all_reduces();
    for (std::size_t s = 0; s < trace_.reductions.size(); ++s)
      if (const auto& done = trace_.reductions[s]; !done.empty())
        trace_.synchronised[s] = done.back().start + done.back().duration;
  }

  std::stop_token stop_;
  std::vector<Line> lines_;
  std::vector<Rounds> rounds_;
  std::optional<network::FlowScheduler> carrier_;  // of the `shared` network
  std::vector<Reducing> reducing_;                 // there, by stage
  std::vector<Event> events_;
  std::vector<Waiting> ready_;
  std::vector<std::size_t> lengthened_;  // resources whose queues grow at this instant
};

}  // namespace

Trace run_engine(const EngineInput& input, std::stop_token stop) {
  if (is_contention_free(input)) return run_lanes(input, std::move(stop));
  return EventEngine(input, std::move(stop)).run();
}

}  // namespace pipedeck::sim::engine
