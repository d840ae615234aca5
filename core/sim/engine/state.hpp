// SPDX-License-Identifier: Apache-2.0
// The engine's state of every lane at one moment, shared by its two ways of running; for the engine alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/sim/engine/engine.hpp"
#include "core/sim/engine/zeroed_array.hpp"

namespace pipedeck::sim::engine {

constexpr std::int64_t no_gradient = -1;
constexpr std::size_t stop_interval = 1 << 14;  // events or operations between looks at the stop token

/// One replica of a rank of the pipeline on its way through its list.
struct Lane {
  const LaneOrder* order = nullptr;
  int next = 0, count = 0;
  bool running = false;
  bool blocked = false;        // `running` until its begin
  bool joined = false;         // what runs is two operations, `first` and `operation`
  Operation first, operation;  // that run, or ran last
  std::int64_t free = 0;       // end of its last operation
  std::vector<int> worker_of;  // by stage and copy, from the lane's first stage on; -1: not here
  int first_stage = 0;
};

/// One replica of a chunk.
struct Worker {
  const costs::StageReplicaCosts* costs = nullptr;
  int stage = 0;
  int stride = 1;  // micro-batches between two of its own
  std::size_t first_slot = 0;
  int activations = 0, gradients = 0;                        // transfers awaited of a micro-batch
  std::int64_t last_start = no_gradient, last_duration = 0;  // of the last gradient operation
  OpKind last_kind = OpKind::backward;
  int backwards = 0, updates = 0;  // asynchronous: gradient rounds done here in full, and applied here
};

class EngineState {
 public:
  explicit EngineState(const EngineInput& input);

 protected:
  /// The chunk's replica that `operation` of this lane is of.
  std::size_t worker_of(const Lane& lane, const Operation& operation) const {
    if (lane.worker_of.size() == 1) return static_cast<std::size_t>(lane.worker_of.front());
    const int copy = in_.schedule.copy_of(operation.micro_batch);
    return static_cast<std::size_t>(lane.worker_of[place_of(lane, operation.stage.value, copy)]);
  }

  /// A stage's workers stand together; one past the last stage: their number.
  std::size_t first_worker(std::size_t stage) const {
    return stage < in_.costs.stages.size() ? in_.costs.stages[stage].first_worker : workers_.size();
  }

  static std::size_t slot_of(const Worker& worker, int micro_batch) {
    return worker.first_slot + static_cast<std::size_t>(micro_batch / worker.stride);
  }

  /// Returns true if the inputs of `operation` have arrived. Own operations come before it in the list.
  bool can_start(const Worker& worker, const Operation& operation) const {
    const std::size_t slot = slot_of(worker, operation.micro_batch);
    if (operation.kind == OpKind::forward) return activations_[slot] >= worker.activations;
    return !is_gradient(operation.kind) || gradients_[slot] >= worker.gradients;
  }
  static bool is_gradient(OpKind kind) { return kind == OpKind::backward || kind == OpKind::backward_input; }
  static bool gives_gradient(OpKind kind) { return is_gradient(kind) || kind == OpKind::backward_weight; }

  /// Writes the operation down; its end.
  std::int64_t begin_operation(std::size_t l, std::size_t w, const Operation& operation, std::int64_t start) {
    Worker& worker = workers_[w];
    const auto place = static_cast<std::size_t>(lanes_[l].next);
    const std::int64_t duration =
        in_.passes ? (*in_.passes)[l][place] : worker.costs->duration[static_cast<std::size_t>(operation.kind)];
    if (gives_gradient(operation.kind)) {
      worker.last_start = start;
      worker.last_duration = duration;
      worker.last_kind = operation.kind;
    }
    if (in_.record) trace_.operations[l].push_back({Nanoseconds(start), Nanoseconds(duration), operation});
    lanes_[l].operation = operation;
    ++lanes_[l].next;
    return start + duration;
  }

  /// One of what the targets of `channel` wait for is there; a lane that nothing is missing for any more is touched.
  void arrive(const costs::Channel& channel, int micro_batch) {
    ZeroedArray<int>& arrived = channel.gradient ? gradients_ : activations_;
    for (const int target : channel.targets) {
      const Worker& worker = workers_[static_cast<std::size_t>(target)];
      if (++arrived[slot_of(worker, micro_batch)] == (channel.gradient ? worker.gradients : worker.activations))
        runnable_lanes_.push_back(worker.costs->lane);
    }
  }

  /// When all replicas have the gradients of a stage's all-reduce.
  std::int64_t gradients_ready(std::size_t stage, std::size_t nth) const;
  /// Which lanes came to their ends, and when.
  void close_lanes();
  /// All-reduces of the `ideal` network, for which only the optimizer waits: one at a time per stage.
  void add_all_reduces();

  const EngineInput& in_;
  std::size_t count_;  // micro-batches
  std::size_t slots_;  // micro-batches of all workers
  std::vector<Worker> workers_;
  std::vector<Lane> lanes_;
  ZeroedArray<int> activations_, gradients_;       // transfers arrived, by worker and its micro-batches
  std::vector<std::vector<int>> pending_sources_;  // by channel of several sources and micro-batch: sources not done
  std::vector<std::size_t> runnable_lanes_;        // lanes that may go on
  Trace trace_;

 private:
  void add_workers();
  void add_lanes();

  std::size_t place_of(const Lane& lane, int stage, int copy) const {
    return static_cast<std::size_t>((stage - lane.first_stage) * in_.schedule.copies + copy);
  }
};

}  // namespace pipedeck::sim::engine
