// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/models/synthetic_simulation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <vector>

namespace pipedeck::app {

namespace {

Nanoseconds ns(double ms) { return round_to_nanoseconds(milliseconds(ms)); }
Bytes gib(double value) { return Bytes(static_cast<std::int64_t>(value * 1024 * 1024 * 1024)); }

struct Pipeline {
  SyntheticPipeline with;
  std::vector<std::vector<TimelineRow>> rows;         // a stage
  std::map<std::pair<int, int>, Nanoseconds> ready;   // stage, micro-batch: activation there
  std::map<std::pair<int, int>, Nanoseconds> graded;  // stage, micro-batch: gradient there
  std::vector<TimelineRow> forward_links, backward_links;

  double stretch(int stage) const { return 1 + with.skew * stage; }

  Nanoseconds free_at(int stage) const {
    const auto& lane = rows[static_cast<std::size_t>(stage)];
    return lane.empty() ? Nanoseconds(0) : lane.back().end();
  }

  void run(OpKind kind, int stage, int micro_batch, Nanoseconds from, double ms) {
    rows[static_cast<std::size_t>(stage)].push_back(
        {std::max(from, free_at(stage)), ns(ms * stretch(stage)), {kind, StageId(stage), micro_batch}});
  }

  /// Runs the operation if its input is there.
  bool try_run(const Operation& operation) {
    const int stage = operation.stage.value, micro_batch = operation.micro_batch;
    const auto key = std::pair(stage, micro_batch);
    if (operation.kind == OpKind::forward) {
      if (stage > 0 && !ready.contains(key)) return false;
      run(OpKind::forward, stage, micro_batch, stage > 0 ? ready[key] : Nanoseconds(0), with.forward_ms);
      const Nanoseconds end = free_at(stage);
      ready[{stage + 1, micro_batch}] = end + ns(with.transfer_ms);
      return true;
    }
    const bool last = stage + 1 == with.stages;
    if (!last && !graded.contains(key)) return false;
    const Nanoseconds from = last ? Nanoseconds(0) : graded[key];
    if (with.recompute) run(OpKind::recompute, stage, micro_batch, from, with.forward_ms);
    if (with.split_backward) {
      run(OpKind::backward_input, stage, micro_batch, from, with.backward_ms / 2);
      graded[{stage - 1, micro_batch}] = free_at(stage) + ns(with.transfer_ms);
      run(OpKind::backward_weight, stage, micro_batch, from, with.backward_ms / 2);
    } else {
      run(OpKind::backward, stage, micro_batch, from, with.backward_ms);
      graded[{stage - 1, micro_batch}] = free_at(stage) + ns(with.transfer_ms);
    }
    return true;
  }

  void run_all() {
    rows.resize(static_cast<std::size_t>(with.stages));
    std::vector<int> next(rows.size(), 0);
    for (bool moved = true; moved;) {
      moved = false;
      for (int stage = 0; stage < with.stages; ++stage) {
        const int warmup = std::min(with.stages - stage, with.micro_batches);
        const AlternatingOrder order{StageId(stage), warmup, 0, 1, with.micro_batches, false};
        int& at = next[static_cast<std::size_t>(stage)];
        while (at < 2 * with.micro_batches && try_run(operation_at(order, at))) ++at, moved = true;
      }
    }
  }
};

std::vector<TimelineRow> finish(const Pipeline& pipeline, std::vector<TimelineRow>& lane, int stage) {
  const SyntheticPipeline& with = pipeline.with;
  std::vector<TimelineRow> collective;
  Nanoseconds end = lane.back().end();
  if (with.all_reduce_ms > 0) {
    const Nanoseconds start = with.overlap ? end - ns(with.all_reduce_ms * 0.6) : end;
    collective.push_back({start, ns(with.all_reduce_ms), {OpKind::all_reduce, StageId(stage), 0}});
    end = collective.back().end();
  }
  if (with.optimizer_ms > 0) lane.push_back({end, ns(with.optimizer_ms), {OpKind::optimizer, StageId(stage), 0}});
  return collective;
}

SimulatedDevice find_device(const std::vector<TimelineRow>& lane, DeviceId device, const SyntheticPipeline& with) {
  SimulatedDevice simulated;
  simulated.device = device;
  simulated.capacity = gib(with.memory_gib);
  int kept = 0;
  const auto point = [&](Nanoseconds time) {
    const Bytes bytes = gib(with.static_gib + kept * with.activation_gib);
    simulated.curve.push_back({time, bytes});
    if (bytes <= simulated.peak) return;
    simulated.peak = bytes;
    simulated.peak_time = time;
    simulated.peak_micro_batches = kept;
    simulated.peak_breakdown[MemoryItem::weights] = gib(with.static_gib * 0.25);
    simulated.peak_breakdown[MemoryItem::gradients] = gib(with.static_gib * 0.25);
    simulated.peak_breakdown[MemoryItem::optimizer] = gib(with.static_gib * 0.5);
    simulated.peak_breakdown[MemoryItem::activations] = gib(kept * with.activation_gib);
  };
  point(Nanoseconds(0));
  for (const TimelineRow& row : lane) {
    const OpKind kind = row.operation.kind;
    if (kind != OpKind::all_reduce) simulated.busy += row.duration;
    if (kind == OpKind::forward) ++kept, point(row.start);
    if (kind == OpKind::backward || kind == OpKind::backward_weight) --kept, point(row.end());
  }
  return simulated;
}

void append_links(Timeline& timeline, const Pipeline& pipeline) {
  const int replicas = pipeline.with.replicas;
  for (int stage = 0; stage + 1 < pipeline.with.stages; ++stage) {
    std::vector<TimelineRow> down, up;
    for (const TimelineRow& row : pipeline.rows[static_cast<std::size_t>(stage)])
      if (row.operation.kind == OpKind::forward)
        down.push_back(
            {row.end(), ns(pipeline.with.transfer_ms), {OpKind::send, StageId(stage), row.operation.micro_batch}});
    for (const TimelineRow& row : pipeline.rows[static_cast<std::size_t>(stage + 1)])
      if (row.operation.kind == OpKind::backward || row.operation.kind == OpKind::backward_input)
        up.push_back(
            {row.end(), ns(pipeline.with.transfer_ms), {OpKind::send, StageId(stage + 1), row.operation.micro_batch}});
    timeline.append_lane({LaneRole::link, DeviceId(stage * replicas), DeviceId((stage + 1) * replicas)}, down);
    timeline.append_lane({LaneRole::link, DeviceId((stage + 1) * replicas), DeviceId(stage * replicas)}, up);
  }
}

}  // namespace

std::shared_ptr<const Simulation> synthetic_simulation(const SyntheticPipeline& with) {
  Pipeline pipeline{with, {}, {}, {}, {}, {}};
  pipeline.run_all();
  auto simulation = std::make_shared<Simulation>();
  Nanoseconds busy;
  for (int stage = 0; stage < with.stages; ++stage) {
    std::vector<TimelineRow> lane = pipeline.rows[static_cast<std::size_t>(stage)];
    const std::vector<TimelineRow> collective = finish(pipeline, lane, stage);
    for (int replica = 0; replica < with.replicas; ++replica) {
      const DeviceId device(stage * with.replicas + replica);
      simulation->timeline.append_lane({LaneRole::compute, device, device}, lane);
      simulation->timeline.append_lane({LaneRole::collective, device, device}, collective);
      simulation->devices.push_back(find_device(lane, device, with));
      busy += simulation->devices.back().busy;
      simulation->fits = simulation->fits && simulation->devices.back().peak <= simulation->devices.back().capacity;
    }
  }
  append_links(simulation->timeline, pipeline);
  simulation->iteration = simulation->timeline.makespan();
  simulation->bubble_fraction =
      1 - static_cast<double>(busy.count) /
              (static_cast<double>(simulation->iteration.count) * with.stages * with.replicas);
  return simulation;
}

std::shared_ptr<const std::vector<DeviceItems>> synthetic_items(const Simulation& simulation) {
  auto all = std::make_shared<std::vector<DeviceItems>>();
  for (const SimulatedDevice& simulated : simulation.devices) {
    DeviceItems items{simulated.device, simulated.peak_breakdown, {}};
    items.held[MemoryItem::activations] = Bytes();
    for (const MemoryPoint& point : simulated.curve) {
      const Bytes changing = point.bytes - items.held.total();
      const Bytes boundary(changing.count / 10), workspace(changing.count / 20);
      items.points.push_back({point.time, changing - boundary - workspace, boundary, workspace});
    }
    all->push_back(std::move(items));
  }
  return all;
}

std::shared_ptr<const Timeline> random_timeline(std::size_t operations, int lanes, std::uint32_t seed, bool burst) {
  auto timeline = std::make_shared<Timeline>();
  std::mt19937 random(seed);
  const std::size_t each = operations / static_cast<std::size_t>(lanes);
  std::vector<TimelineRow> rows(each);
  const std::size_t all = each * static_cast<std::size_t>(lanes);  // no second copy of the columns while they grow
  timeline->start.reserve(all);
  timeline->duration.reserve(all);
  timeline->micro_batch.reserve(all);
  timeline->stage.reserve(all);
  timeline->kind.reserve(all);
  for (int lane = 0; lane < lanes; ++lane) {
    std::int64_t time = lane * 1000;
    for (std::size_t i = 0; i < each; ++i) {
      const bool backward = i % 2 == 1;
      const bool tight = burst && i < each / 2;
      const auto duration = static_cast<std::int64_t>((backward ? 2000 : 1000) + random() % 500) / (tight ? 100 : 1);
      if (random() % 16 == 0) time += static_cast<std::int64_t>(random() % 4000) / (tight ? 100 : 1);
      rows[i] = {Nanoseconds(time),
                 Nanoseconds(duration),
                 {backward ? OpKind::backward : OpKind::forward, StageId(lane), static_cast<int>(i / 2)}};
      time += duration;
    }
    timeline->append_lane({LaneRole::compute, DeviceId(lane), DeviceId(lane)}, rows);
  }
  return timeline;
}

}  // namespace pipedeck::app
