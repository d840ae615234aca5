// SPDX-License-Identifier: GPL-3.0-or-later
// A training run as it comes in: series for the charts, progress, and the log. All points are kept; charts ask for a
// decimated view.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <QPointF>
#include <QString>
#include <QVector>

#include "core/domain/run.hpp"

namespace pipedeck::app {

/// At most `limit` points of `points` (ascending x): every bucket's lowest and highest, in their order, first and last
/// point kept. Extremes never get lost. `limit` >= 4.
QVector<QPointF> decimated(const std::vector<QPointF>& points, std::size_t limit);

struct LogLine {
  enum Level { note, warning, error };
  Level level = note;
  QString text;
  bool operator==(const LogLine&) const = default;
};

enum class RunState { idle, starting, running, paused, finished, stopped, failed };

/// What points lie over: steps, or seconds of training (of throughput and loss: pauses left out).
enum class RunAxis { step, time };

/// "G0", or "G0, G2" where devices share the GPU.
QString gpu_label(const RunGpu& gpu);
/// What holds a GPU's clocks back, short: "power limit"; empty: nothing that slows a training.
QString throttle_text(const GpuReading& reading);

/// The state of one run, fed event by event. Appending costs the same at step 1 and at step 100,000.
class RunModel {
 public:
  void clear();
  /// Lines to add to the log for this event.
  std::vector<LogLine> append(const RunEvent& event);

  RunState state() const { return state_; }
  int steps() const { return steps_; }
  int steps_done() const { return steps_done_; }
  int devices() const { return static_cast<int>(memory_.size()); }
  /// From the mean duration of the steps so far; nothing before the second step.
  std::optional<Seconds> time_left() const;
  double mean_samples_per_second() const;
  QString failure() const { return failure_; }

  using Points = std::vector<QPointF>;
  const Points& throughput(RunAxis axis = RunAxis::step) const { return throughput_[index(axis)]; }  ///< samples/s
  const Points& loss(RunAxis axis = RunAxis::step) const { return loss_[index(axis)]; }
  /// Of samples over seconds where the run has some, else of steps.
  bool sampled() const { return sampled_; }
  const Points& busy(int device) const { return busy_[static_cast<std::size_t>(device)]; }
  const Points& memory(int device) const { return memory_[static_cast<std::size_t>(device)]; }  ///< MiB
  /// The GPUs of the run, each once; empty on the processor, or where the driver tells nothing.
  const std::vector<RunGpu>& gpus() const { return gpus_; }
  bool on_gpus() const { return on_gpus_; }
  /// By another program: what is told of it is when its devices did what.
  bool recorded_elsewhere() const { return recorded_elsewhere_; }
  /// Of samples over seconds; no points: not told. Power in watts, the clock in MHz, memory in MiB, whoever uses it.
  const Points& power(int gpu) const { return power_[static_cast<std::size_t>(gpu)]; }
  const Points& clock(int gpu) const { return clock_[static_cast<std::size_t>(gpu)]; }
  const Points& gpu_memory(int gpu) const { return gpu_memory_[static_cast<std::size_t>(gpu)]; }
  const std::vector<GpuReading>& readings() const { return readings_; }  ///< the latest, of each of gpus()
  /// Joules of all GPUs of the run that has ended; none: some GPU did not tell.
  std::optional<double> energy() const { return energy_; }
  std::optional<double> energy_a_sample() const;
  /// The highest of all steps, in MiB; 0: not known.
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
  static std::size_t index(RunAxis axis) { return static_cast<std::size_t>(axis); }

  RunState state_ = RunState::idle;
  int steps_ = 0;
  int steps_done_ = 0, first_step_ = 0;  ///< of these, done before the checkpoint that the run goes on from
  double seconds_done_ = 0;
  double samples_done_ = 0;
  QString failure_;
  std::array<Points, 2> throughput_, loss_;  ///< by axis
  std::vector<Points> busy_, memory_;        ///< by device
  std::vector<double> peaks_;
  std::vector<RunGpu> gpus_;
  std::vector<Points> power_, clock_, gpu_memory_;  ///< by GPU
  std::vector<GpuReading> readings_;
  std::optional<double> energy_;
  bool on_gpus_ = false;
  bool recorded_elsewhere_ = false;
  bool sampled_ = false;
};

}  // namespace pipedeck::app
