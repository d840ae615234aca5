// SPDX-License-Identifier: Apache-2.0
// The workers of one run in this process, and their threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/runtime/checkpoint/run_checkpoints.hpp"
#include "core/runtime/exec/worker.hpp"
#include "core/runtime/layers/backend.hpp"
#include "core/runtime/train/options.hpp"
#include "core/runtime/transport/processes.hpp"

namespace pipedeck::runtime::train {

/// A run's environment: its transport and processes. By default all workers are threads of this process.
struct RunEnvironment {
  using MakeTransport = std::function<std::unique_ptr<transport::Transport>(
      const std::vector<std::shared_ptr<tensor::DeviceMemory>>& memories, transport::RunControl& control)>;
  MakeTransport transport;  ///< `memories`: one per worker, in the order of Layout::placements
  std::shared_ptr<transport::ProcessGroup> processes;
};
RunEnvironment single_process();

/// The state of a run, shared by its threads. They share its ownership: a thread that is stuck when the run is given up
/// continues to use it, long after train has returned its error.
struct Run {
  std::string backend, warning;  ///< from Backend
  std::string computed_by;       ///< Backend's name and remarks on its computation
  ModelSpec model;
  std::optional<exec::ModelParts> parts;
  exec::Layout layout;
  std::shared_ptr<transport::ProcessGroup> processes;
  std::unique_ptr<transport::RunControl> control;
  std::unique_ptr<transport::Admission> admission;
  std::unique_ptr<transport::Transport> transport;  ///< after the members that other processes access through it
  std::deque<exec::Worker> workers;                 ///< of this process, in device order
  std::vector<machine::PlacedGpu> gpus;             ///< of the same workers; empty on the CPU
  std::unique_ptr<checkpoint::RunCheckpoints> checkpoints;  ///< null if none are requested
  int from_step = 0, last_step = 0;                         ///< steps done before, and the last step to do
  OnDivergence on_divergence = OnDivergence::stop;

  // The barrier between steps, protected by `mutex`. Asynchronous workers pass it once.
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<std::uint64_t> steps_begun{0};
  std::size_t busy = 0;                               ///< number of active workers
  std::vector<std::deque<exec::StepReport>> reports;  ///< per local worker: reports of steps that are not yet collected
  std::vector<bool> ended;                            ///< per local worker: its thread is about to end
  std::atomic<bool> closing{false};
  std::vector<int> cores;                ///< one per worker of all processes; empty: any
  tensor::RunClock::time_point begin{};  ///< of the latest step, or of an asynchronous run
};

/// Checks that the model can run the plan, and builds the workers with their initial weights.
Result<std::shared_ptr<Run>> make_run(const ModelSpec& model, const Plan& plan, const Schedule& schedule,
                                      const TrainOptions& options, const layers::Backend& backend,
                                      const RunEnvironment& site = single_process());

/// A step that all local workers have done: their reports and its duration.
struct StepResult {
  std::vector<exec::StepReport> reports;
  Seconds duration;
};

class WorkerThreads {
 public:
  explicit WorkerThreads(std::shared_ptr<Run> run);
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;
  /// Waits briefly for the threads, and detaches those that are stuck.
  ~WorkerThreads();

  /// Runs one step on all devices, or waits for the next step of an asynchronous run. Empty after a failure (stored in
  /// the run's control) or a stop.
  std::optional<StepResult> step();
  /// Excludes the time until now from the next step.
  void reset_step_timer() { last_end_ = tensor::RunClock::now(); }

 private:
  void open_gate();
  bool wait_for_reports(std::unique_lock<std::mutex>& lock);

  std::shared_ptr<Run> run_;
  std::vector<std::thread> threads_;
  tensor::RunClock::time_point last_end_{};  ///< of an asynchronous run's latest step
};

}  // namespace pipedeck::runtime::train
