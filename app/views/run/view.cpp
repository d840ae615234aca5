// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/run/view.hpp"

#include <algorithm>

#include <QComboBox>
#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QTimer>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "app/models/format.hpp"
#include "app/views/run/live_chart.hpp"
#include "app/views/widgets/theme.hpp"
#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::views::run {

namespace {

constexpr int refresh_milliseconds = 100;
constexpr int room_for_others = 2;  // times the duration of a refresh
constexpr double mebibyte = 1024.0 * 1024.0;

QString duration_text(Seconds time) {
  const auto seconds = static_cast<qint64>(time.count + 0.5);
  if (seconds < 60) return View::tr("%1 s").arg(seconds);
  if (seconds < 3600) return View::tr("%1 min %2 s").arg(seconds / 60).arg(seconds % 60);
  return View::tr("%1 h %2 min").arg(seconds / 3600).arg(seconds % 3600 / 60);
}

void fill_choices(QComboBox* box, const std::vector<LaunchChoice>& choices) {
  const QString before = box->currentText();
  const QSignalBlocker quiet(box);
  box->clear();
  for (const LaunchChoice& choice : choices) {
    box->addItem(choice.name, choice.id);
    const int row = box->count() - 1;
    box->setItemData(row, choice.unavailable_reason.isEmpty() ? choice.name : choice.unavailable_reason,
                     Qt::ToolTipRole);
  }
  box->setCurrentIndex(std::max(box->findText(before), choices.empty() ? -1 : 0));
}

/// A row of the history. Numbers sort numerically, rows without them last.
class RunItem : public QTreeWidgetItem {
 public:
  static constexpr int sort_role = Qt::UserRole + 2;
  using QTreeWidgetItem::QTreeWidgetItem;

  bool operator<(const QTreeWidgetItem& other) const override {
    const int column = treeWidget()->sortColumn();
    const QVariant mine = data(column, sort_role), theirs = other.data(column, sort_role);
    if (mine.isValid() != theirs.isValid())
      return mine.isValid() == (treeWidget()->header()->sortIndicatorOrder() == Qt::AscendingOrder);
    if (!mine.isValid()) return QString::localeAwareCompare(text(column), other.text(column)) < 0;
    return mine.toDouble() < theirs.toDouble();
  }
};

constexpr int figure_columns[] = {1, 2, 3, 4, 5};
constexpr int energy_column = 5;

/// Returns the prediction error as a fraction of the measured time.
/// Measured minus predicted time, of the predicted one: the one sign that all differences of runs have.
std::optional<double> error_of(const ListEntry& run) {
  if (!run.measured || !run.predicted || run.predicted->count <= 0) return std::nullopt;
  return run.measured->count / run.predicted->count - 1;
}

QString steps_text(const ListEntry& run) {
  const QLocale locale;
  if (run.steps <= 0) return QStringLiteral("–");
  if (!run.steps_done || *run.steps_done == run.steps) return locale.toString(run.steps);
  return View::tr("%1 of %2").arg(locale.toString(*run.steps_done), locale.toString(run.steps));
}

QTreeWidgetItem* run_item(const ListEntry& run) {
  const auto error = error_of(run);
  const QString none = QStringLiteral("–");
  auto* item = new RunItem({run.name, steps_text(run), run.measured ? models::format_time(*run.measured) : run.outcome,
                            run.predicted ? models::format_time(*run.predicted) : none,
                            error ? models::format_change(*error) : none,
                            run.energy ? models::format_energy(*run.energy) : none});
  item->setData(0, Qt::UserRole, run.id);
  item->setData(0, Qt::UserRole + 1, run.failed);
  item->setToolTip(0, run.tool_tip.isEmpty() ? run.name : run.tool_tip);
  item->setData(1, RunItem::sort_role, run.steps);
  if (run.predicted)
    item->setToolTip(3, View::tr("Predicted when the run began: on CPU threads with layer times measured there. The "
                                 "table of plans predicts with the times of the model's profile."));
  item->setToolTip(4, View::tr("Measured minus predicted time, relative to the predicted one"));
  if (run.measured) item->setData(2, RunItem::sort_role, run.measured->count);
  if (run.predicted) item->setData(3, RunItem::sort_role, run.predicted->count);
  if (error) item->setData(4, RunItem::sort_role, *error);
  if (run.energy) item->setData(energy_column, RunItem::sort_role, *run.energy);
  if (run.energy && run.energy_a_sample)
    item->setToolTip(energy_column,
                     View::tr("%1 Wh; %2 per sample, all GPUs together")
                         .arg(models::format_number(*run.energy / 3600), models::format_energy(*run.energy_a_sample)));
  for (const int column : figure_columns) item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
  return item;
}

}  // namespace

void View::set_plans(const std::vector<LaunchChoice>& plans) {
  plans_ = plans;
  fill_choices(plan_, plans);
  update_launchable();
}

void View::set_models(const std::vector<LaunchChoice>& models) {
  models_ = models;
  fill_choices(model_choice_, models);
  update_launchable();
}

void View::select_plan(int id) {
  if (const int row = plan_->findData(id); row >= 0) plan_->setCurrentIndex(row);
}

void View::set_model(const QString& name) {
  if (const int row = model_choice_->findText(name); row >= 0) model_choice_->setCurrentIndex(row);
}

void View::set_steps(int steps) { steps_->setValue(steps); }

LaunchRequest View::request() const {
  return {plan_->currentData().toInt(), model_choice_->currentText(), steps_->value(), options_->settings()};
}

void View::toggle_pause() { pause_->click(); }

void View::set_pausable(bool on) {
  pausable_ = on;
  update_launchable();
}

void View::set_trials(int most, const QString& why_not) {
  no_trials_reason_ = why_not;
  try_count_->setMaximum(std::max(2, most));
  update_launchable();
}

void View::set_trying(bool on, const QString& words) {
  trying_ = on;
  if (!on) stopping_ = false;
  trial_text_->setText(words);
  trial_text_->setVisible(!words.isEmpty());
  update_launchable();
}

void View::set_answer(const QString& words, bool problem) {
  problem_ = problem ? words : QString();
  options_->set_answer(words, problem);
  update_launchable();
}

/// Returns why the plan cannot be launched; empty if it can.
QString View::unavailable_reason() const {
  if (running_ || trying_) return {};
  const int plan = plan_->currentIndex(), model = model_choice_->currentIndex();
  if (plan < 0) return tr("There is no plan yet. Compare first.");
  if (const QString& reason = plans_[static_cast<std::size_t>(plan)].unavailable_reason; !reason.isEmpty())
    return reason;
  if (model < 0) return tr("No model can be trained here.");
  if (const QString& reason = models_[static_cast<std::size_t>(model)].unavailable_reason; !reason.isEmpty())
    return reason;
  return options_->incomplete();
}

void View::update_launchable() {
  const QString reason = unavailable_reason();
  launch_->setEnabled(!running_ && !trying_ && reason.isEmpty() && problem_.isEmpty());
  launch_->setToolTip(reason.isEmpty() ? tr("Train the model with this plan on this machine") : reason);
  stop_->setEnabled((running_ || trying_) && !stopping_);
  const bool paused = model_.state() == models::run::State::paused;
  pause_->setEnabled(pausable_ && running_ && !stopping_ && (paused || model_.state() == models::run::State::running));
  pause_->setText(paused ? tr("Resume") : tr("Pause"));
  const bool busy = running_ || trying_;
  try_->setEnabled(!busy && no_trials_reason_.isEmpty());
  try_->setToolTip(no_trials_reason_.isEmpty() ? tr("Train the best plans on this machine one after another, for the "
                                                    "number of steps above, and select the fastest")
                                               : no_trials_reason_);
  try_count_->setEnabled(try_->isEnabled());
  options_->set_editable(!busy);
  model_file_->setEnabled(!busy);
  stop_->setText(stopping_ ? tr("Stopping…") : tr("Stop"));
  unavailable_reason_->setText(reason);
  unavailable_reason_->setVisible(!reason.isEmpty());
  for (QWidget* field :
       {static_cast<QWidget*>(plan_), static_cast<QWidget*>(model_choice_), static_cast<QWidget*>(steps_)})
    field->setEnabled(!busy);
}

void View::begin(const QString& title) {
  model_.clear();
  log_->clear();
  differences_.clear();
  other_.clear();
  fill_differences();
  set_timeline_widget(nullptr);
  title_->setText(title);
}

void View::start_run(const QString& title) {
  begin(title);
  running_ = true;
  stopping_ = stopping_ && trying_;  // a stop between two trials also cancels the following ones
  update_launchable();
  refresh_now();
}

void View::append(const RunEvent& event) {
  for (const models::run::LogLine& line : model_.append(event)) log(line);
  if (std::holds_alternative<RunStarted>(event) || std::holds_alternative<RunPaused>(event) ||
      std::holds_alternative<RunResumed>(event))
    update_launchable();
  mark_stale();
}

void View::end_run() {
  running_ = false;
  if (!trying_) stopping_ = false;
  update_launchable();
  refresh_now();
}

void View::show_run(const QString& title, const std::vector<RunEvent>& events) {
  begin(title);
  running_ = stopping_ = false;
  for (const RunEvent& event : events)
    for (const models::run::LogLine& line : model_.append(event)) log(line);
  update_launchable();
  refresh_now();
}

void View::mark_stale() {
  stale_ = true;
  if (!refresh_->isActive()) refresh_->start(refresh_milliseconds);
}

/// Refreshes one chart per turn of the event loop, so that the window stays responsive.
void View::refresh_next() {
  if (next_chart_ == 0) {
    stale_ = false;
    refreshing_.start();
    update_progress();
  }
  update_chart(*charts()[next_chart_]);
  next_chart_ = (next_chart_ + 1) % charts().size();
  if (next_chart_ > 0) return refresh_->start(0);
  const auto room = static_cast<int>(refreshing_.elapsed()) * room_for_others;
  if (stale_) refresh_->start(std::max(refresh_milliseconds, room));
}

void View::refresh_now() {
  refresh_->stop();
  next_chart_ = 0;
  stale_ = false;
  update_progress();
  for (LiveChart* chart : charts()) update_chart(*chart);
}

QString View::progress_text() const {
  const QLocale locale;
  const QString done = tr("step %1 of %2").arg(locale.toString(model_.steps_done()), locale.toString(model_.steps()));
  const double rate = model_.mean_samples_per_second();
  QString measured = rate > 0 ? tr("%1 samples/s").arg(models::format_number(rate)) : QString();
  if (rate > 0 && prediction_.samples_per_second > 0)
    measured +=
        tr(" (time %1 against predicted)").arg(models::format_change(prediction_.samples_per_second / rate - 1));
  if (const auto each = model_.energy_a_sample())
    measured += tr("· %1, %2 per sample").arg(models::format_energy(*model_.energy()), models::format_energy(*each));
  switch (model_.state()) {
    case models::run::State::idle:
      return running_ ? tr("Starting…") : tr("Nothing launched yet");
    case models::run::State::starting:
      return tr("Starting…");
    case models::run::State::running:
      if (const auto left = model_.time_left()) return tr("%1 · %2 left").arg(done, duration_text(*left));
      return done;
    case models::run::State::paused:
      return tr("paused at %1").arg(done);
    case models::run::State::finished:
      return measured.isEmpty() ? tr("finished") : tr("finished · %1").arg(measured);
    case models::run::State::stopped:
      return tr("stopped at %1 · %2").arg(done, measured);
    case models::run::State::failed:
      return tr("failed at step %1: %2").arg(model_.steps_done() + 1).arg(model_.failure());
  }
  return done;
}

void View::update_progress() {
  progress_text_->setText(progress_text());
  progress_->setRange(0, std::max(model_.steps(), 1));
  progress_->setValue(model_.steps_done());
  update_gpus();
  const widgets::Theme& theme = widgets::Theme::of(palette());
  widgets::set_text_colour(*progress_text_, model_.state() == models::run::State::failed ? theme.bad : theme.text);
}

void View::draw_runs(LiveChart& chart, const models::run::Model::Points& shown,
                     const models::run::Model::Points& other) {
  chart.set_series_names(comparing() ? QStringList{tr("this run"), other_title_} : QStringList{});
  chart.set_series_count(comparing() ? 2 : 1);
  chart.set_points(0, shown);
  if (comparing()) chart.set_points(1, other);
}

void View::set_other(const QString& title, const std::vector<RunEvent>& events,
                     const std::vector<Difference>& differences) {
  other_.clear();
  other_title_ = title;
  for (const RunEvent& event : events) other_.append(event);
  set_differences(differences);
  refresh_now();
}

void View::draw_devices(LiveChart& chart, const models::run::Model::Points& (models::run::Model::*points)(int) const) {
  chart.set_series_count(model_.devices());
  for (int device = 0; device < model_.devices(); ++device) chart.set_points(device, (model_.*points)(device));
}

void View::update_chart(LiveChart& chart) {
  const auto chosen = static_cast<models::run::Axis>(axis_->currentIndex());
  if (&chart == throughput_) draw_runs(chart, model_.throughput(chosen), other_.throughput(chosen));
  if (&chart == loss_) draw_runs(chart, model_.loss(chosen), other_.loss(chosen));
  if (&chart == busy_) draw_devices(chart, &models::run::Model::busy);
  if (&chart == memory_) draw_memory();
  if (&chart == power_) draw_gpus(chart, &models::run::Model::power);
  if (&chart == clock_) draw_gpus(chart, &models::run::Model::clock);
  const bool of_devices = &chart != throughput_ && &chart != loss_;
  const models::run::Axis over =
      of_devices ? (model_.sampled() ? models::run::Axis::time : models::run::Axis::step) : chosen;
  const int steps = of_devices ? model_.steps() : std::max(model_.steps(), other_.steps());
  chart.set_axis(over == models::run::Axis::step ? steps : 0, over == models::run::Axis::time);
  chart.fit();
}

void View::set_prediction(const Prediction& prediction) {
  prediction_ = prediction;
  update_predictions();
  update_progress();
}

void View::update_predictions() {
  const Prediction& p = prediction_;
  throughput_->set_predictions(
      p.samples_per_second > 0 ? std::vector<double>{p.samples_per_second} : std::vector<double>{},
      tr("predicted %1").arg(models::format_number(p.samples_per_second)));
  busy_->set_predictions(p.busy, tr("dashed: predicted"));
  std::vector<double> peaks;
  for (Bytes bytes : p.memory) peaks.push_back(static_cast<double>(bytes.count) / mebibyte);
  memory_->set_predictions(peaks, tr("dashed: predicted peak"));
}

void View::set_differences(const std::vector<Difference>& differences) {
  differences_ = differences;
  fill_differences();
}

void View::fill_differences() {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  difference_table_->clear();
  difference_summary_->clear();
  difference_table_->headerItem()->setText(1, comparing() ? tr("Other") : tr("Predicted"));
  difference_table_->headerItem()->setText(2, comparing() ? tr("This") : tr("Measured"));
  for (const Difference& difference : differences_) {
    const auto figure = [](Seconds time) { return time.count > 0 ? models::format_time(time) : QStringLiteral("–"); };
    auto* item = new QTreeWidgetItem({difference.kind, figure(difference.predicted), figure(difference.measured)});
    for (int column : {1, 2}) item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    item->setForeground(1, theme.muted);
    for (int column : {0, 1, 2})
      if (difference.total) item->setFont(column, widgets::title_font(font()));
    difference_table_->addTopLevelItem(item);
    if (difference.total && difference.predicted.count > 0)
      difference_summary_->setText(
          (comparing() ? tr("this run %1 versus the other") : tr("measured %1 against predicted"))
              .arg(models::format_change(difference.measured.count / difference.predicted.count - 1)));
  }
  if (differences_.empty()) difference_summary_->setText(tr("Shown once a run has measured its operations"));
  const bool any = !differences_.empty();
  difference_table_->setVisible(any);
  if (!any) return;
  const int row = difference_table_->sizeHintForRow(0);
  difference_table_->setFixedHeight(row * static_cast<int>(differences_.size()) +
                                    difference_table_->header()->sizeHint().height() + 4);
}

void View::set_runs(const std::vector<ListEntry>& runs) {
  const QSignalBlocker quiet(runs_);
  runs_->setColumnHidden(energy_column,
                         std::ranges::none_of(runs, [](const ListEntry& run) { return run.energy.has_value(); }));
  const int before = runs_->currentItem() ? runs_->currentItem()->data(0, Qt::UserRole).toInt() : -1;
  const widgets::Theme& theme = widgets::Theme::of(palette());
  runs_->clear();
  for (const ListEntry& run : runs) {
    auto* item = run_item(run);
    for (const int column : figure_columns) item->setForeground(column, theme.muted);
    if (run.failed) item->setForeground(0, theme.bad);
    runs_->addTopLevelItem(item);
    if (run.id == before) runs_->setCurrentItem(item);
  }
}

void View::select_run(int id) {
  const QSignalBlocker quiet(runs_);
  for (int row = 0; row < runs_->topLevelItemCount(); ++row)
    if (runs_->topLevelItem(row)->data(0, Qt::UserRole).toInt() == id) runs_->setCurrentItem(runs_->topLevelItem(row));
}

void View::set_timeline_widget(QWidget* widget, const QString& heading) {
  delete timeline_widget_;
  timeline_widget_ = widget;
  if (widget) timeline_slot_->addWidget(widget);
  timeline_empty_->setVisible(!widget);
  set_timeline_heading(heading);
}

void View::set_timeline_heading(const QString& heading) {
  timeline_heading_->setText(heading.isEmpty() ? tr("MEASURED OVER PREDICTED") : heading);
}

void View::log(const models::run::LogLine& line) {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  // Plain lines have no colour of their own, so that they stay readable when the appearance changes.
  QString html = line.text.toHtmlEscaped();
  if (line.level != models::run::LogLine::note)
    html = QStringLiteral("<span style='color:%1'>%2</span>")
               .arg((line.level == models::run::LogLine::error ? theme.bad : theme.warning).name(), html);
  log_->appendHtml(html);
}

void View::changeEvent(QEvent* event) {
  if ((event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) && log_) apply_theme();
  QWidget::changeEvent(event);
}

void View::apply_theme() {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  widgets::set_ground(*panel_, theme.panel);
  launch_->setStyleSheet(widgets::primary_button_style(theme));
  stop_->setStyleSheet(widgets::danger_button_style(theme));
  pause_->setStyleSheet(widgets::plain_button_style(theme));
  for (QLabel* heading : headings_)
    heading->setFont(widgets::section_font(font())), widgets::set_text_colour(*heading, theme.muted);
  for (QLabel* label : field_names_) widgets::set_text_colour(*label, theme.muted);
  try_->setStyleSheet(widgets::plain_button_style(theme));
  widgets::set_text_colour(*trial_text_, theme.text);
  widgets::set_text_colour(*unavailable_reason_, theme.warning);
  widgets::set_text_colour(*difference_summary_, theme.muted);
  widgets::set_text_colour(*timeline_empty_, theme.muted);
  title_->setFont(widgets::title_font(font()));
  widgets::set_text_colour(*title_, theme.text);
  gpus_->setFont(widgets::caption_font(font()));
  widgets::set_text_colour(*gpus_, theme.muted);
  progress_->setStyleSheet(QStringLiteral("QProgressBar { background: %1; border: none; border-radius: 4px; "
                                          "}QProgressBar::chunk { background: %2; border-radius: 4px; }")
                               .arg(theme.raised.name(), theme.accent.name()));
  for (LiveChart* chart : charts()) chart->apply_theme(theme);
  fill_differences();
  for (int row = 0; row < runs_->topLevelItemCount(); ++row) {
    QTreeWidgetItem* item = runs_->topLevelItem(row);
    for (const int column : figure_columns) item->setForeground(column, theme.muted);
    item->setForeground(0, item->data(0, Qt::UserRole + 1).toBool() ? theme.bad : theme.text);
  }
  update_progress();
}

}  // namespace pipedeck::views::run
