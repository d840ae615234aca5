// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/run/launch_more.hpp"

#include <algorithm>

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QFormLayout>
#include <QLineEdit>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/views/run/wrapped_label.hpp"
#include "app/views/widgets/theme.hpp"
#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::views::run {

namespace {

constexpr int max_steps = 1'000'000'000;
constexpr double max_memory = 64.0 * 1024 * 1024;  // MiB
constexpr double max_seconds = 1e6;

template <class Box>
Box* number_field(const QString& name, double least, double most, const QString& unit, const QString& min_text) {
  auto* box = new Box;
  box->setObjectName(name);
  box->setRange(static_cast<decltype(box->value())>(least), static_cast<decltype(box->value())>(most));
  box->setGroupSeparatorShown(true);
  box->setSuffix(unit);
  box->setSpecialValueText(min_text);
  return box;
}

}  // namespace

LaunchMore::LaunchMore(QWidget* parent) : QWidget(parent), toggle_(new QToolButton), fields_(new QWidget) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(6);
  toggle_->setObjectName(QStringLiteral("run_more"));
  toggle_->setText(tr("More"));
  toggle_->setToolTip(tr("Checkpoints, several processes, timelines, limits"));
  toggle_->setCheckable(true);
  toggle_->setAutoRaise(true);
  toggle_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  column->addWidget(toggle_);
  auto* form = new QFormLayout(fields_);
  form->setContentsMargins(0, 0, 0, 0);
  form->setHorizontalSpacing(14);
  form->setVerticalSpacing(7);
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  make_checkpoint_rows(form);
  make_run_rows(form);
  column->addWidget(fields_);
  connect(toggle_, &QToolButton::toggled, this, &LaunchMore::set_open);
  set_open(false);
  set_settings({});
  apply_theme();
}

void LaunchMore::add_row(QFormLayout* form, const QString& name, QWidget* field, const QString& tip) {
  auto* label = new QLabel(name);
  label->setBuddy(field);
  label->setToolTip(tip);
  field->setToolTip(tip);
  names_ << label;
  form->addRow(label, field);
}

QWidget* LaunchMore::folder_row(QLineEdit*& edit, const QString& field, const QString& name) {
  auto* row = new QWidget;
  auto* line = new QHBoxLayout(row);
  line->setContentsMargins(0, 0, 0, 0);
  edit = new QLineEdit;
  edit->setObjectName(QStringLiteral("run_%1").arg(field));
  edit->setAccessibleName(name);
  edit->setMinimumWidth(60);
  auto* browse = new QToolButton;
  browse->setObjectName(QStringLiteral("run_%1_browse").arg(field));
  browse->setText(tr("Choose…"));
  browse->setToolTip(name);
  line->addWidget(edit, 1);
  line->addWidget(browse);
  connect(edit, &QLineEdit::textChanged, this, [this] {
    update_enabled();
    emit edited();
  });
  connect(browse, &QToolButton::clicked, this, [this, field] { emit folder_requested(field); });
  return row;
}

void LaunchMore::make_checkpoint_rows(QFormLayout* form) {
  auto* kept = folder_row(checkpoint_, QStringLiteral("checkpoint"), tr("Folder of the checkpoints"));
  checkpoint_->setPlaceholderText(tr("none are written"));
  add_row(form, tr("Checkpoints"), kept,
          tr("Folder for parameters and optimizer state, to resume after the last step or a stop"));
  every_ =
      number_field<QSpinBox>(QStringLiteral("run_checkpoint_every"), 0, max_steps, tr(" steps"), tr("only at the end"));
  add_row(form, tr("  every"), every_, tr("Steps between two checkpoints. Another one is written at the end"));
  keep_ = number_field<QSpinBox>(QStringLiteral("run_keep"), 0, max_steps, tr(" checkpoints"), tr("all"));
  add_row(form, tr("  keep"), keep_, tr("Number of checkpoints to keep: the last ones"));
  auto* from = folder_row(resume_, QStringLiteral("resume"), tr("Folder of the checkpoints to resume from"));
  resume_->setPlaceholderText(tr("from the beginning"));
  add_row(form, tr("Resume from"), from,
          tr("Folder of checkpoints of any plan of this model. The last complete one is used. Steps include the steps "
             "before it"));
  checkpoints_ = new WrappedLabel;
  checkpoints_->setObjectName(QStringLiteral("run_checkpoints"));
  checkpoints_->hide();
  form->addRow(checkpoints_);
  connect(resume_, &QLineEdit::textChanged, this, &LaunchMore::resume_changed);
}

void LaunchMore::make_run_rows(QFormLayout* form) {
  transport_ = new QComboBox;
  transport_->setObjectName(QStringLiteral("run_transport"));
  transport_->addItems({tr("threads of one process"), tr("several processes (mpirun)")});
  transport_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  transport_->setMinimumContentsLength(8);
  add_row(form, tr("Transport"), transport_, {});
  processes_ = number_field<QSpinBox>(QStringLiteral("run_processes"), 1, 2, tr(" processes"), {});
  add_row(form, tr("  of"), processes_, tr("Processes that mpirun starts. They share the plan's devices"));
  timelines_ =
      number_field<QSpinBox>(QStringLiteral("run_timeline_every"), 0, max_steps, tr(" steps"), tr("some twenty a run"));
  add_row(form, tr("Timelines"), timelines_, tr("Steps between two measured timelines"));
  memory_ = number_field<QDoubleSpinBox>(QStringLiteral("run_memory_limit"), 0, max_memory, tr(" MiB"), tr("no limit"));
  memory_->setDecimals(0);
  add_row(form, tr("Memory"), memory_,
          tr("Memory limit per device. A run that needs more fails and reports the device"));
  timeout_ = number_field<QDoubleSpinBox>(QStringLiteral("run_timeout"), 0.1, max_seconds, tr(" s"), {});
  timeout_->setDecimals(1);
  add_row(form, tr("Time-out"), timeout_, tr("Fail the run if no device makes progress for this long"));
  connect(transport_, &QComboBox::currentIndexChanged, this, &LaunchMore::update_enabled);
  connect(transport_, &QComboBox::currentIndexChanged, this, &LaunchMore::edited);
  for (QSpinBox* box : {every_, keep_, processes_, timelines_})
    connect(box, &QSpinBox::valueChanged, this, &LaunchMore::edited);
  for (QDoubleSpinBox* box : {memory_, timeout_})
    connect(box, &QDoubleSpinBox::valueChanged, this, &LaunchMore::edited);
}

void LaunchMore::set_open(bool on) {
  toggle_->setChecked(on);
  toggle_->setArrowType(on ? Qt::DownArrow : Qt::RightArrow);
  fields_->setVisible(on);
}

bool LaunchMore::is_open() const { return toggle_->isChecked(); }

void LaunchMore::set_settings(const LaunchMoreSettings& settings) {
  checkpoint_->setText(settings.checkpoint);
  every_->setValue(settings.checkpoint_every);
  keep_->setValue(settings.keep);
  resume_->setText(settings.resume);
  transport_->setCurrentIndex(settings.processes > 0 && one_process_reason_.isEmpty() ? 1 : 0);
  processes_->setMaximum(std::max(processes_->maximum(), settings.processes));
  processes_->setValue(std::max(settings.processes, 2));
  timelines_->setValue(settings.timeline_every);
  memory_->setValue(settings.memory_limit);
  timeout_->setValue(settings.timeout);
  if (settings != LaunchMoreSettings()) set_open(true);  // changed settings must be visible
  update_enabled();
}

LaunchMoreSettings LaunchMore::settings() const {
  LaunchMoreSettings settings;
  settings.checkpoint = checkpoint_->text().trimmed();
  settings.checkpoint_every = settings.checkpoint.isEmpty() ? 0 : every_->value();
  settings.keep = settings.checkpoint.isEmpty() ? LaunchMoreSettings().keep : keep_->value();
  settings.resume = resume_->text().trimmed();
  settings.processes = transport_->currentIndex() == 1 ? processes_->value() : 0;
  settings.timeline_every = timelines_->value();
  settings.memory_limit = memory_->value();
  settings.timeout = timeout_->value();
  return settings;
}

void LaunchMore::set_why_one_process(const QString& reason) {
  one_process_reason_ = reason;
  if (!reason.isEmpty()) transport_->setCurrentIndex(0);
  update_enabled();
}

void LaunchMore::set_most_processes(int devices) { processes_->setMaximum(std::max(1, devices)); }

void LaunchMore::set_checkpoints(const QString& words, bool problem) {
  checkpoints_problem_ = problem;
  checkpoints_->setText(words);
  checkpoints_->setVisible(!words.isEmpty());
  apply_theme();
}

void LaunchMore::set_folder(const QString& field, const QString& folder) {
  (field == QLatin1String("resume") ? resume_ : checkpoint_)->setText(folder);
}

void LaunchMore::set_editable(bool on) { fields_->setEnabled(on); }

void LaunchMore::update_enabled() {
  const bool kept = !checkpoint_->text().trimmed().isEmpty();
  every_->setEnabled(kept);
  keep_->setEnabled(kept);
  transport_->setEnabled(one_process_reason_.isEmpty());
  transport_->setToolTip(one_process_reason_.isEmpty()
                             ? tr("Run the devices as threads of one process, or as several processes joined by MPI")
                             : one_process_reason_);
  processes_->setEnabled(transport_->currentIndex() == 1);
}

void LaunchMore::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) apply_theme();
  QWidget::changeEvent(event);
}

void LaunchMore::apply_theme() {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  for (QLabel* name : names_) widgets::set_text_colour(*name, theme.muted);
  widgets::set_text_colour(*checkpoints_, checkpoints_problem_ ? theme.warning : theme.muted);
}

}  // namespace pipedeck::views::run
