// SPDX-License-Identifier: Apache-2.0
#include "core/sim/engine/state.hpp"

#include <algorithm>

namespace pipedeck::sim::engine {

namespace {

int stride_of(const EngineInput& input, const costs::StageReplicaCosts& worker) {
  return input.schedule.synchronous ? 1 : input.plan.stages[static_cast<std::size_t>(worker.stage)].replicas();
}

/// Returns the number of the worker's micro-batches, and one more.
std::size_t slots_of(const EngineInput& input, const costs::StageReplicaCosts& worker) {
  return static_cast<std::size_t>(input.schedule.micro_batches / stride_of(input, worker)) + 1;
}

std::size_t slots_of(const EngineInput& input) {
  std::size_t sum = 0;
  for (const costs::StageReplicaCosts& worker : input.costs.workers) sum += slots_of(input, worker);
  return sum;
}

}  // namespace

EngineState::EngineState(const EngineInput& input)
    : in_(input),
      count_(static_cast<std::size_t>(input.schedule.micro_batches)),
      slots_(slots_of(input)),
      activations_(slots_),
      gradients_(slots_) {
  trace_.operations.resize(in_.costs.lanes.size());
  trace_.transfers.resize(in_.channels.resources.size());
  trace_.reductions.resize(in_.costs.stages.size());
  pending_sources_.resize(in_.channels.all.size());
  add_workers();
  add_lanes();
  for (std::size_t c = 0; c < pending_sources_.size(); ++c)
    if (in_.channels.all[c].sources.size() > 1)
      pending_sources_[c].assign(count_, static_cast<int>(in_.channels.all[c].sources.size()));
}

void EngineState::add_workers() {
  std::size_t slot = 0;
  for (std::size_t w = 0; w < in_.costs.workers.size(); ++w) {
    Worker worker;
    worker.costs = &in_.costs.workers[w];
    worker.stage = worker.costs->stage;
    worker.stride = stride_of(in_, *worker.costs);
    worker.first_slot = slot;
    worker.activations = in_.channels.awaited_activations[w];
    worker.gradients = in_.channels.awaited_gradients[w];
    slot += slots_of(in_, *worker.costs);
    workers_.push_back(worker);
  }
}

void EngineState::add_lanes() {
  std::vector<const LaneOrder*> order_of;
  for (const DeviceLane& lane : in_.schedule.lanes) {
    if (order_of.size() <= lane.device.index()) order_of.resize(lane.device.index() + 1, nullptr);
    order_of[lane.device.index()] = &lane.order;
  }
  for (std::size_t l = 0; l < in_.costs.lanes.size(); ++l) {
    const costs::LaneCosts& costs = in_.costs.lanes[l];
    Lane lane;
    lane.order = order_of[costs.devices.front().index()];
    lane.count = operation_count(*lane.order);
    lane.first_stage = workers_[costs.workers.front()].stage;
    for (const std::size_t w : costs.workers) {
      const auto place = place_of(lane, workers_[w].stage, workers_[w].costs->copy);
      if (lane.worker_of.size() <= place) lane.worker_of.resize(place + 1, -1);
      lane.worker_of[place] = static_cast<int>(w);
    }
    if (in_.record) trace_.operations[l].reserve(static_cast<std::size_t>(lane.count));
    lanes_.push_back(std::move(lane));
  }
}

void EngineState::close_lanes() {
  trace_.complete = std::all_of(lanes_.begin(), lanes_.end(), [](const Lane& l) { return l.next == l.count; });
  for (const Lane& lane : lanes_) trace_.end.push_back(lane.free);
  trace_.synchronised.assign(in_.costs.stages.size(), 0);
}

std::int64_t EngineState::gradients_ready(std::size_t stage, std::size_t nth) const {
  std::int64_t ready = 0;
  for (std::size_t w = first_worker(stage); w < first_worker(stage + 1); ++w) {
    const Worker& worker = workers_[w];
    if (worker.last_start == no_gradient) continue;  // a copy without micro-batches
    const std::int64_t after = gradient_ready(*worker.costs, worker.last_kind, worker.last_duration, nth);
    ready = std::max(ready, worker.last_start + after);
  }
  return ready;
}

void EngineState::add_all_reduces() {
  for (std::size_t s = 0; s < in_.costs.stages.size(); ++s) {
    std::int64_t free = 0;
    const std::vector<costs::Reduction>& reductions = in_.costs.stages[s].reductions;
    for (std::size_t k = 0; k < reductions.size(); ++k) {
      const std::int64_t start = std::max(free, gradients_ready(s, k));
      free = start + reductions[k].duration;
      trace_.reductions[s].push_back({start, reductions[k].duration, 0});
    }
    trace_.synchronised[s] = free;
  }
}

}  // namespace pipedeck::sim::engine
