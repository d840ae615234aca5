// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/run/run_model.hpp"

#include <algorithm>

#include <QCoreApplication>
#include <QLocale>

#include "app/models/format.hpp"
#include "app/text/in_qt.hpp"

namespace pipedeck::models::run {

namespace {

struct Text {
  Q_DECLARE_TR_FUNCTIONS(Model)
};

double in_mebibytes(Bytes bytes) { return static_cast<double>(bytes.count) / (1024.0 * 1024.0); }

QString whole(int number) { return QLocale().toString(number); }

QString steps_text(int steps) { return counted(steps, Text::tr("1 step"), Text::tr("%1 steps")); }

QString devices_text(int devices) { return counted(devices, Text::tr("1 device"), Text::tr("%1 devices")); }

}  // namespace

QVector<QPointF> decimated(const std::vector<QPointF>& points, std::size_t limit) {
  const std::size_t count = points.size();
  if (count <= limit) return QVector<QPointF>(points.begin(), points.end());
  QVector<QPointF> result;
  result.reserve(static_cast<qsizetype>(limit));
  const std::size_t buckets = (limit - 2) / 2;
  const std::size_t inner = count - 2;
  const auto lower = [](const QPointF& a, const QPointF& b) { return a.y() < b.y(); };
  result.append(points.front());
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    const auto begin = points.begin() + static_cast<std::ptrdiff_t>(1 + inner * bucket / buckets);
    const auto end = points.begin() + static_cast<std::ptrdiff_t>(1 + inner * (bucket + 1) / buckets);
    auto [low, high] = std::minmax_element(begin, end, lower);
    if (high < low) std::swap(low, high);
    result.append(*low);
    if (low != high) result.append(*high);
  }
  result.append(points.back());
  return result;
}

QString gpu_label(const RunGpu& gpu) {
  QStringList names;
  for (const int device : gpu.devices) names << QStringLiteral("G%1").arg(device);
  return names.join(QStringLiteral(", "));
}

QString throttle_text(const GpuSample& reading) {
  const std::uint32_t limits = reading.limits.value_or(0);
  if (holds(limits, ThrottleReason::hw_thermal_slowdown) || holds(limits, ThrottleReason::sw_thermal_slowdown))
    return Text::tr("heat");
  if (holds(limits, ThrottleReason::hw_power_brake_slowdown)) return Text::tr("power supply");
  if (holds(limits, ThrottleReason::hw_slowdown)) return Text::tr("hardware slowdown");
  if (holds(limits, ThrottleReason::sw_power_cap)) return Text::tr("power limit");
  return {};
}

void Model::clear() { *this = Model{}; }

std::vector<LogLine> Model::append(const RunEvent& event) {
  return std::visit([this](const auto& e) { return take(e); }, event);
}

std::optional<Seconds> Model::time_left() const {
  const int done = steps_done_ - first_step_;
  if (state_ != State::running || done < 2 || steps_ < steps_done_) return std::nullopt;
  return Seconds(seconds_done_ / done * (steps_ - steps_done_));
}

double Model::mean_samples_per_second() const { return seconds_done_ > 0 ? samples_done_ / seconds_done_ : 0; }

std::optional<double> Model::energy_a_sample() const {
  return energy_ && samples_done_ > 0 ? std::optional(*energy_ / samples_done_) : std::nullopt;
}

void Model::resize_devices(std::size_t count) {
  if (memory_.size() >= count) return;
  busy_.resize(count);
  memory_.resize(count);
  peaks_.resize(count);
}

void Model::add_devices(double x, const std::vector<double>& busy, const std::vector<Bytes>& memory) {
  resize_devices(std::max(busy.size(), memory.size()));
  for (std::size_t i = 0; i < busy.size(); ++i) busy_[i].emplace_back(x, busy[i]);
  for (std::size_t i = 0; i < memory.size(); ++i) memory_[i].emplace_back(x, in_mebibytes(memory[i]));
}

std::vector<LogLine> Model::take(const RunStarted& event) {
  clear();
  state_ = State::running;
  steps_ = event.steps;
  steps_done_ = first_step_ = event.from_step;
  resize_devices(static_cast<std::size_t>(std::max(event.devices, 0)));
  on_gpus_ = event.backend.starts_with("cuda");
  recorded_elsewhere_ = event.backend.empty();
  gpus_ = event.gpus;
  for (auto* series : {&power_, &clock_, &gpu_memory_}) series->resize(gpus_.size());
  if (recorded_elsewhere_)
    return {{LogLine::note, Text::tr("recorded: %1 of %2").arg(steps_text(event.steps), devices_text(event.devices))}};
  return {{LogLine::note, Text::tr("started %1 on %2 (%3) · plan %4 · %5")
                              .arg(QString::fromStdString(event.model), devices_text(event.devices),
                                   QString::fromStdString(event.backend), QString::fromStdString(event.plan),
                                   steps_text(event.steps))}};
}

std::vector<LogLine> Model::take(const StepDone& event) {
  if (state_ == State::idle || state_ == State::starting) state_ = State::running;
  steps_done_ = event.step;
  seconds_done_ += event.duration.count;
  samples_done_ += event.samples_per_second * event.duration.count;
  throughput_[index(Axis::step)].emplace_back(event.step, event.samples_per_second);
  throughput_[index(Axis::time)].emplace_back(seconds_done_, event.samples_per_second);
  loss_[index(Axis::step)].emplace_back(event.step, event.loss);
  loss_[index(Axis::time)].emplace_back(seconds_done_, event.loss);
  resize_devices(event.memory.size());
  for (std::size_t i = 0; i < event.memory.size(); ++i) peaks_[i] = std::max(peaks_[i], in_mebibytes(event.memory[i]));
  if (!sampled_) add_devices(event.step, event.busy_fraction, event.memory);
  return {};
}

/// Samples are more accurate than steps. From the first sample on, only samples are drawn.
std::vector<LogLine> Model::take(const RunSample& event) {
  if (!sampled_) {
    for (std::vector<Points>* series : {&busy_, &memory_})
      for (Points& points : *series) points.clear();
    sampled_ = true;
  }
  add_devices(event.time.count, event.busy_fraction, event.memory);
  readings_ = event.gpus;
  readings_.resize(gpus_.size());
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    const GpuSample& reading = readings_[i];
    if (reading.power) power_[i].emplace_back(event.time.count, *reading.power);
    if (reading.clock) clock_[i].emplace_back(event.time.count, *reading.clock);
    if (reading.memory) gpu_memory_[i].emplace_back(event.time.count, in_mebibytes(*reading.memory));
  }
  return {};
}

std::vector<LogLine> Model::take(const RunPaused& event) {
  state_ = State::paused;
  return {{LogLine::note, Text::tr("paused after step %1").arg(whole(event.step))}};
}

std::vector<LogLine> Model::take(const RunResumed&) {
  state_ = State::running;
  return {{LogLine::note, Text::tr("going on")}};
}

std::vector<LogLine> Model::take(const MeasuredTimeline& event) {
  return {{LogLine::note, Text::tr("timeline of step %1: %2 operations in %3 ms")
                              .arg(whole(event.step), whole(static_cast<int>(event.timeline.size())))
                              .arg(decimal(in_milliseconds(event.timeline.makespan()), 1))}};
}

std::vector<LogLine> Model::take(const RunCheckpoint& event) {
  return {{LogLine::note, Text::tr("checkpoint of step %1: %2 MiB in %3 ms, %4")
                              .arg(whole(event.step), decimal(in_mebibytes(event.bytes), 1),
                                   decimal(in_milliseconds(event.duration), 1), QString::fromStdString(event.path))}};
}

std::vector<LogLine> Model::take(const RunWarning& event) {
  return {{LogLine::warning, text::to_qstring(event.message)}};
}

std::vector<LogLine> Model::take(const RunFailed& event) {
  state_ = State::failed;
  failure_ = text::to_qstring(event.message);
  return {{LogLine::error, Text::tr("failed at step %1: %2").arg(steps_done_ + 1).arg(failure_)}};
}

std::vector<LogLine> Model::take(const RunFinished& event) {
  state_ = event.stopped ? State::stopped : State::finished;
  steps_done_ = std::max(steps_done_, event.steps);
  energy_ = whole_energy(event);
  const QString what = event.stopped ? Text::tr("stopped on request after %1") : Text::tr("finished %1");
  QString text = Text::tr("%1 in %2 s · median step %3 ms")
                     .arg(what.arg(steps_text(event.steps)))
                     .arg(decimal(event.duration.count, 1))
                     .arg(decimal(in_milliseconds(event.median_step), 2));
  if (!recorded_elsewhere_) text += Text::tr(" · last loss %1").arg(QLocale().toString(event.loss, 'g', 4));
  std::vector<LogLine> lines{{LogLine::note, text}};
  if (const auto each = energy_a_sample())
    lines.push_back(
        {LogLine::note, Text::tr("energy of the GPUs: %1 (%2 Wh), %3 per sample")
                            .arg(format_energy(*energy_), format_number(*energy_ / 3600), format_energy(*each))});
  return lines;
}

}  // namespace pipedeck::models::run
