// SPDX-License-Identifier: GPL-3.0-or-later
// Power, clocks and memory use of a run's GPUs: charts and the line above them.
#include <algorithm>
#include <iterator>
#include <utility>

#include <QGridLayout>
#include <QLabel>

#include "app/models/format.hpp"
#include "app/views/run/live_chart.hpp"
#include "app/views/run/view.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::run {

namespace {

/// Returns "1,740", or "1,740–1,980" if the GPUs differ; empty if none reports the value.
QString range_text(const std::vector<GpuSample>& readings, std::optional<double> GpuSample::*figure) {
  std::optional<double> least, most;
  for (const GpuSample& reading : readings)
    if (const auto value = reading.*figure) {
      least = std::min(least.value_or(*value), *value);
      most = std::max(most.value_or(*value), *value);
    }
  if (!least) return {};
  const QString low = models::decimal(*least, 0), high = models::decimal(*most, 0);
  return low == high ? low : QStringLiteral("%1–%2").arg(low, high);
}

}  // namespace

/// Shows the current state of all GPUs in one line. Throttled clocks come last, in the colour of a warning.
void View::update_gpus() {
  const bool on = model_.on_gpus();
  for (QWidget* widget : {static_cast<QWidget*>(power_), static_cast<QWidget*>(clock_)}) widget->setVisible(on);
  grid_->setColumnStretch(2, on ? 1 : 0);
  QStringList parts, held;
  double watts = 0;
  bool all = !model_.readings().empty();
  std::vector<GpuSample> percent = model_.readings();
  for (GpuSample& reading : percent) {
    all = all && reading.power.has_value();
    watts += reading.power.value_or(0);
    if (reading.utilization) *reading.utilization *= 100;
  }
  if (all) parts << tr("%1 W").arg(models::decimal(watts, 0));
  const std::pair<std::optional<double> GpuSample::*, QString> figures[] = {{&GpuSample::clock, tr("%1 MHz")},
                                                                            {&GpuSample::temperature, tr("%1 °C")},
                                                                            {&GpuSample::utilization, tr("%1 % used")}};
  for (const auto& [figure, words] : figures)
    if (const QString text = range_text(percent, figure); !text.isEmpty()) parts << QString(words).replace("%1", text);
  for (std::size_t i = 0; i < model_.readings().size(); ++i)
    if (const QString why = models::run::throttle_text(model_.readings()[i]); !why.isEmpty())
      held << tr("%1 held back: %2").arg(models::run::gpu_label(model_.gpus()[i]), why);
  const widgets::Theme& theme = widgets::Theme::of(palette());
  QString text = model_.gpus().size() == 1 ? tr("1 GPU") : tr("%1 GPUs").arg(model_.gpus().size());
  if (!parts.isEmpty()) text += QStringLiteral(" · ") + parts.join(QStringLiteral(" · "));
  text = text.toHtmlEscaped();
  if (!held.isEmpty())
    text += QStringLiteral(" · <span style='color:%1'>%2</span>")
                .arg(theme.warning.name(), held.join(QStringLiteral(" · ")).toHtmlEscaped());
  gpus_->setText(text);
  gpus_->setVisible(on && !model_.gpus().empty());
}

void View::draw_gpus(LiveChart& chart, const models::run::Model::Points& (models::run::Model::*points)(int) const) {
  const auto count = static_cast<int>(model_.gpus().size());
  QStringList names;
  for (const RunGpu& gpu : model_.gpus()) names << models::run::gpu_label(gpu);
  chart.set_series_names(names);
  chart.set_series_count(count);
  for (int gpu = 0; gpu < count; ++gpu) chart.set_points(gpu, (model_.*points)(gpu));
  std::vector<double> limits;
  for (const RunGpu& gpu : model_.gpus())
    if (const auto limit = &chart == power_ ? gpu.power_limit : gpu.max_clock) limits.push_back(*limit);
  if (limits.size() != model_.gpus().size()) limits.clear();
  if (!limits.empty() && std::ranges::count(limits, limits.front()) == std::ssize(limits))
    limits.erase(limits.begin() + 1, limits.end());
  chart.set_predictions(limits, &chart == power_ ? tr("dashed: limit") : tr("dashed: highest"));
}

/// Draws the memory that the run uses per device, and dotted the memory in use on the GPU by the driver's report.
void View::draw_memory() {
  const int devices = model_.devices();
  int sides = 0;
  QStringList names;
  for (int i = 0; i < devices; ++i) names << QStringLiteral("G%1").arg(i);
  std::vector<const models::run::Model::Points*> told;
  for (std::size_t i = 0; i < model_.gpus().size(); ++i) {
    names << tr("GPU of %1").arg(models::run::gpu_label(model_.gpus()[i]));
    told.push_back(&model_.gpu_memory(static_cast<int>(i)));
    sides += told.back()->empty() ? 0 : 1;
  }
  if (sides == 0) told.clear();
  memory_->set_side_series(sides > 0 ? devices : 0, sides > 0 ? tr("dotted: whole GPU") : QString());
  memory_->set_series_names(sides > 0 ? names : QStringList{});
  memory_->set_series_count(devices + static_cast<int>(told.size()));
  for (int i = 0; i < devices; ++i) memory_->set_points(i, model_.memory(i));
  for (std::size_t i = 0; i < told.size(); ++i) memory_->set_points(devices + static_cast<int>(i), *told[i]);
}

}  // namespace pipedeck::views::run
