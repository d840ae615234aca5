// SPDX-License-Identifier: Apache-2.0
// The workers of one run and the threads they live on.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/runtime/trainer.hpp"
#include "core/runtime/worker.hpp"

namespace pipedeck {

/// Everything the threads of a run touch. They share its ownership: one that is stuck in an operation when the run is
/// given up goes on touching it, long after train has returned its error.
struct Run {
  ModelSpec model;
  std::vector<std::unique_ptr<LayerKernel>> layers;
  Layout layout;
  std::unique_ptr<SampleSource> source;
  std::unique_ptr<RunControl> control;
  std::deque<Mailbox> mailboxes;    ///< a worker
  std::deque<ReplicaGroup> groups;  ///< a stage
  std::deque<Worker> workers;       ///< in device order

  // The gate between steps, under `mutex`.
  std::mutex mutex;
  std::condition_variable changed;
  std::uint64_t steps_begun = 0;
  std::size_t busy = 0;     ///< workers that are at a step
  std::vector<bool> ended;  ///< a worker: its thread is about to end
  bool closing = false;
  RunClock::time_point begin{};  ///< of the latest step
};

/// Checks that the model can run the plan, and builds the workers (weights not drawn yet).
Result<std::shared_ptr<Run>> make_run(const ModelSpec& model, const Plan& plan, const Schedule& schedule,
                                      const TrainOptions& options, const Kernels& kernels);

class Crew {
 public:
  explicit Crew(std::shared_ptr<Run> run);
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  /// Waits for the threads a short time, and leaves those behind that are stuck.
  ~Crew();

  /// One step on all devices; its duration. After a failure or a stop, the step is not done: ask the run's control.
  Seconds step();

 private:
  void wait_for_workers(std::unique_lock<std::mutex>& lock);

  std::shared_ptr<Run> run_;
  std::vector<std::thread> threads_;
};

/// The step's operations as the simulator's timeline has them: a compute lane a device, a collective lane a device
/// that took part in one, a link lane a directed pair of devices.
Timeline measured_timeline(const Run& run);

}  // namespace pipedeck
