// SPDX-License-Identifier: Apache-2.0
// The events that a training run reports (`pipedeck-cli run`), as values.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/model/gpu_sample.hpp"
#include "core/model/timeline.hpp"

namespace pipedeck {

struct RunStarted {
  std::string plan, model, backend;
  int steps = 0;  ///< number of the last step
  int devices = 0;
  int from_step = 0;           ///< step of the checkpoint from which the run continues
  std::vector<RunGpu> gpus{};  ///< each once, even if several devices share it; empty: none, or not reported
  bool operator==(const RunStarted&) const = default;
};

struct StepDone {
  int step = 0;  ///< from 1
  double loss = 0;
  Seconds duration;
  double samples_per_second = 0;
  std::vector<double> busy_fraction;  ///< per device, in device order
  std::vector<Bytes> memory;          ///< peak of the step, per device
  bool operator==(const StepDone&) const = default;
};

/// A step's operations as they ran; times count from the step's start.
struct MeasuredTimeline {
  int step = 0;
  Timeline timeline;
  bool operator==(const MeasuredTimeline&) const = default;
};

/// A sample of the devices' state, taken at a fixed rate independent of the steps.
struct RunSample {
  Seconds time;                       ///< since the start of training, including pauses
  std::vector<double> busy_fraction;  ///< since the previous sample, per device, in device order
  std::vector<Bytes> memory;          ///< currently in use, per device
  std::vector<GpuSample> gpus{};      ///< the latest reading of each of RunStarted's GPUs
  bool operator==(const RunSample&) const = default;
};

/// A pause between two steps.
struct RunPaused {
  int step = 0;  ///< the last completed step
  bool operator==(const RunPaused&) const = default;
};
struct RunResumed {
  int step = 0;
  bool operator==(const RunResumed&) const = default;
};

/// A step that can be resumed from: all stages are on disk.
struct RunCheckpoint {
  int step = 0;
  std::string path;  ///< the step's folder
  Bytes bytes;
  Seconds duration;  ///< from the copy to the end of the write, which overlaps training
  bool operator==(const RunCheckpoint&) const = default;
};

struct RunWarning {
  std::string message;
  bool operator==(const RunWarning&) const = default;
};

struct RunFailed {
  std::string message;
  bool operator==(const RunFailed&) const = default;
};

struct RunFinished {
  int steps = 0;
  double loss = 0;
  Seconds duration;
  Seconds median_step;
  bool stopped = false;  ///< on request, before the last step
  /// Joules of each of RunStarted's GPUs from then to the end of the last step, of all processes.
  std::vector<std::optional<double>> gpu_energy{};
  std::optional<Seconds> gpu_look{};  ///< mean time of one GPU reading, which overlaps training
  bool operator==(const RunFinished&) const = default;
};

/// Returns the joules of all GPUs; nothing if some did not report any, or there are none.
inline std::optional<double> whole_energy(const RunFinished& event) {
  double sum = 0;
  for (const auto& joules : event.gpu_energy) {
    if (!joules) return std::nullopt;
    sum += *joules;
  }
  return event.gpu_energy.empty() ? std::nullopt : std::optional(sum);
}

using RunEvent = std::variant<RunStarted, StepDone, MeasuredTimeline, RunSample, RunPaused, RunResumed, RunCheckpoint,
                              RunWarning, RunFailed, RunFinished>;

}  // namespace pipedeck
