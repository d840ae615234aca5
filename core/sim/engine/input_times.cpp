// SPDX-License-Identifier: Apache-2.0
#include "core/sim/engine/input_times.hpp"

#include <algorithm>

namespace pipedeck::sim::engine {
namespace {

bool takes_gradient(OpKind kind) { return kind == OpKind::backward || kind == OpKind::backward_input; }

}  // namespace

InputTimes::InputTimes(const EngineInput& run, const Trace& trace) : run_(run), trace_(trace) {
  const std::size_t workers = run.costs.workers.size();
  before_.resize(workers);
  behind_.resize(workers);
  for (std::size_t c = 0; c < run.channels.all.size(); ++c)
    for (const int target : run.channels.all[c].targets)
      (run.channels.all[c].gradient ? behind_ : before_)[static_cast<std::size_t>(target)].push_back(
          static_cast<int>(c));
  for (Ends* ends : {&forward_, &backward_}) {
    ends->resize(workers);
    for (std::size_t w = 0; w < workers; ++w) (*ends)[w].assign(place(w, run.schedule.micro_batches - 1) + 1, -1);
  }
  add_passes(trace);
  if (run.schedule.synchronous) return;
  activations_.resize(workers), gradients_.resize(workers);
  for (std::size_t w = 0; w < workers; ++w) {
    activations_[w].assign(forward_[w].size(), -1);
    gradients_[w].assign(forward_[w].size(), -1);
  }
  add_transfers(trace);
}

/// Replicas of an asynchronous stage take micro-batches in turn.
std::size_t InputTimes::place(std::size_t worker, int micro_batch) const {
  const auto stage = static_cast<std::size_t>(run_.costs.workers[worker].stage);
  const int stride = run_.schedule.synchronous ? 1 : run_.plan.stages[stage].replicas();
  return static_cast<std::size_t>(micro_batch / stride);
}

bool InputTimes::has(std::size_t worker, int micro_batch) const {
  if (run_.schedule.synchronous) return true;
  const costs::StageReplicaCosts& own = run_.costs.workers[worker];
  return micro_batch % run_.plan.stages[static_cast<std::size_t>(own.stage)].replicas() == own.replica;
}

std::size_t InputTimes::worker_of(std::size_t lane, const Operation& operation) const {
  const std::vector<std::size_t>& workers = run_.costs.lanes[lane].workers;
  if (workers.size() == 1) return workers.front();
  const int copy = run_.schedule.copy_of(operation.micro_batch);
  return *std::find_if(workers.begin(), workers.end(), [&](std::size_t w) {
    return run_.costs.workers[w].stage == operation.stage.value && run_.costs.workers[w].copy == copy;
  });
}

/// Overlapped operations hand over at the end of the second.
void InputTimes::add_passes(const Trace& trace) {
  for (std::size_t lane = 0; lane < trace.operations.size(); ++lane) {
    const std::vector<TimelineRow>& rows = trace.operations[lane];
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const Operation& operation = rows[row].operation;
      if (operation.kind != OpKind::forward && !takes_gradient(operation.kind)) continue;
      const std::size_t worker = worker_of(lane, operation);
      (operation.kind == OpKind::forward ? forward_ : backward_)[worker][place(worker, operation.micro_batch)] =
          rows[row + (operation.overlapped_with_next ? 1 : 0)].end().count;
    }
  }
}

void InputTimes::add_transfers(const Trace& trace) {
  for (const std::vector<TransferRow>& rows : trace.transfers)
    for (const TransferRow& row : rows) {
      const costs::Channel& channel = run_.channels.all[static_cast<std::size_t>(row.channel)];
      for (const int target : channel.targets) {
        const auto worker = static_cast<std::size_t>(target);
        if (!has(worker, row.micro_batch)) continue;
        std::int64_t& at = (channel.gradient ? gradients_ : activations_)[worker][place(worker, row.micro_batch)];
        at = std::max(at, row.start + row.duration);
      }
    }
}

void InputTimes::take_inputs(std::size_t lane, const Operation& operation, Inputs& inputs) const {
  const bool forward = operation.kind == OpKind::forward;
  if (!forward && !takes_gradient(operation.kind)) return;
  const std::size_t worker = worker_of(lane, operation);
  const Ends& ends = forward ? forward_ : backward_;
  for (const int c : (forward ? before_ : behind_)[worker])
    for (const int source : run_.channels.all[static_cast<std::size_t>(c)].sources) {
      const auto from = static_cast<std::size_t>(source);
      if (has(from, operation.micro_batch))
        inputs.computed = std::max(inputs.computed, ends[from][place(from, operation.micro_batch)]);
    }
  if (!run_.schedule.synchronous)
    inputs.arrived =
        std::max(inputs.arrived, (forward ? activations_ : gradients_)[worker][place(worker, operation.micro_batch)]);
}

std::vector<OnTheWay> InputTimes::of_lane(std::size_t lane) const {
  std::vector<OnTheWay> found;
  const std::vector<TimelineRow>& rows = trace_.operations[lane];
  std::int64_t free = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::int64_t start = rows[row].start.count;
    if (start > free) {
      Inputs inputs;
      take_inputs(lane, rows[row].operation, inputs);
      if (rows[row].operation.overlapped_with_next) take_inputs(lane, rows[row + 1].operation, inputs);
      // A synchronous pass that waited starts at the moment at which its last input is there.
      const std::int64_t begin = std::max(free, inputs.computed),
                         end = run_.schedule.synchronous ? start : std::min(start, inputs.arrived);
      if (inputs.computed >= 0 && begin < end) found.push_back({row, begin, end});
    }
    free = std::max(free, rows[row].end().count);
  }
  return found;
}

}  // namespace pipedeck::sim::engine
