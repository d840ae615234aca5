// SPDX-License-Identifier: GPL-3.0-or-later
// A training run during its execution: series for the charts, progress, and the log. All points are stored; charts
// request a decimated view.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <QPointF>
#include <QString>
#include <QVector>

#include "core/model/run.hpp"

namespace pipedeck::models::run {

/// Returns at most `limit` of `points` (ascending x): the minimum and maximum of each bucket in their order, and the
/// first and last point. Extremes are never lost. `limit` >= 4.
QVector<QPointF> decimated(const std::vector<QPointF>& points, std::size_t limit);

struct LogLine {
  enum Level { note, warning, error };
  Level level = note;
  QString text;
  bool operator==(const LogLine&) const = default;
};

enum class State { idle, starting, running, paused, finished, stopped, failed };

/// An x axis of the charts: steps, or seconds of training (for throughput and loss without pauses).
enum class Axis { step, time };

/// Returns "G0", or "G0, G2" if devices share the GPU.
QString gpu_label(const RunGpu& gpu);
/// Returns the reason why a GPU's clocks are throttled, in short: "power limit". Empty if nothing slows the training.
QString throttle_text(const GpuSample& reading);

/// A state of one run, updated event by event. Appending costs the same at step 1 and at step 100,000.
class Model {
 public:
  void clear();
  /// Returns the lines to add to the log for this event.
  std::vector<LogLine> append(const RunEvent& event);

  State state() const { return state_; }
  int steps() const { return steps_; }
  int steps_done() const { return steps_done_; }
  int devices() const { return static_cast<int>(memory_.size()); }
  /// Estimates the remaining time from the mean duration of the steps. Returns nullopt before the second step.
  std::optional<Seconds> time_left() const;
  double mean_samples_per_second() const;
  QString failure() const { return failure_; }

  using Points = std::vector<QPointF>;
  const Points& throughput(Axis axis = Axis::step) const { return throughput_[index(axis)]; }  ///< samples/s
  const Points& loss(Axis axis = Axis::step) const { return loss_[index(axis)]; }
  /// Returns true if the points are samples over seconds; otherwise, they are steps.
  bool sampled() const { return sampled_; }
  const Points& busy(int device) const { return busy_[static_cast<std::size_t>(device)]; }
  const Points& memory(int device) const { return memory_[static_cast<std::size_t>(device)]; }  ///< MiB
  /// Returns the distinct GPUs of the run. Empty on the CPU, or if the driver reports nothing.
  const std::vector<RunGpu>& gpus() const { return gpus_; }
  bool on_gpus() const { return on_gpus_; }
  /// Returns true if another program recorded the run; only its timeline is known.
  bool recorded_elsewhere() const { return recorded_elsewhere_; }
  /// Returns samples over seconds; no points if the value is not reported. Power is in watts, the clock in MHz, memory
  /// in MiB for all processes.
  const Points& power(int gpu) const { return power_[static_cast<std::size_t>(gpu)]; }
  const Points& clock(int gpu) const { return clock_[static_cast<std::size_t>(gpu)]; }
  const Points& gpu_memory(int gpu) const { return gpu_memory_[static_cast<std::size_t>(gpu)]; }
  const std::vector<GpuSample>& readings() const { return readings_; }  ///< the latest one of each of gpus()
  /// Returns the joules of all GPUs of the finished run, or nullopt if any GPU did not report them.
  std::optional<double> energy() const { return energy_; }
  std::optional<double> energy_a_sample() const;
  /// Returns the maximum over all steps in MiB; 0: unknown.
  double peak_memory(int device) const { return peaks_[static_cast<std::size_t>(device)]; }

 private:
  std::vector<LogLine> take(const RunStarted& event);
  std::vector<LogLine> take(const StepDone& event);
  std::vector<LogLine> take(const MeasuredTimeline& event);
  std::vector<LogLine> take(const RunSample& event);
  std::vector<LogLine> take(const RunPaused& event);
  std::vector<LogLine> take(const RunResumed& event);
  std::vector<LogLine> take(const RunCheckpoint& event);
  std::vector<LogLine> take(const RunWarning& event);
  std::vector<LogLine> take(const RunFailed& event);
  std::vector<LogLine> take(const RunFinished& event);
  void resize_devices(std::size_t count);
  void add_devices(double x, const std::vector<double>& busy, const std::vector<Bytes>& memory);
  static std::size_t index(Axis axis) { return static_cast<std::size_t>(axis); }

  State state_ = State::idle;
  int steps_ = 0;
  int steps_done_ = 0, first_step_ = 0;  ///< `first_step_`: steps before the checkpoint that the run resumed from
  double seconds_done_ = 0;
  double samples_done_ = 0;
  QString failure_;
  std::array<Points, 2> throughput_, loss_;  ///< by axis
  std::vector<Points> busy_, memory_;        ///< by device
  std::vector<double> peaks_;
  std::vector<RunGpu> gpus_;
  std::vector<Points> power_, clock_, gpu_memory_;  ///< by GPU
  std::vector<GpuSample> readings_;
  std::optional<double> energy_;
  bool on_gpus_ = false;
  bool recorded_elsewhere_ = false;
  bool sampled_ = false;
};

}  // namespace pipedeck::models::run
