// SPDX-License-Identifier: Apache-2.0
// GPU metrics of a run. Each process monitors its own GPUs; the first one collects all.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/model/run.hpp"
#include "core/runtime/machine/gpu_monitor.hpp"
#include "core/runtime/transport/processes.hpp"

namespace pipedeck::runtime::train {

class RunGpus {
 public:
  /// `here` lists the GPUs of this process's devices; it is empty for a run on the CPU, which has none to report. Every
  /// process calls this and finish(); both may throw Interrupted.
  RunGpus(const std::vector<machine::PlacedGpu>& here, transport::ProcessGroup& processes);

  /// Returns the GPUs of all processes, on the first one.
  const std::vector<RunGpu>& all() const { return all_; }
  /// Returns the latest readings of this process, for samples.
  std::vector<GpuSample> latest() const;
  /// Returns the reasons why some process's GPUs are unknown, and the throttling found since the last call. Only on the
  /// first process.
  std::vector<RunWarning> warnings();
  /// Handles samples of other processes.
  void take(const RunSample& sample);

  /// Polls for the last time, when the steps are over.
  void end_steps();
  /// Gathers the energy of each process's GPUs.
  void finish(RunFinished& finished);

 private:
  void warn(std::size_t gpu, const machine::ThrottleState& held);

  transport::ProcessGroup& processes_;
  const bool none_;
  std::unique_ptr<machine::GpuMonitor> watch_;  ///< null: nothing is reported here
  machine::GpuMonitor::Sums sums_;
  std::vector<RunGpu> all_;  ///< GPUs of this process first
  std::vector<std::uint32_t> told_;
  std::vector<RunWarning> untold_;
};

/// Returns "NVIDIA H200 at 00000000:81:00.0 (device 1): its power limit holds its clocks back (1200 of 1980 MHz)".
/// Empty if no active limit means that the GPU is too slow: clocks set by a user are intended.
std::string throttle_message(const RunGpu& gpu, const machine::ThrottleState& held);

}  // namespace pipedeck::runtime::train
