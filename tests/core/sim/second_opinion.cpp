// SPDX-License-Identifier: Apache-2.0
#include "tests/core/sim/second_opinion.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <tuple>

#include "core/cost/compute.hpp"
#include "tests/core/sim/explain/plain_parts.hpp"
#include "tests/core/sim/network/plain_flows.hpp"

namespace pipedeck::test {
namespace {

struct Step {
  Operation operation;
  std::size_t part = 0;
  Time own = 0, duration = 0, changed = 0, start = 0;  // own: without concurrent communication
  Time end() const { return start + duration; }
};

struct Lane {
  std::vector<DeviceId> devices;
  std::vector<Step> steps;
};

/// All slices of one micro-batch from one stage's copy to the next (or back) over one resource.
struct Transfer {
  std::vector<std::size_t> from, to;  // parts
  int micro_batch = 0, stage = 0;
  bool gradient = false, local = false;
  std::tuple<bool, int, int> resource;
  pipedeck::Bytes bytes;
  Time duration = 0, ready = 0, start = 0;
  Time end() const { return start + duration; }
};

class FixedPoint : PlainParts {
 public:
  FixedPoint(const Problem& problem, const Plan& plan, const Schedule& schedule, const Durations* durations)
      : PlainParts(problem, plan, schedule),
        problem_(problem),
        durations_(durations),
        shared_(problem.workload.conventions.network == NetworkModel::shared),
        flows_(cluster_, network_) {
    for (const std::vector<DeviceId>& devices : lane_devices_) lanes_.push_back({devices, {}});
  }

  Opinion run() {
    for (Lane& lane : lanes_) add_steps(lane);
    for (std::size_t s = 0; s + 1 < plan_.stages.size(); ++s)
      for (int m = 0; m < schedule_.micro_batches; ++m)
        for (const bool gradient : {false, true}) add_transfers(s, m, gradient);
    if (!plan_.synchronous()) rounds_.resize(plan_.stages.size());
    if (calibration_.overlap_slowdown > 1) {
      settle();
      apply_overlap_slowdown();
    }
    if (durations_) change_durations();
    const bool settled = settle();
    Opinion opinion = answer();
    opinion.settled = settled;
    return opinion;
  }

 private:
  // --- operations

  void add_steps(Lane& lane) {
    const auto list = std::find_if(schedule_.lanes.begin(), schedule_.lanes.end(),
                                   [&](const DeviceLane& known) { return known.device == lane.devices.front(); });
    for (int i = 0; i < operation_count(list->order); ++i) {
      const Operation operation = operation_at(list->order, i);
      std::size_t part = 0;
      while (parts_[part].devices.front() != lane.devices.front() || parts_[part].stage != operation.stage.value ||
             parts_[part].copy != schedule_.copy_of(operation.micro_batch))
        ++part;
      const Time own = duration(parts_[part], operation.kind);
      lane.steps.push_back({operation, part, own, own, own, 0});
    }
  }

  std::vector<std::size_t> parts_of(std::size_t s, int micro_batch) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Part& part = parts_[i];
      if (part.stage != static_cast<int>(s) || part.copy != schedule_.copy_of(micro_batch)) continue;
      if (plan_.synchronous() || micro_batch % plan_.stages[s].replicas() == part.replica) found.push_back(i);
    }
    return found;
  }

  void add_transfers(std::size_t s, int micro_batch, bool gradient) {
    struct Load {
      std::set<std::size_t> from, to;
      int samples = 0;
      double latency = 0, bandwidth = 0;
    };
    std::map<std::tuple<bool, int, int>, Load> loads;
    for (const std::size_t a : parts_of(s + (gradient ? 1 : 0), micro_batch))
      for (const std::size_t b : parts_of(s + (gradient ? 0 : 1), micro_batch)) {
        std::vector<int> both;
        std::set_intersection(parts_[a].samples.begin(), parts_[a].samples.end(), parts_[b].samples.begin(),
                              parts_[b].samples.end(), std::back_inserter(both));
        if (both.empty()) continue;
        const DeviceId from = parts_[a].devices.front(), to = parts_[b].devices.front();
        const NodeId here = network_.node_of(from), there = network_.node_of(to);
        Load& load = loads[here == there || shared_ || network_.has_own_ports(here, there)
                               ? std::tuple(false, from.value, to.value)
                               : std::tuple(true, here.value, there.value)];
        load.from.insert(a);
        load.to.insert(b);
        load.samples += static_cast<int>(both.size());
        if (from == to) continue;
        const cost::Path path = network_.path(from, to);
        load.latency = std::max(load.latency, path.latency.count);
        load.bandwidth = load.bandwidth == 0 ? path.bandwidth.count : std::min(load.bandwidth, path.bandwidth.count);
      }
    for (const auto& [resource, load] : loads) {
      Transfer transfer;
      transfer.from.assign(load.from.begin(), load.from.end());
      transfer.to.assign(load.to.begin(), load.to.end());
      transfer.micro_batch = micro_batch;
      transfer.stage = static_cast<int>(gradient ? s + 1 : s);
      transfer.gradient = gradient;
      transfer.resource = resource;
      transfer.local = load.bandwidth == 0;
      const pipedeck::Bytes bytes =
          cost::scale_bytes(cuts_[static_cast<std::size_t>(plan_.stages[s].last)], load.samples, profile_.micro_batch);
      transfer.bytes = bytes;
      if (!transfer.local)
        transfer.duration = rounded(load.latency + static_cast<double>(bytes.count) / load.bandwidth);
      transfers_.push_back(transfer);
    }
  }

  // --- the fixed point

  /// Iterates to the fixed point, which always exists with the plan's own durations.
  bool settle() {
    constexpr int max_passes = 1000;
    int passes = 0;
    while ((shared_ ? move_flows() : move_transfers()) | move_steps())
      if (durations_ && ++passes == max_passes) return false;
    return true;
  }

  static bool is_gradient(OpKind kind) { return kind == OpKind::backward || kind == OpKind::backward_input; }

  /// Returns when the forward or the gradient of a micro-batch has left a part: at its operation's end, or its
  /// partner's.
  Time delivered(std::size_t part, int micro_batch, bool gradient) const {
    const std::vector<Step>& steps = lanes_[parts_[part].lane].steps;
    for (std::size_t i = 0; i < steps.size(); ++i)
      if (steps[i].part == part && steps[i].operation.micro_batch == micro_batch &&
          (gradient ? is_gradient(steps[i].operation.kind) : steps[i].operation.kind == OpKind::forward))
        return steps[steps[i].operation.overlapped_with_next ? i + 1 : i].end();
    return 0;
  }

  // --- passes that take longer during communication

  using Interval = std::pair<Time, Time>;

  /// Returns the all-reduces of a stage, of every round.
  std::vector<Interval> reducing(std::size_t s) const {
    std::vector<Interval> all;
    Time free = 0;
    for (std::size_t nth = 0; nth < reductions_[s].size(); ++nth) {
      const Reduced& reduction = reductions_[s][nth];
      for (std::size_t round = 0; round < (rounds_.empty() ? 1 : round_count(s)); ++round) {
        const Time ready = rounds_.empty() ? stage_done(static_cast<int>(s), nth) : round_ready(s, round);
        const Time start = std::max(ready, free);
        free = shared_ ? reduction.ends[round] : start + reduction.duration;
        all.emplace_back(start, free);
      }
    }
    return all;
  }

  /// Returns when the devices of a lane send, receive or all-reduce.
  std::vector<Interval> communication(std::size_t lane) const {
    std::vector<Interval> all;
    for (const Transfer& transfer : transfers_)
      for (const auto* ends : {&transfer.from, &transfer.to})
        for (const std::size_t part : *ends)
          if (!transfer.local && parts_[part].lane == lane) all.emplace_back(transfer.start, transfer.end());
    for (const Part& part : parts_)
      if (part.lane == lane)
        for (const Interval& each : reducing(static_cast<std::size_t>(part.stage))) all.push_back(each);
    return all;
  }

  /// Returns the covered time. Between adjacent starts and ends either some interval is active or none.
  static Time covered(Time begin, Time end, const std::vector<Interval>& all) {
    std::set<Time> moments{begin, end};
    for (const auto& [from, to] : all)
      for (const Time moment : {from, to})
        if (begin < moment && moment < end) moments.insert(moment);
    Time sum = 0;
    for (auto next = std::next(moments.begin()); next != moments.end(); ++next) {
      const Time since = *std::prev(next);
      if (std::any_of(all.begin(), all.end(), [&](const Interval& i) { return i.first <= since && *next <= i.second; }))
        sum += *next - since;
    }
    return sum;
  }

  void apply_overlap_slowdown() {
    for (std::size_t l = 0; l < lanes_.size(); ++l) {
      const std::vector<Interval> all = communication(l);
      for (Step& step : lanes_[l].steps) {
        const auto beside = static_cast<double>(covered(step.start, step.end(), all));
        step.changed =
            step.duration + static_cast<Time>(std::floor((calibration_.overlap_slowdown - 1) * beside + 0.5));
      }
    }
    for (Lane& lane : lanes_)
      for (Step& step : lane.steps) step.duration = step.changed, step.start = 0;
    for (Transfer& transfer : transfers_) transfer.start = transfer.ready = 0;
    for (auto& reductions : reductions_)
      for (Reduced& reduction : reductions) reduction.ends.clear();
    for (auto& rounds : rounds_) rounds.clear();
  }

  void change_durations() {
    for (Lane& lane : lanes_)
      for (std::size_t i = 0; i < lane.steps.size(); ++i)
        lane.steps[i].duration = durations_->operation(lane.devices.front(), i, lane.steps[i].duration);
    for (std::size_t i = 0; durations_->transfer && i < transfers_.size(); ++i)
      transfers_[i].duration = durations_->transfer(i, transfers_[i].duration);
    for (std::size_t s = 0; durations_->reduction && s < reductions_.size(); ++s)
      for (std::size_t k = 0; k < reductions_[s].size(); ++k)
        reductions_[s][k].duration = durations_->reduction(s, k, reductions_[s][k].duration);
  }

  using Queues = std::map<std::tuple<bool, int, int>, std::vector<Transfer*>>;

  /// Returns the transfers of each resource in the order in which they are ready.
  Queues queues() {
    Queues queues;
    for (Transfer& transfer : transfers_) {
      transfer.ready = 0;
      for (const std::size_t part : transfer.from)
        transfer.ready = std::max(transfer.ready, delivered(part, transfer.micro_batch, transfer.gradient));
      queues[transfer.local ? std::tuple(false, -1, static_cast<int>(&transfer - transfers_.data()))
                            : transfer.resource]
          .push_back(&transfer);
    }
    for (auto& [resource, queue] : queues)
      std::stable_sort(queue.begin(), queue.end(), [](const Transfer* a, const Transfer* b) {
        return std::tuple(a->ready, a->micro_batch, a->gradient, a->stage) <
               std::tuple(b->ready, b->micro_batch, b->gradient, b->stage);
      });
    return queues;
  }

  bool move_transfers() {
    bool moved = false;
    for (const auto& [resource, queue] : queues()) {
      Time free = 0;
      for (Transfer* transfer : queue) {
        moved |= set(transfer->start, std::max(free, transfer->ready));
        free = transfer->end();
      }
    }
    return moved;
  }

  // --- the shared network: transfers and all-reduces in one max-min fair allocation

  PlainFlow flow_of(const Transfer& transfer) {
    const DeviceId from = parts_[transfer.from.front()].devices.front(),
                   to = parts_[transfer.to.front()].devices.front();
    PlainFlow flow;
    if (transfer.local)
      flow.queue = "local " + std::to_string(&transfer - transfers_.data());
    else
      flow = flows_.transfer(from, to, transfer.bytes);
    flow.ready = transfer.ready;
    flow.tie = {transfer.micro_batch, transfer.gradient, transfer.stage, 0};
    return flow;
  }

  struct Turn {
    std::size_t stage = 0, nth = 0, round = 0, first = 0, count = 0;  // of flows
  };

  bool move_flows() {
    std::vector<PlainFlow> flows;
    for (Transfer& transfer : transfers_) {
      transfer.ready = 0;
      for (const std::size_t part : transfer.from)
        transfer.ready = std::max(transfer.ready, delivered(part, transfer.micro_batch, transfer.gradient));
      flows.push_back(flow_of(transfer));
    }
    std::vector<Turn> turns;
    for (std::size_t s = 0; s < reductions_.size(); ++s) add_turns(s, flows, turns);
    share_links(flows, flows_.capacity());
    bool moved = false;
    for (std::size_t i = 0; i < transfers_.size(); ++i) {
      moved |= set(transfers_[i].start, flows[i].start);
      moved |= set(transfers_[i].duration, flows[i].end - flows[i].start);
    }
    for (const Turn& turn : turns) {
      Time end = 0;
      for (std::size_t i = turn.first; i < turn.first + turn.count; ++i) end = std::max(end, flows[i].end);
      moved |= set(reductions_[turn.stage][turn.nth].ends[turn.round], end);
    }
    return moved;
  }

  /// Adds the all-reduces of a stage one after another, in the order of layers or rounds. Each is ready when its
  /// gradients are and the one before it has ended, by the current times.
  void add_turns(std::size_t s, std::vector<PlainFlow>& flows, std::vector<Turn>& turns) {
    Time free = 0;
    for (std::size_t nth = 0; nth < reductions_[s].size(); ++nth) {
      Reduced& reduction = reductions_[s][nth];
      reduction.ends.resize(rounds_.empty() ? 1 : round_count(s), 0);
      for (std::size_t round = 0; round < reduction.ends.size(); ++round) {
        const Time ready = rounds_.empty() ? stage_done(static_cast<int>(s), nth) : round_ready(s, round);
        turns.push_back({s, nth, round, flows.size(), reduction.groups.size()});
        for (std::size_t rank = 0; rank < reduction.groups.size(); ++rank) {
          const pipedeck::Bytes bytes =
              reduction.whole + shard_bytes(plan_.stages[s], reduction.bytes - reduction.whole, static_cast<int>(rank));
          PlainFlow flow = flows_.all_reduce(reduction.groups[rank], bytes);
          flow.queue = "stage " + std::to_string(s) + " rank " + std::to_string(rank);
          flow.ready = std::max(ready, free);
          flow.tie = {static_cast<int>(nth), static_cast<int>(round), 0, 0};
          flows.push_back(flow);
        }
        free = reduction.ends[round];
      }
    }
  }

  static bool set(Time& value, Time to) {
    const bool moved = value != to;
    value = to;
    return moved;
  }

  Time arrival(const Step& step) const {
    const bool gradient = is_gradient(step.operation.kind);
    if (!gradient && step.operation.kind != OpKind::forward) return 0;
    Time latest = 0;
    for (const Transfer& transfer : transfers_)
      if (transfer.micro_batch == step.operation.micro_batch && transfer.gradient == gradient &&
          std::find(transfer.to.begin(), transfer.to.end(), step.part) != transfer.to.end())
        latest = std::max(latest, transfer.end());
    return latest;
  }

  bool move_steps() {
    bool moved = false;
    for (std::size_t s = 0; s < rounds_.size(); ++s) moved |= move_rounds(s);
    for (Lane& lane : lanes_) {
      Time free = 0;
      int applied = 0, backwards = 0;  // asynchronous: rounds in the weights, backwards done
      for (std::size_t i = 0; i < lane.steps.size(); ++i) {
        Step& step = lane.steps[i];
        Time start = std::max(free, arrival(step));
        if (step.operation.overlapped_with_next) start = std::max(start, arrival(lane.steps[i + 1]));
        if (!rounds_.empty()) start = apply_rounds(step, start, backwards, applied);
        if (is_gradient(step.operation.kind)) ++backwards;
        moved |= set(step.start, start);
        free = step.end();
      }
    }
    return moved;
  }

  // --- asynchronous rounds: one all-reduce of all gradients every r mini-batches, or every batch

  bool once_a_batch() const { return plan_.schedule == ScheduleKind::pipedream_2bw; }

  int round_size(std::size_t s) const { return once_a_batch() ? plan_.micro_batches : plan_.stages[s].replicas(); }
  std::size_t round_count(std::size_t s) const {
    return static_cast<std::size_t>(schedule_.micro_batches / round_size(s));
  }

  Time round_ready(std::size_t s, std::size_t round) const {
    Time ready = 0;
    for (int nth = 0; nth < round_size(s); ++nth) {
      const int micro_batch = static_cast<int>(round) * round_size(s) + nth;
      for (const std::size_t part : parts_of(s, micro_batch))
        ready = std::max(ready, delivered(part, micro_batch, true));
    }
    return ready;
  }

  bool move_rounds(std::size_t s) {
    rounds_[s].resize(round_count(s), 0);
    bool moved = false;
    Time free = 0;
    for (std::size_t k = 0; k < rounds_[s].size(); ++k) {
      Time done = round_ready(s, k);
      if (!reductions_[s].empty()) {
        const Reduced& all = reductions_[s].front();
        done = shared_ ? all.ends[k] : std::max(done, free) + all.duration;
      }
      free = done;
      moved |= set(rounds_[s][k], done);
    }
    return moved;
  }

  /// Returns the start after the updates that must precede it. For a single replica, or without overlap, it waits for
  /// the last update. Otherwise a backward waits for the update of all backwards but the one before it. With one update
  /// per batch, a batch's forwards wait for that of the batch before the last.
  Time apply_rounds(const Step& step, Time start, int backwards, int& applied) const {
    const Part& part = parts_[step.part];
    const auto& rounds = rounds_[static_cast<std::size_t>(part.stage)];
    const int replicas = stage(part.stage).replicas();
    int due = once_a_batch() ? backwards / (plan_.micro_batches / replicas) : backwards;
    if (replicas > 1 && overlap_ == Overlap::layer && once_a_batch())
      due = step.operation.kind == OpKind::forward ? step.operation.micro_batch / plan_.micro_batches - 1 : 0;
    else if (replicas > 1 && overlap_ == Overlap::layer)
      due = step.operation.kind == OpKind::backward ? backwards - 1 : applied;
    due = std::min(due, static_cast<int>(rounds.size()));
    for (; applied < due; ++applied) {
      Time longest = 0;
      for (std::size_t rank = 0; rank < part.devices.size(); ++rank) longest = std::max(longest, optimizer(part, rank));
      start = std::max(start, rounds[static_cast<std::size_t>(applied)]) + longest;
    }
    return start;
  }

  // --- the answer

  Opinion answer() {
    Opinion opinion;
    for (const Transfer& transfer : transfers_)
      opinion.transfers.push_back({transfer.stage, transfer.micro_batch, transfer.start, transfer.duration});
    for (const auto& [resource, queue] : queues())
      for (const Transfer* transfer : queue)
        opinion.turns.push_back(static_cast<std::size_t>(transfer - transfers_.data()));
    for (const Lane& lane : lanes_)
      for (const DeviceId device : lane.devices)
        for (const Step& step : lane.steps)
          opinion.compute[device].push_back({Nanoseconds(step.start), Nanoseconds(step.duration), step.operation});
    opinion.iteration = plan_.synchronous() ? synchronous(opinion.turns) : asynchronous();
    return opinion;
  }

  /// Returns the end of the stage's last all-reduce: one at a time, each when all replicas have its gradients.
  Time reduced(int s) const {
    Time free = 0;
    const auto& reductions = reductions_[static_cast<std::size_t>(s)];
    for (std::size_t k = 0; k < reductions.size(); ++k)
      free = shared_ ? reductions[k].ends.front() : std::max(free, stage_done(s, k)) + reductions[k].duration;
    return free;
  }

  /// Returns when all replicas of all copies have the gradients of a reduction.
  Time stage_done(int s, std::size_t reduction) const {
    Time ready = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (parts_[i].stage == s) ready = std::max(ready, gradients_done(i, reduction));
    return ready;
  }

  Time gradients_done(std::size_t i, std::size_t reduction) const {
    const Part& part = parts_[i];
    const std::vector<Step>& steps = lanes_[part.lane].steps;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      if (step->part != i) continue;
      if (step->operation.kind == OpKind::backward_weight) return gradient_done(*step, part.weight_from[reduction]);
      if (is_gradient(step->operation.kind)) return gradient_done(*step, part.backward_from[reduction]);
    }
    return 0;
  }

  /// Returns when a gradient is done: `after` seconds from the start of the pass, scaled with its duration.
  Time gradient_done(const Step& last, double after) const {
    const Time then = rounded(calibration_.operation_overhead.count + after);
    if (last.duration == last.own || last.own == 0) return last.start + then;
    const double share = static_cast<double>(then) / static_cast<double>(last.own);
    return last.start + static_cast<Time>(std::floor(share * static_cast<double>(last.duration) + 0.5));
  }

  Time synchronous(std::vector<std::size_t>& turns) const {
    Time end = 0;
    for (const Lane& lane : lanes_)
      for (std::size_t rank = 0; rank < lane.devices.size(); ++rank) {
        std::vector<std::tuple<Time, Time, int>> updates;  // ready, duration, stage
        for (const Part& part : parts_)
          if (part.devices.front() == lane.devices.front())
            updates.emplace_back(reduced(part.stage), optimizer(part, rank), part.stage);
        std::stable_sort(updates.begin(), updates.end(),
                         [](const auto& a, const auto& b) { return std::get<0>(a) < std::get<0>(b); });
        Time free = lane.steps.empty() ? 0 : lane.steps.back().end();
        for (const auto& [ready, duration, stage] : updates) {
          free = std::max(free, ready) + duration;
          turns.push_back(static_cast<std::size_t>(stage));
        }
        end = std::max(end, free);
      }
    return end;
  }

  int in_flight() const {
    const int replicas = plan_.stages.front().replicas();
    int workers = 0;
    for (const Stage& own : plan_.stages) workers += own.replicas();
    return (workers + replicas - 1) / replicas * replicas;
  }

  /// A time for a number of mini-batches.
  struct Rate {
    double time = 0, mini_batches = 1;
    bool operator<(const Rate& other) const { return time * other.mini_batches < other.time * mini_batches; }
  };

  /// Returns the rate at which a replica's backwards end: the shortest period of the ends before the drain that holds
  /// for as long as two periods and twice what is in flight, to 2 ns. Else the growth between the two halves of their
  /// last two thirds.
  Rate rate_of(int s, int replica) const {
    const int replicas = stage(s).replicas();
    std::vector<Time> done;
    for (const Lane& lane : lanes_)
      for (const Step& step : lane.steps)
        if (parts_[step.part].stage == s && parts_[step.part].replica == replica && is_gradient(step.operation.kind) &&
            step.operation.micro_batch < schedule_.micro_batches - in_flight())
          done.push_back(step.end());
    const int count = static_cast<int>(done.size()), least = once_a_batch() ? plan_.micro_batches / replicas : 1;
    const int open = (in_flight() + replicas - 1) / replicas;
    const auto growth = [&](int i, int lag) {
      return done[static_cast<std::size_t>(count - 1 - i)] - done[static_cast<std::size_t>(count - 1 - i - lag)];
    };
    for (int period = least; 2 * period + 2 * open <= count; period += least) {
      bool holds = true;
      for (int i = 0; holds && i < period + 2 * open; ++i) holds = std::abs(growth(i, period) - growth(0, period)) <= 2;
      if (holds) return {static_cast<double>(growth(0, period)), static_cast<double>(period * replicas)};
    }
    const int half = std::max(1, count / 3 / least) * least;
    if (count < 2 * half) return {static_cast<double>(done.back()), static_cast<double>(count * replicas)};
    double sum = 0;
    for (int i = 0; i < half; ++i) sum += static_cast<double>(growth(i, half));
    return {sum / half, static_cast<double>(half * replicas)};
  }

  Rate slowest_rate() const {
    Rate slowest;
    for (int s = 0; s < static_cast<int>(plan_.stages.size()); ++s)
      for (int r = 0; r < stage(s).replicas(); ++r) slowest = std::max(slowest, rate_of(s, r));
    return slowest;
  }

  Time asynchronous() const {
    const Rate rate = durations_ ? rate_of_changed() : slowest_rate();
    return rounded(rate.time * 1e-9 * plan_.global_batch / (rate.mini_batches * plan_.micro_batch));
  }

  /// Returns the rate with other durations: of stage 0's completions in the second half of the run, before the drain,
  /// over whole periods of the plan's own durations, else whole turns of the replicas, else whole batches. With
  /// different replicas a mini-batch counts when all before it are done.
  Rate rate_of_changed() const {
    std::vector<Time> done;
    for (int m = 0; m < schedule_.micro_batches; ++m) {
      const Time own = delivered(parts_of(0, m).front(), m, true);
      done.push_back(done.empty() ? own : std::max(done.back(), own));
    }
    FixedPoint plain(problem_, plan_, schedule_, nullptr);
    plain.run();
    const auto turn = static_cast<std::size_t>(once_a_batch() ? plan_.micro_batches : plan_.stages.front().replicas());
    const std::size_t first = done.size() / 2 - (once_a_batch() ? 1 : 0);
    const std::size_t last = done.size() - static_cast<std::size_t>(in_flight()) - 1;
    std::size_t period = std::lcm(turn, static_cast<std::size_t>(plain.slowest_rate().mini_batches));
    if (period > last - first) period = turn;
    const std::size_t count = (last - first) / period * period;
    return {static_cast<double>(done[first + count] - done[first]), static_cast<double>(count)};
  }

  const Problem& problem_;
  const Durations* durations_;
  bool shared_;
  std::vector<Lane> lanes_;
  std::vector<Transfer> transfers_;
  PlainFlows flows_;                       // shared network
  std::vector<std::vector<Time>> rounds_;  // by stage: when each round's gradients are all-reduced
};

}  // namespace

Opinion second_opinion(const Problem& problem, const Plan& plan, const Schedule& schedule, const Durations* durations) {
  return FixedPoint(problem, plan, schedule, durations).run();
}

}  // namespace pipedeck::test
