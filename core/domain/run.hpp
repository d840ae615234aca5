// SPDX-License-Identifier: Apache-2.0
// What a training run reports: the events of `pipedeck-cli run`, as values.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/domain/gpu_reading.hpp"
#include "core/domain/ids.hpp"
#include "core/domain/timeline.hpp"
#include "core/domain/units.hpp"

namespace pipedeck {

struct RunStarted {
  std::string plan, model, backend;
  int steps = 0;  ///< the last one's number
  int devices = 0;
  int from_step = 0;           ///< of the checkpoint that the run goes on from
  std::vector<RunGpu> gpus{};  ///< each once, however many devices share it; empty: none, or nothing is told of them
  bool operator==(const RunStarted&) const = default;
};

struct StepDone {
  int step = 0;  ///< from 1
  double loss = 0;
  Seconds duration;
  double samples_per_second = 0;
  std::vector<double> busy_fraction;  ///< a device, in device order
  std::vector<Bytes> memory;          ///< peak of the step, a device
  bool operator==(const StepDone&) const = default;
};

/// The operations of one step as they ran, from the step's start.
struct MeasuredTimeline {
  int step = 0;
  Timeline timeline;
  bool operator==(const MeasuredTimeline&) const = default;
};

/// What the devices do, at an even rate whatever the steps take.
struct RunSample {
  Seconds time;                       ///< since training began, pauses included
  std::vector<double> busy_fraction;  ///< since the sample before, a device, in device order
  std::vector<Bytes> memory;          ///< in use now, a device
  std::vector<GpuReading> gpus{};     ///< the latest look at each of RunStarted's
  bool operator==(const RunSample&) const = default;
};

/// The run waits between two steps, or goes on.
struct RunPaused {
  int step = 0;  ///< the last one done
  bool operator==(const RunPaused&) const = default;
};
struct RunResumed {
  int step = 0;
  bool operator==(const RunResumed&) const = default;
};

/// A step that can be resumed from: every stage is on the disk.
struct RunCheckpoint {
  int step = 0;
  std::string path;  ///< the step's folder
  Bytes bytes;
  Seconds duration;  ///< from when it was copied to when it was on the disk, beside the training
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
  /// Joules that each of RunStarted's GPUs took from then to the end of the last step, whoever used it.
  std::vector<std::optional<double>> gpu_energy{};
  std::optional<Seconds> gpu_look{};  ///< mean time of one look at the GPUs, beside the training
  bool operator==(const RunFinished&) const = default;
};

/// Joules of all GPUs; none where some did not tell, or there are none.
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
