// SPDX-License-Identifier: Apache-2.0
#include "core/sim/memory_curve.hpp"

#include <algorithm>
#include <functional>

#include "core/cost/compute.hpp"

namespace pipedeck {
namespace {

struct Change {
  std::int64_t time = 0;
  MemoryItem item = MemoryItem::activations;
  std::int64_t bytes = 0;
  int kept = 0;  // micro-batches more or less
};

/// Operation ends of one micro-batch on this worker.
struct Times {
  std::int64_t forward = 0, gradient = 0, released = 0;
};

class Curve {
 public:
  Curve(const SimulatorInputs& inputs, const EngineInput& run, const Trace& trace, std::size_t worker, std::size_t rank,
        const std::vector<std::size_t>& resources)
      : inputs_(inputs),
        run_(run),
        trace_(trace),
        worker_(worker),
        rank_(rank),
        resources_(resources),
        costs_(run.costs.workers[worker]),
        stage_(run.costs.stages[static_cast<std::size_t>(costs_.stage)]),
        stride_(run.schedule.synchronous ? 1 : run.plan.stages[static_cast<std::size_t>(costs_.stage)].replicas()) {}

  DeviceVerdict run() {
    find_times();
    add_operations();
    add_boundaries();
    // What ends at an instant is gone before what starts there is held.
    std::stable_sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) {
      return a.time != b.time ? a.time < b.time : (a.bytes < 0 || a.kept < 0) && !(b.bytes < 0 || b.kept < 0);
    });
    return add_up();
  }

 private:
  Bytes scaled(Bytes bytes) const { return scale_bytes(bytes, costs_.samples(), inputs_.profile->micro_batch); }
  const std::vector<TimelineRow>& rows() const { return trace_.operations[worker_]; }
  /// Of a micro-batch of this worker: all of a synchronous plan, else those of its turns.
  Times& times(int micro_batch) { return times_[static_cast<std::size_t>(micro_batch / stride_)]; }

  void find_times() {
    times_.resize(static_cast<std::size_t>(run_.schedule.micro_batches / stride_ + 1));
    for (const TimelineRow& row : rows()) {
      if (row.operation.kind == OpKind::optimizer) continue;
      Times& own = times(row.operation.micro_batch);
      if (row.operation.kind == OpKind::forward) own.forward = row.end().count;
      if (row.operation.kind == OpKind::backward || row.operation.kind == OpKind::backward_input)
        own.gradient = own.released = row.end().count;
      if (row.operation.kind == OpKind::backward_weight) own.released = row.end().count;
    }
  }

  void hold(MemoryItem item, std::int64_t from, std::int64_t to, Bytes bytes, int kept = 0) {
    if (to <= from || (bytes.count == 0 && kept == 0)) return;
    changes_.push_back({from, item, bytes.count, kept});
    changes_.push_back({to, item, -bytes.count, -kept});
  }

  void add_operations() {
    const Bytes before = scaled(stage_.kept.before), again = scaled(stage_.kept.full) - before;
    const Bytes workspace = scaled(stage_.workspace);
    for (const TimelineRow& row : rows()) {
      if (row.operation.kind == OpKind::optimizer) continue;
      hold(MemoryItem::workspace, row.start.count, row.end().count, workspace);
      const std::int64_t released = times(row.operation.micro_batch).released;
      if (row.operation.kind == OpKind::forward) hold(MemoryItem::activations, row.start.count, released, before, 1);
      if (row.operation.kind == OpKind::recompute) hold(MemoryItem::activations, row.start.count, released, again);
    }
  }

  /// Buffers count from the moment they are written to: a received one from the start of its transfer, a sent one from
  /// the end of its operation.
  void add_boundaries() {
    const auto end_of = [&](const Channel& channel, int micro_batch) {
      const Times& own = times(micro_batch);
      return channel.gradient ? own.gradient : own.forward;
    };
    for (const std::size_t resource : resources_)
      for (const TransferRow& row : trace_.transfers[resource]) {
        const Channel& channel = run_.channels.all[static_cast<std::size_t>(row.channel)];
        if (const auto bytes = bytes_of(channel.targets, channel.received); bytes.count > 0)
          hold(MemoryItem::boundary, row.start, end_of(channel, row.micro_batch), bytes);
        if (const auto bytes = bytes_of(channel.sources, channel.sent); bytes.count > 0)
          hold(MemoryItem::boundary, end_of(channel, row.micro_batch), row.start + channel.duration, bytes);
      }
  }

  Bytes bytes_of(const std::vector<int>& workers, const std::vector<Bytes>& sizes) const {
    const auto own = std::find(workers.begin(), workers.end(), static_cast<int>(worker_));
    return own == workers.end() ? Bytes() : sizes[static_cast<std::size_t>(own - workers.begin())];
  }

  DeviceVerdict add_up() const {
    DeviceVerdict verdict;
    MemoryParts parts = stage_.held[rank_];
    std::int64_t total = parts.total().count;
    int kept = 0;
    verdict.peak = Bytes(total);
    verdict.peak_parts = parts;
    verdict.curve.push_back({Nanoseconds(0), Bytes(total)});
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      parts[changes_[i].item] += Bytes(changes_[i].bytes);
      total += changes_[i].bytes;
      kept += changes_[i].kept;
      verdict.peak_micro_batches = std::max(verdict.peak_micro_batches, kept);
      if (i + 1 < changes_.size() && changes_[i + 1].time == changes_[i].time) continue;
      add_point(verdict.curve, changes_[i].time, total);
      if (total <= verdict.peak.count) continue;
      verdict.peak = Bytes(total);
      verdict.peak_time = Nanoseconds(changes_[i].time);
      verdict.peak_parts = parts;
    }
    return verdict;
  }

  static void add_point(std::vector<MemoryPoint>& curve, std::int64_t time, std::int64_t total) {
    if (curve.back().time.count == time)
      curve.back().bytes = Bytes(total);
    else if (curve.back().bytes.count != total)
      curve.push_back({Nanoseconds(time), Bytes(total)});
  }

  const SimulatorInputs& inputs_;
  const EngineInput& run_;
  const Trace& trace_;
  std::size_t worker_, rank_;
  const std::vector<std::size_t>& resources_;
  const WorkerCosts& costs_;
  const StageCosts& stage_;
  int stride_;
  std::vector<Times> times_;
  std::vector<Change> changes_;
};

}  // namespace

std::vector<std::vector<std::size_t>> resources_of_workers(const EngineInput& run) {
  std::vector<std::vector<std::size_t>> resources(run.costs.workers.size());
  for (const Channel& channel : run.channels.all)
    for (const std::vector<int>& ends : {std::cref(channel.sources), std::cref(channel.targets)})
      for (const int worker : ends)
        resources[static_cast<std::size_t>(worker)].push_back(static_cast<std::size_t>(channel.resource));
  for (std::vector<std::size_t>& own : resources) {
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
  }
  return resources;
}

DeviceVerdict memory_of(const SimulatorInputs& inputs, const EngineInput& run, const Trace& trace, std::size_t worker,
                        std::size_t rank, const std::vector<std::size_t>& resources) {
  return Curve(inputs, run, trace, worker, rank, resources).run();
}

}  // namespace pipedeck
