// SPDX-License-Identifier: Apache-2.0
// The workers of one run that live in this process, and the threads they live on.
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

#include "core/runtime/backend.hpp"
#include "core/runtime/checkpoint/run_checkpoints.hpp"
#include "core/runtime/trainer.hpp"
#include "core/runtime/transport/processes.hpp"
#include "core/runtime/worker.hpp"

namespace pipedeck {

/// Where a run's workers live. By default all are threads of this process.
struct Site {
  using MakeTransport = std::function<std::unique_ptr<Transport>(
      const std::vector<std::shared_ptr<DeviceMemory>>& memories, RunControl& control)>;
  MakeTransport transport;  ///< `memories`: one a worker, whose order is Layout::placements'
  std::shared_ptr<Processes> processes;
};
Site this_process();

/// Everything the threads of a run touch. They share its ownership: one that is stuck in an operation when the run is
/// given up goes on touching it, long after train has returned its error.
struct Run {
  std::string backend, warning;  ///< Backend's
  std::string computed_by;       ///< Backend's name, and what is to be said of how it computes
  ModelSpec model;
  std::optional<ModelParts> parts;
  Layout layout;
  std::shared_ptr<Processes> processes;
  std::unique_ptr<RunControl> control;
  std::unique_ptr<Admission> admission;
  std::unique_ptr<Transport> transport;         ///< behind what other processes reach through it
  std::deque<Worker> workers;                   ///< of this process, in device order
  std::vector<PlacedGpu> gpus;                  ///< of the same; none on the processor
  std::unique_ptr<RunCheckpoints> checkpoints;  ///< none where there are to be none
  int from_step = 0, last_step = 0;             ///< steps done before, and when all are done

  // The gate between steps, under `mutex`. Asynchronous workers pass it once.
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<std::uint64_t> steps_begun{0};
  std::size_t busy = 0;                         ///< workers that are at work
  std::vector<std::deque<StepReport>> reports;  ///< a worker here: of steps that nobody has asked for yet
  std::vector<bool> ended;                      ///< a worker here: its thread is about to end
  std::atomic<bool> closing{false};
  std::vector<int> cores;        ///< a worker of all processes; empty: any
  RunClock::time_point begin{};  ///< of the latest step; of an asynchronous run
};

/// Checks that the model can run the plan, and builds the workers (weights drawn).
Result<std::shared_ptr<Run>> make_run(const ModelSpec& model, const Plan& plan, const Schedule& schedule,
                                      const TrainOptions& options, const Backend& backend,
                                      const Site& site = this_process());

/// A step that all workers here have done: what each has to say, and how long it took.
struct CrewStep {
  std::vector<StepReport> reports;
  Seconds duration;
};

class Crew {
 public:
  explicit Crew(std::shared_ptr<Run> run);
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  /// Waits for the threads a short time, and leaves those behind that are stuck.
  ~Crew();

  /// One step on all devices, or the next that an asynchronous run gets done. Nothing after a failure (ask the run's
  /// control) or a stop.
  std::optional<CrewStep> step();
  /// The time until now is no part of the next step.
  void leave_out_time() { last_end_ = RunClock::now(); }

 private:
  void open_gate();
  bool wait_for_reports(std::unique_lock<std::mutex>& lock);

  std::shared_ptr<Run> run_;
  std::vector<std::thread> threads_;
  RunClock::time_point last_end_{};  ///< of an asynchronous run's latest step
};

}  // namespace pipedeck
