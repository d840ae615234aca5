// SPDX-License-Identifier: Apache-2.0
#include "core/sim/memory/upper.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/cost/compute.hpp"

namespace pipedeck::sim::memory {
namespace {

bool opens(OpKind kind) { return kind == OpKind::forward; }
bool closes(OpKind kind) { return kind == OpKind::backward || kind == OpKind::backward_input; }
bool ends(OpKind kind) { return kind == OpKind::backward || kind == OpKind::backward_weight; }

/// The lane's workers by stage and copy.
class WorkersOfLane {
 public:
  WorkersOfLane(const engine::EngineInput& run, std::size_t lane) : run_(run) {
    const std::vector<std::size_t>& workers = run.costs.lanes[lane].workers;
    for (std::size_t i = 0; i < workers.size(); ++i)
      places_[{run.costs.workers[workers[i]].stage, run.costs.workers[workers[i]].copy}] = i;
  }
  /// Its place in the lane's list of workers.
  std::size_t of(const Operation& operation) const {
    if (places_.size() == 1) return 0;
    return places_.at({operation.stage.value, run_.schedule.copy_of(operation.micro_batch)});
  }

 private:
  const engine::EngineInput& run_;
  std::map<std::pair<int, int>, std::size_t> places_;
};

/// Bytes of one micro-batch at a boundary: all slices of a synchronous plan, the largest of an asynchronous one, whose
/// mini-batches come and go whole.
void add_channel(UpperFigures& figures, const costs::Channel& channel, bool synchronous) {
  const auto take = [&](int worker, Bytes bytes, bool input) {
    UpperFigures::Chunk& chunk = figures.chunks[static_cast<std::size_t>(worker)];
    Bytes& sum = input ? chunk.input : chunk.output;
    sum = synchronous ? sum + bytes : std::max(sum, bytes);
  };
  // Received bytes count for both directions: a gradient is as large as its activation.
  for (std::size_t i = 0; i < channel.targets.size(); ++i)
    take(channel.targets[i], channel.received[i], !channel.gradient);
}

void find_open(const engine::EngineInput& run, const engine::Trace& trace, UpperFigures& figures) {
  for (std::size_t lane = 0; lane < run.costs.lanes.size(); ++lane) {
    const WorkersOfLane workers(run, lane);
    std::vector<int> open(run.costs.lanes[lane].workers.size());
    for (const TimelineRow& row : trace.operations[lane]) {
      if (!opens(row.operation.kind) && !closes(row.operation.kind)) continue;
      const std::size_t i = workers.of(row.operation);
      open[i] += opens(row.operation.kind) ? 1 : -1;
      int& most = figures.chunks[run.costs.lanes[lane].workers[i]].open;
      most = std::max(most, open[i]);
    }
  }
}

void find_before(const engine::EngineInput& run, UpperFigures& figures) {
  std::map<std::pair<int, int>, int> most;  // by stage and copy
  for (std::size_t w = 0; w < run.costs.workers.size(); ++w) {
    int& open = most[{run.costs.workers[w].stage, run.costs.workers[w].copy}];
    open = std::max(open, figures.chunks[w].open);
  }
  for (std::size_t w = 0; w < run.costs.workers.size(); ++w) {
    const costs::StageReplicaCosts& worker = run.costs.workers[w];
    if (worker.stage == 0) continue;
    const int before = most.at({worker.stage - 1, worker.copy});
    const auto replicas = [&](int stage) { return run.plan.stages[static_cast<std::size_t>(stage)].replicas(); };
    figures.chunks[w].before = run.schedule.synchronous ? before
                                                        : cost::pipedream_in_flight(replicas(worker.stage - 1), before,
                                                                                    replicas(worker.stage));
  }
}

/// Goes through a lane's list, independent of the clock.
class Walk {
 public:
  Walk(const costs::SimulatorInputs& inputs, const engine::EngineInput& run, const UpperFigures& figures,
       std::size_t lane)
      : workers_(run, lane) {
    for (const std::size_t w : run.costs.lanes[lane].workers) {
      const costs::StageReplicaCosts& costs = run.costs.workers[w];
      const cost::SavedBytes& kept = run.costs.stages[static_cast<std::size_t>(costs.stage)].kept;
      const auto scaled = [&](Bytes bytes) {
        return cost::scale_bytes(bytes, costs.samples(), inputs.profile->micro_batch);
      };
      State state{&costs, figures.chunks[w], scaled(kept.before), {}};
      state.again = scaled(kept.full) - state.before;
      states_.push_back(state);
    }
  }

  Bytes most(const std::vector<TimelineRow>& rows) {
    Bytes most;
    for (const TimelineRow& row : rows) {
      if (row.operation.kind == OpKind::optimizer) continue;
      State& own = states_[workers_.of(row.operation)];
      if (opens(row.operation.kind)) ++own.kept, ++own.open;
      if (row.operation.kind == OpKind::recompute) ++own.whole;
      most = std::max(most, held() + own.costs->memory.of(row.operation.kind));
      end(own, row.operation.kind);
    }
    return most;
  }

 private:
  struct State {
    const costs::StageReplicaCosts* costs;
    UpperFigures::Chunk chunk;
    Bytes before, again;
    /// Micro-batches kept; of these open, recomputed, between their two gradients.
    int kept = 0, open = 0, whole = 0, apart = 0;
  };

  static void end(State& own, OpKind kind) {
    if (closes(kind)) --own.open;
    if (kind == OpKind::backward_input) ++own.apart;
    if (!ends(kind)) return;
    --own.kept;
    own.whole = std::max(0, own.whole - 1);
    if (kind == OpKind::backward_weight) --own.apart;
  }

  Bytes held() const {
    Bytes sum;
    for (const State& state : states_) {
      const std::int64_t elsewhere = std::max(state.chunk.before, state.open) - state.open + 1;
      sum += state.before * state.kept + state.chunk.output * state.open + state.chunk.input * elsewhere;
      sum += state.again * state.whole + state.costs->memory.split_backward_bytes * state.apart;
    }
    return sum;
  }

  WorkersOfLane workers_;
  std::vector<State> states_;
};

}  // namespace

UpperFigures upper_figures(const engine::EngineInput& run, const engine::Trace& trace) {
  UpperFigures figures;
  figures.chunks.resize(run.costs.workers.size());
  for (const costs::Channel& channel : run.channels.all) add_channel(figures, channel, run.schedule.synchronous);
  find_open(run, trace, figures);
  find_before(run, figures);
  return figures;
}

Bytes max_transient_bytes(const costs::SimulatorInputs& inputs, const engine::EngineInput& run,
                          const engine::Trace& trace, const UpperFigures& figures, std::size_t lane) {
  return Walk(inputs, run, figures, lane).most(trace.operations[lane]);
}

Bytes with_fragmentation(const MemoryBreakdown& held, Bytes most, double fragmentation) {
  const Bytes outside = held[MemoryItem::communication] + held[MemoryItem::reserve];
  const auto allocated = static_cast<double>((held.total() - outside + most).count);
  return outside + ceil_to_bytes(allocated / (1 - fragmentation));
}

}  // namespace pipedeck::sim::memory
