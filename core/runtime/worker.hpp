// SPDX-License-Identifier: Apache-2.0
// One device of a run: interprets its lane of the schedule, operation by operation, and writes down when each ran.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "core/domain/timeline.hpp"
#include "core/runtime/data_source.hpp"
#include "core/runtime/layout.hpp"
#include "core/runtime/optimizer.hpp"
#include "core/runtime/stage_module.hpp"
#include "core/runtime/transport/control.hpp"
#include "core/runtime/transport/mailbox.hpp"
#include "core/runtime/transport/replica_group.hpp"

namespace pipedeck {

/// A transfer that this worker received.
struct TransferRecord {
  std::size_t from = 0;  ///< worker
  TimelineRow row;       ///< kind send, of the sending stage
};

/// What a worker did in one step, each list in order of start.
struct StepRecord {
  std::vector<TimelineRow> compute, all_reduces;
  std::vector<TransferRecord> transfers;
  Nanoseconds busy;
  Bytes peak;
};

/// What all workers of a run share. Outlives them.
struct WorkerContext {
  const Layout& layout;
  const SampleSource& source;
  RunControl& control;
  std::deque<Mailbox>& mailboxes;    ///< a worker
  std::deque<ReplicaGroup>& groups;  ///< a stage
  int micro_batch = 1, micro_batches = 1;
};

class Worker {
 public:
  Worker(std::size_t index, WorkerContext context, StageModule module, OptimizerState optimizer,
         std::shared_ptr<DeviceMemory> memory, std::int64_t input_width, std::int64_t target_width);

  /// One step (from 0), measured from `begin`. Throws Interrupted, or what an operation threw.
  void run_step(std::uint64_t step, RunClock::time_point begin);

  StageModule& module() { return module_; }
  const StageModule& module() const { return module_; }
  const StepRecord& record() const { return record_; }
  Operation current() const { return current_; }
  const DeviceMemory& memory() const { return *memory_; }

 private:
  void run_operation(Operation operation);
  void run_forward(Operation operation);
  void run_backward(Operation operation);
  void reduce_gradients();
  void step_optimizer();

  Tensor samples_of(int micro_batch, bool targets) const;
  Tensor receive(int micro_batch, bool gradient);
  void send(Tensor tensor, int micro_batch, bool gradient);
  void timed(Operation operation, const std::function<void()>& work);
  void enter(Operation operation, WaitsFor waits_for);
  Nanoseconds since_begin(RunClock::time_point time) const;

  const Placement& me() const { return context_.layout.placements[index_]; }
  bool first_stage() const { return me().previous.empty(); }
  bool last_stage() const { return me().next.empty(); }

  std::size_t index_;
  WorkerContext context_;
  StageModule module_;
  OptimizerState optimizer_;
  std::shared_ptr<DeviceMemory> memory_;
  std::int64_t input_width_, target_width_;
  std::uint64_t step_ = 0;
  RunClock::time_point begin_{};
  Operation current_;
  StepRecord record_;
};

}  // namespace pipedeck
