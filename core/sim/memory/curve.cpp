// SPDX-License-Identifier: Apache-2.0
#include "core/sim/memory/curve.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "core/cost/compute.hpp"

namespace pipedeck::sim::memory {
namespace {

struct Change {
  std::int64_t time = 0;
  MemoryItem item = MemoryItem::activations;
  std::int64_t bytes = 0;
  int kept = 0;  // micro-batches more or less
};

/// Times of one micro-batch on this worker: start of its forward, ends of that, of its input gradient, of all of it.
struct Times {
  std::int64_t started = 0, forward = 0, gradient = 0, released = 0;
};

/// Memory of one chunk's replica in addition to its static items.
class Chunks {
 public:
  Chunks(const costs::SimulatorInputs& inputs, const engine::EngineInput& run, const engine::Trace& trace,
         std::size_t worker, const std::vector<std::size_t>& resources, std::vector<Change>& begins,
         std::vector<Change>& ends)
      : inputs_(inputs),
        run_(run),
        trace_(trace),
        worker_(worker),
        resources_(resources),
        costs_(run.costs.workers[worker]),
        stage_(run.costs.stages[static_cast<std::size_t>(costs_.stage)]),
        begins_(begins),
        ends_(ends) {}

  void run() {
    add_operations();
    add_boundaries();
    add_handovers();
  }

 private:
  Bytes scaled(Bytes bytes) const { return cost::scale_bytes(bytes, costs_.samples(), inputs_.profile->micro_batch); }

  /// The lane's operations that are the worker's chunk's.
  template <class Visit>
  void each_row(const costs::StageReplicaCosts& worker, const Visit& visit) const {
    for (const TimelineRow& row : trace_.operations[worker.lane])
      if (row.operation.kind != OpKind::optimizer && row.operation.stage.value == worker.stage &&
          run_.schedule.copy_of(row.operation.micro_batch) == worker.copy)
        visit(row);
  }
  template <class Visit>
  void each_row(const Visit& visit) const {
    each_row(costs_, visit);
  }

  int stride_of(const costs::StageReplicaCosts& worker) const {
    return run_.schedule.synchronous ? 1 : run_.plan.stages[static_cast<std::size_t>(worker.stage)].replicas();
  }

  /// Samples of a micro-batch of the chunk: all of a synchronous plan, else those of its turns.
  Times& times(std::size_t worker, int micro_batch) {
    const costs::StageReplicaCosts& costs = run_.costs.workers[worker];
    const int stride = stride_of(costs);
    const auto [known, fresh] = times_.try_emplace(worker);
    std::vector<Times>& all = known->second;
    if (fresh) {
      all.resize(static_cast<std::size_t>(run_.schedule.micro_batches / stride + 1));
      each_row(costs, [&](const TimelineRow& row) {
        Times& own = all[static_cast<std::size_t>(row.operation.micro_batch / stride)];
        if (row.operation.kind == OpKind::forward) own.started = row.start.count, own.forward = row.end().count;
        if (row.operation.kind == OpKind::backward || row.operation.kind == OpKind::backward_input)
          own.gradient = own.released = row.end().count;
        if (row.operation.kind == OpKind::backward_weight) own.released = row.end().count;
      });
    }
    return all[static_cast<std::size_t>(micro_batch / stride)];
  }
  Times& times(int micro_batch) { return times(worker_, micro_batch); }

  void hold(MemoryItem item, std::int64_t from, std::int64_t to, Bytes bytes, int kept = 0) {
    if (to <= from || (bytes.count == 0 && kept == 0)) return;
    begins_.push_back({from, item, bytes.count, kept});
    ends_.push_back({to, item, -bytes.count, -kept});
  }

  void add_operations() {
    const Bytes before = scaled(stage_.kept.before), again = scaled(stage_.kept.full) - before;
    const cost::PassMemory memory = with_gathered_slices(costs_.memory, before);
    each_row([&](const TimelineRow& row) {
      hold(MemoryItem::workspace, row.start.count, row.end().count, memory.of(row.operation.kind));
      const std::int64_t released = times(row.operation.micro_batch).released;
      if (row.operation.kind == OpKind::backward_input)
        hold(MemoryItem::activations, row.end().count, released, memory.split_backward_bytes);
      if (row.operation.kind == OpKind::forward) hold(MemoryItem::activations, row.start.count, released, before, 1);
      if (row.operation.kind == OpKind::recompute) hold(MemoryItem::activations, row.start.count, released, again);
    });
  }

  /// Slices from several replicas are copied together before the pass starts: for that moment they are there twice.
  cost::PassMemory with_gathered_slices(cost::PassMemory memory, Bytes before) const {
    if (!memory.input_in_place) return memory;
    if (run_.channels.awaited_activations[worker_] > 1) {
      const Bytes input = scaled(run_.costs.held_cuts[first_position()]);
      memory.forward = std::max(memory.forward, input + input - before);
    }
    if (run_.channels.awaited_gradients[worker_] > 1) {
      const Bytes output = scaled(run_.costs.held_cuts[last_position()]);
      memory.backward = std::max(memory.backward, output);
      memory.backward_input = std::max(memory.backward_input, output);
    }
    return memory;
  }
  const Stage& plan_stage() const { return run_.plan.stages[static_cast<std::size_t>(costs_.stage)]; }
  std::size_t first_position() const { return static_cast<std::size_t>(plan_stage().first); }
  std::size_t last_position() const { return static_cast<std::size_t>(plan_stage().last); }

  /// Buffers count from the moment they are written to: a received one from the start of its transfer, a sent one from
  /// the end of its operation; a block that changes hands counts where it goes to from that end on.
  void add_boundaries() {
    for (const std::size_t resource : resources_)
      for (const engine::TransferRow& row : trace_.transfers[resource]) {
        const costs::Channel& channel = run_.channels.all[static_cast<std::size_t>(row.channel)];
        const bool changes_hands = hands_over(channel);
        if (const auto bytes = bytes_of(channel.targets, channel.received); bytes.count > 0)
          hold(MemoryItem::boundary, changes_hands ? made(channel, row.micro_batch) : row.start,
               used(channel, row.micro_batch), bytes);
        if (const auto bytes = bytes_of(channel.sources, channel.sent); bytes.count > 0 && !changes_hands)
          hold(MemoryItem::boundary, end_of(channel, row.micro_batch), row.start + row.duration, bytes);
      }
  }

  /// Inside a node, where profiles are of a runtime that passes buffers on without copies (LayerMemory).
  bool hands_over(const costs::Channel& channel) const {
    const auto worker = [&](int w) -> const costs::StageReplicaCosts& {
      return run_.costs.workers[static_cast<std::size_t>(w)];
    };
    const costs::StageReplicaCosts &source = worker(channel.sources.front()), &target = worker(channel.targets.front());
    return source.memory.input_in_place && target.memory.input_in_place &&
           inputs_.network.node_of(source.devices.front()) == inputs_.network.node_of(target.devices.front());
  }

  /// When what goes over the channel, which has one source inside a node, was ready to be sent.
  std::int64_t made(const costs::Channel& channel, int micro_batch) {
    const Times& source = times(static_cast<std::size_t>(channel.sources.front()), micro_batch);
    return channel.gradient ? source.gradient : source.forward;
  }

  /// When what came over the channel is no buffer of its own any more.
  std::int64_t used(const costs::Channel& channel, int micro_batch) {
    if (!channel.gradient && costs_.memory.input_in_place) return times(micro_batch).started;
    return end_of(channel, micro_batch);
  }

  std::int64_t end_of(const costs::Channel& channel, int micro_batch) {
    const Times& own = times(micro_batch);
    return channel.gradient ? own.gradient : own.forward;
  }

  /// The tensor that a chunk passes to the next one on the same devices: one buffer, held until that one has used it.
  /// The receiving chunk counts it.
  void add_handovers() {
    for (const costs::Channel& channel : run_.channels.all) {
      if (channel.resource != costs::Channel::local || channel.targets.front() != static_cast<int>(worker_)) continue;
      const OpKind made = channel.gradient ? OpKind::backward : OpKind::forward;
      for (const TimelineRow& row : trace_.operations[costs_.lane]) {
        const Operation& operation = row.operation;
        const bool gradient = operation.kind == OpKind::backward || operation.kind == OpKind::backward_input;
        if (operation.stage.value != channel.stage || (made == OpKind::forward ? operation.kind != made : !gradient) ||
            run_.schedule.copy_of(operation.micro_batch) != costs_.copy)
          continue;
        hold(MemoryItem::boundary, row.end().count, used(channel, operation.micro_batch), channel.received.front());
      }
    }
  }

  Bytes bytes_of(const std::vector<int>& workers, const std::vector<Bytes>& sizes) const {
    const auto own = std::find(workers.begin(), workers.end(), static_cast<int>(worker_));
    return own == workers.end() ? Bytes() : sizes[static_cast<std::size_t>(own - workers.begin())];
  }

  const costs::SimulatorInputs& inputs_;
  const engine::EngineInput& run_;
  const engine::Trace& trace_;
  std::size_t worker_;
  const std::vector<std::size_t>& resources_;
  const costs::StageReplicaCosts& costs_;
  const costs::StageCosts& stage_;
  std::map<std::size_t, std::vector<Times>> times_;  ///< by worker: this one and those that hand blocks over to it
  std::vector<Change>& begins_;
  std::vector<Change>& ends_;
};

/// A communicator is a set of devices in a role: with each neighbouring replica set in the pipeline, the replicas of a
/// rank, the devices of a replica. Chunks that share one count it once.
std::int64_t communicators_of(const engine::EngineInput& run, const costs::LaneCosts& lane, std::size_t rank) {
  enum class Role { neighbours, replicas, replica };
  std::set<std::pair<Role, std::set<DeviceId>>> groups;
  const auto copies = static_cast<std::size_t>(run.schedule.copies);
  const auto devices = [&](std::size_t stage, std::size_t copy) {
    const std::vector<DeviceId>& list = run.costs.chunks[stage * copies + copy].devices;
    return std::set<DeviceId>(list.begin(), list.end());
  };
  for (const std::size_t w : lane.workers) {
    const costs::StageReplicaCosts& worker = run.costs.workers[w];
    const auto s = static_cast<std::size_t>(worker.stage), copy = static_cast<std::size_t>(worker.copy);
    const auto degree = static_cast<std::size_t>(run.plan.stages[s].tensor_parallel);
    const std::set<DeviceId> own = devices(s, copy);
    for (const std::size_t other : {s - 1, s + 1}) {
      if (other >= run.costs.stages.size()) continue;  // s - 1 of stage 0 too
      std::set<DeviceId> both = devices(other, copy);
      if (both == own) continue;
      both.insert(own.begin(), own.end());
      groups.emplace(Role::neighbours, std::move(both));
    }
    std::set<DeviceId> reducing;
    for (std::size_t c = 0; c < copies; ++c) {
      const std::vector<DeviceId>& list = run.costs.chunks[s * copies + c].devices;
      for (std::size_t i = rank; i < list.size(); i += degree) reducing.insert(list[i]);
    }
    if (reducing.size() > 1) groups.emplace(Role::replicas, std::move(reducing));
    if (degree > 1) groups.emplace(Role::replica, std::set<DeviceId>(worker.devices.begin(), worker.devices.end()));
  }
  return static_cast<std::int64_t>(groups.size());
}

/// A point of the same sum is redundant, unless the parts of the sum are requested.
void add_point(SimulatedDevice& verdict, std::int64_t time, std::int64_t total, const MemoryBreakdown* items) {
  std::vector<MemoryPoint>& curve = verdict.curve;
  if (curve.back().time.count == time)
    curve.back().bytes = Bytes(total);
  else if (items || curve.back().bytes.count != total)
    curve.push_back({Nanoseconds(time), Bytes(total)});
  if (!items) return;
  verdict.item_curve.resize(curve.size());
  verdict.item_curve.back() = *items;
}

/// The curve of sorted `changes` on top of what is held all the time.
SimulatedDevice add_up(MemoryBreakdown parts, const std::vector<Change>& changes, bool items) {
  SimulatedDevice verdict;
  std::int64_t total = parts.total().count;
  int kept = 0;
  verdict.peak = Bytes(total);
  verdict.peak_breakdown = parts;
  verdict.curve.push_back({Nanoseconds(0), Bytes(total)});
  if (items) verdict.item_curve.push_back(parts);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    parts[changes[i].item] += Bytes(changes[i].bytes);
    total += changes[i].bytes;
    kept += changes[i].kept;
    verdict.peak_micro_batches = std::max(verdict.peak_micro_batches, kept);
    if (i + 1 < changes.size() && changes[i + 1].time == changes[i].time) continue;
    add_point(verdict, changes[i].time, total, items ? &parts : nullptr);
    if (total <= verdict.peak.count) continue;
    verdict.peak = Bytes(total);
    verdict.peak_time = Nanoseconds(changes[i].time);
    verdict.peak_breakdown = parts;
  }
  return verdict;
}

}  // namespace

std::vector<std::vector<std::size_t>> resources_of_lanes(const engine::EngineInput& run) {
  std::vector<std::vector<std::size_t>> resources(run.costs.lanes.size());
  for (const costs::Channel& channel : run.channels.all) {
    if (channel.resource == costs::Channel::local) continue;
    for (const std::vector<int>& ends : {std::cref(channel.sources), std::cref(channel.targets)})
      for (const int worker : ends)
        resources[run.costs.workers[static_cast<std::size_t>(worker)].lane].push_back(
            static_cast<std::size_t>(channel.resource));
  }
  for (std::vector<std::size_t>& own : resources) {
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
  }
  return resources;
}

MemoryBreakdown lane_persistent_memory(const costs::SimulatorInputs& inputs, const engine::EngineInput& run,
                                       std::size_t index, std::size_t rank) {
  const costs::LaneCosts& lane = run.costs.lanes[index];
  MemoryBreakdown sum;
  for (const std::size_t w : lane.workers) {
    const std::vector<MemoryBreakdown>& held =
        run.costs.stages[static_cast<std::size_t>(run.costs.workers[w].stage)].held;
    const MemoryBreakdown& own = held[rank % held.size()];
    for (std::size_t i = 0; i < own.bytes.size(); ++i) sum.bytes[i] += own.bytes[i];
    sum[MemoryItem::communication] = own[MemoryItem::communication];
    sum[MemoryItem::reserve] = own[MemoryItem::reserve];
  }
  const Bytes each = inputs.conventions.communication;
  if (lane.workers.size() > 1 && each.count > 0)
    sum[MemoryItem::communication] = each * communicators_of(run, lane, rank);
  return sum;
}

namespace {

/// Sorts what consists of a few ascending runs, which is what lists of passes and of transfers give: two neighbours are
/// merged at a time. Knuth, The Art of Computer Programming 3, 5.2.4, "natural two-way merge".
template <class Less>
void sort_in_runs(std::vector<Change>& changes, const Less& less) {
  std::vector<std::size_t> starts{0};
  for (std::size_t i = 1; i < changes.size(); ++i)
    if (less(changes[i], changes[i - 1])) starts.push_back(i);
  starts.push_back(changes.size());
  std::vector<Change> merged(changes.size());
  const auto at = [](std::vector<Change>& list, std::size_t i) {
    return list.begin() + static_cast<std::ptrdiff_t>(i);
  };
  while (starts.size() > 2) {
    std::vector<std::size_t> next;
    for (std::size_t r = 0; r + 1 < starts.size(); r += 2) {
      next.push_back(starts[r]);
      const std::size_t middle = starts[r + 1], end = r + 2 < starts.size() ? starts[r + 2] : middle;
      std::merge(at(changes, starts[r]), at(changes, middle), at(changes, middle), at(changes, end),
                 at(merged, starts[r]), less);
    }
    next.push_back(changes.size());
    starts = std::move(next);
    changes.swap(merged);
  }
}

}  // namespace

SimulatedDevice memory_of(const costs::SimulatorInputs& inputs, const engine::EngineInput& run,
                          const engine::Trace& trace, std::size_t lane, std::size_t rank,
                          const std::vector<std::size_t>& resources, bool items) {
  // Begins and ends apart: each list of them is ascending, or nearly.
  std::vector<Change> changes, ends;
  const costs::LaneCosts& costs = run.costs.lanes[lane];
  for (const std::size_t worker : costs.workers) Chunks(inputs, run, trace, worker, resources, changes, ends).run();
  changes.insert(changes.end(), ends.begin(), ends.end());
  // Memory that ends at an instant is freed before memory that starts there is counted.
  sort_in_runs(changes, [](const Change& a, const Change& b) {
    return a.time != b.time ? a.time < b.time : (a.bytes < 0 || a.kept < 0) && !(b.bytes < 0 || b.kept < 0);
  });
  return add_up(lane_persistent_memory(inputs, run, lane, rank), changes, items);
}

}  // namespace pipedeck::sim::memory
