// SPDX-License-Identifier: Apache-2.0
// What a run tells of its GPUs beside the training. Each process watches its own; the first one has those of all.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/domain/run.hpp"
#include "core/runtime/gpu_watch.hpp"
#include "core/runtime/transport/processes.hpp"

namespace pipedeck {

class RunGpus {
 public:
  /// `here`: of this process's devices; none: a run on the processor, which has nothing to tell. Every process comes
  /// here, and to finish(); both may throw Interrupted.
  RunGpus(const std::vector<PlacedGpu>& here, Processes& processes);

  /// Of all processes, on the first one.
  const std::vector<RunGpu>& all() const { return all_; }
  /// Of this process, as samples have them.
  std::vector<GpuReading> latest() const;
  /// Why nothing is known of some process's GPUs, and what was found to hold clocks back since the last call: on the
  /// first process.
  std::vector<RunWarning> warnings();
  /// What samples of other processes tell.
  void take(const RunSample& sample);

  /// A last look, when the steps are over.
  void end_steps();
  /// Gathers what each process's GPUs took.
  void finish(RunFinished& finished);

 private:
  void warn(std::size_t gpu, const HeldBack& held);

  Processes& processes_;
  const bool none_;
  std::unique_ptr<GpuWatch> watch_;  ///< null: nothing is told here
  GpuWatch::Sums sums_;
  std::vector<RunGpu> all_;  ///< those of this process first
  std::vector<std::uint32_t> told_;
  std::vector<RunWarning> untold_;
};

/// "NVIDIA H200 at 00000000:81:00.0 (device 1): its power limit holds its clocks back (1200 of 1980 MHz)"; empty where
/// none of the limits means that a GPU can't keep up: clocks that somebody set are as wanted.
std::string throttle_words(const RunGpu& gpu, const HeldBack& held);

}  // namespace pipedeck
