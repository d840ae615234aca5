// SPDX-License-Identifier: Apache-2.0
// A worker: one device of a run. It interprets its lane of the schedule and records when each operation ran.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/runtime/exec/collective_thread.hpp"
#include "core/runtime/exec/gradient_buckets.hpp"
#include "core/runtime/exec/layout.hpp"
#include "core/runtime/exec/model_parts.hpp"
#include "core/runtime/exec/report.hpp"
#include "core/runtime/exec/sampler.hpp"
#include "core/runtime/exec/stage_module.hpp"
#include "core/runtime/tensor/optimizer.hpp"
#include "core/runtime/transport/admission.hpp"
#include "core/runtime/transport/control.hpp"
#include "core/runtime/transport/transport.hpp"

namespace pipedeck::runtime::exec {

/// A context shared by all workers of a process, which it outlives.
struct WorkerContext {
  const Layout& layout;
  const ModelParts& parts;
  transport::RunControl& control;
  transport::Admission& admission;  ///< of asynchronous runs
  int micro_batch = 1;
  std::uint64_t first_sample = 0;  ///< of the run's first step
};

/// A stage on a device, shared by all its copies there.
struct WorkerStage {
  StageModule module;
  tensor::OptimizerState optimizer;
  std::vector<std::unique_ptr<layers::LayerKernel>> parts;  ///< of a tensor-parallel rank: the module's layers
  std::vector<GradientBucket> buckets;  ///< of a step's gradients, which the reducer overlaps with the passes
  /// Reduces gradients that are whole during a step; null if they are reduced after the last one is computed.
  std::unique_ptr<CollectiveThread> reducer;
  int first_layer = 0;  ///< of the model
};

class Worker {
 public:
  Worker(std::size_t index, WorkerContext context, std::deque<WorkerStage> stages, transport::Endpoint& endpoint,
         std::shared_ptr<tensor::DeviceMemory> memory);

  /// Runs one step (from 0) of a synchronous run, measured from `begin`. Throws Interrupted, or an operation's
  /// exception.
  StepReport run_step(std::uint64_t step, tensor::RunClock::time_point begin);
  /// Runs all steps of an asynchronous run. `done` is called after each, when this device has finished its part of it.
  void run_all(tensor::RunClock::time_point begin, const std::function<void(StepReport)>& done);

  std::size_t index() const { return index_; }
  std::deque<WorkerStage>& stages() { return stages_; }
  const std::deque<WorkerStage>& stages() const { return stages_; }
  Operation current() const { return current_; }
  const tensor::DeviceMemory& memory() const { return *memory_; }
  SampledDevice sampled() const { return {meter_, memory_}; }
  /// Returns true if the loss or the weights were not finite at the end of the latest step.
  bool diverged() const { return diverged_; }

 private:
  /// A pass with its inputs and output.
  struct Pass {
    Operation operation;
    bool completes = false;  ///< completes the gradients of its stage
    const LocalStage* chunk = nullptr;
    tensor::Tensor input, targets, output;
  };

  /// A time span of an operation on a device, which is evaluated at the end of the step.
  struct Span {
    tensor::Completion begin, end;
    Operation operation;
    /// The times of the forwards that a backward reruns; they count as the micro-batch's recompute before it.
    std::optional<StageModule::RerunTimes> reruns = {};
  };
  struct Transfer {
    std::size_t from = 0;       ///< worker
    tensor::Completion posted;  ///< by the sender
    Span is_local;              ///< since this worker first asked for it
  };
  struct Loss {
    int micro_batch = 0;
    layers::LossSum sum;
  };
  /// The records of the current step.
  struct Records {
    std::vector<Span> compute, all_reduces;
    std::vector<Transfer> transfers;
    std::vector<Loss> losses;
  };

  int run(int position);
  Pass prepare(int position);
  void compute(Pass& pass);
  void deliver(Pass pass);

  bool admitted(int micro_batch);
  void run_deferred(std::deque<int>& put_off);
  void wait_for_the_pause_to_end(int micro_batch);
  void finish_backward(int micro_batch);
  StageModule::LayerDone reducing(std::size_t stage);
  void reduce(std::size_t stage, int round);
  void reduce_table(std::size_t stage);
  void update(std::size_t stage, int round, bool keep);
  StepReport end_report();
  std::string divergence(const StepReport& report) const;
  std::string begin_capture();
  void reserve_receive_buffers();

  tensor::Tensor samples_of(const LocalStage& chunk, int micro_batch, bool targets) const;
  tensor::Tensor receive(const LocalStage& chunk, int micro_batch, bool gradient);
  void send(const LocalStage& chunk, tensor::Tensor tensor, int micro_batch, bool gradient);
  transport::Message take(const PeerSlice& from, transport::MessageKey key, std::int64_t width);
  std::vector<PeerSlice> partners(const std::vector<PeerSlice>& exchanges, StageId stage, int micro_batch) const;
  void timed(Operation operation, const std::function<void()>& work);
  void add_rows(const Span& span, std::vector<TimelineRow>& rows) const;
  void enter(Operation operation, transport::WaitReason waits_for);
  Nanoseconds elapsed(tensor::RunClock::time_point time) const;
  TimelineRow row(const Span& span) const;
  tensor::ComputeDevice& device() const { return memory_->device(); }

  const DeviceAssignment& me() const { return context_.layout.placements[index_]; }
  StageModule& module_of(const LocalStage& chunk) { return stages_[chunk.module].module; }

  std::size_t index_;
  WorkerContext context_;
  std::deque<WorkerStage> stages_;  ///< one per stage, ascending
  transport::Endpoint& endpoint_;
  std::shared_ptr<tensor::DeviceMemory> memory_;
  std::map<transport::MessageKey, tensor::Tensor> own_;  ///< between two chunks of this device
  std::vector<int> completing_;  ///< per stage: position in the list where its gradients are complete
  std::uint64_t step_ = 0;
  bool reserved_ = false, diverged_ = false;
  tensor::RunClock::time_point begin_{};
  Nanoseconds report_begin_;
  Operation current_;
  Records records_;
  std::shared_ptr<BusyMeter> meter_ = std::make_shared<BusyMeter>();
};

}  // namespace pipedeck::runtime::exec
