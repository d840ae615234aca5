// SPDX-License-Identifier: GPL-3.0-or-later
// Layout of the run view; view.cpp has its behaviour.
#include <QComboBox>
#include <QFormLayout>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QSplitter>
#include <QTimer>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "app/views/run/live_chart.hpp"
#include "app/views/run/view.hpp"
#include "app/views/run/wrapped_label.hpp"
#include "app/views/widgets/table_style.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::run {

namespace {

constexpr int panel_width = 340;
constexpr int log_lines = 5000;

QTreeWidget* muted_list(const QString& name, const QStringList& header) {
  auto* list = new QTreeWidget;
  list->setObjectName(name);
  list->setColumnCount(static_cast<int>(header.size()));
  list->setHeaderLabels(header);
  list->setHeader(new widgets::FlatHeader(Qt::Horizontal, list));
  list->setItemDelegate(new widgets::FlatDelegate(list));
  list->setRootIsDecorated(false);
  list->setUniformRowHeights(true);
  list->setFrameShape(QFrame::NoFrame);
  list->setIndentation(0);
  list->setEditTriggers(QAbstractItemView::NoEditTriggers);
  list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list->header()->setStretchLastSection(false);
  list->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  return list;
}

}  // namespace

View::View(QWidget* parent) : QWidget(parent), refresh_(new QTimer(this)) {
  setObjectName(QStringLiteral("run_view"));
  refresh_->setSingleShot(true);
  connect(refresh_, &QTimer::timeout, this, &View::refresh_next);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  row->addWidget(make_launch_panel());
  row->addWidget(make_pictures(), 1);
  connect_launch();
  set_timeline_widget(nullptr);
  apply_theme();
  update_launchable();
  refresh_now();
}

QWidget* View::make_launch_panel() {
  auto* scroll = new QScrollArea(this);
  panel_ = new QWidget(scroll->viewport());
  auto* column = new QVBoxLayout(panel_);
  column->setContentsMargins(widgets::ThemeSizes::margin, 12, widgets::ThemeSizes::margin, 12);
  column->setSpacing(6);
  make_launch_form(column);
  make_progress(column);
  make_trials(column);
  make_tables(column);
  scroll->setObjectName(QStringLiteral("run_panel"));
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(panel_);
  scroll->setFixedWidth(panel_width);
  return scroll;
}

void View::make_launch_form(QVBoxLayout* column) {
  headings_ << new QLabel(tr("LAUNCH"));
  column->addWidget(headings_.back());
  plan_ = new QComboBox;
  plan_->setObjectName(QStringLiteral("run_plan"));
  model_choice_ = new QComboBox;
  model_choice_->setObjectName(QStringLiteral("run_model"));
  steps_ = new QSpinBox;
  steps_->setObjectName(QStringLiteral("run_steps"));
  steps_->setRange(1, 10'000'000);
  steps_->setValue(200);
  steps_->setGroupSeparatorShown(true);
  steps_->setToolTip(tr("Iterations to train, one global batch each"));
  for (QComboBox* box : {plan_, model_choice_}) {
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(8);
  }
  model_file_ = new QToolButton;
  model_file_->setObjectName(QStringLiteral("run_model_file"));
  model_file_->setText(tr("File…"));
  model_file_->setToolTip(tr("Train another model with the same number of layers: choose its file (*.model.json)"));
  auto* model_row = new QWidget;
  auto* model_line = new QHBoxLayout(model_row);
  model_line->setContentsMargins(0, 0, 0, 0);
  model_line->addWidget(model_choice_, 1);
  model_line->addWidget(model_file_);
  auto* form = new QFormLayout;
  form->setHorizontalSpacing(14);
  form->setVerticalSpacing(7);
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  const std::pair<QString, QWidget*> fields[] = {
      {tr("&Plan"), plan_}, {tr("&Model"), model_row}, {tr("&Steps"), steps_}};
  for (const auto& [name, field] : fields) {
    auto* label = new QLabel(name);
    label->setBuddy(field == model_row ? model_choice_ : field);
    field_names_ << label;
    form->addRow(label, field);
  }
  options_ = new LaunchOptions(form, panel_);
  field_names_ << options_->field_names();
  column->addLayout(form);
  column->addWidget(options_->launch_devices().offers());
  unavailable_reason_ = new WrappedLabel;
  unavailable_reason_->setObjectName(QStringLiteral("run_why_not"));
  column->addWidget(unavailable_reason_);
}

void View::make_progress(QVBoxLayout* column) {
  launch_ = new QPushButton(tr("&Launch"));
  launch_->setObjectName(QStringLiteral("run_launch"));
  pause_ = new QPushButton(tr("Pause"));
  pause_->setObjectName(QStringLiteral("run_pause"));
  pause_->setToolTip(tr("Pause after the current step. Nothing is lost"));
  stop_ = new QPushButton(tr("Stop"));
  stop_->setObjectName(QStringLiteral("run_stop"));
  stop_->setToolTip(tr("Stop after the current step"));
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(6);
  buttons->addWidget(launch_, 1);
  buttons->addWidget(pause_, 1);
  buttons->addWidget(stop_, 1);
  column->addSpacing(4);
  column->addLayout(buttons);
  progress_text_ = new WrappedLabel;
  progress_text_->setObjectName(QStringLiteral("run_progress_text"));
  progress_text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  progress_ = new QProgressBar;
  progress_->setObjectName(QStringLiteral("run_progress"));
  progress_->setAccessibleName(tr("Progress of the run"));
  progress_->setTextVisible(false);
  progress_->setFixedHeight(8);
  column->addSpacing(4);
  column->addWidget(progress_text_);
  column->addWidget(progress_);
}

void View::make_trials(QVBoxLayout* column) {
  try_count_ = new QSpinBox;
  try_count_->setObjectName(QStringLiteral("run_trial_count"));
  try_count_->setRange(2, 2);
  try_count_->setValue(2);
  try_count_->setAccessibleName(tr("Number of the best plans to try"));
  try_count_->setPrefix(tr("best ", "of plans, before their number"));
  try_ = new QPushButton(tr("Try on this machine"));
  try_->setObjectName(QStringLiteral("run_trials"));
  auto* row = new QHBoxLayout;
  row->setSpacing(6);
  row->addWidget(try_count_);
  row->addWidget(try_, 1);
  column->addSpacing(4);
  column->addLayout(row);
  trial_text_ = new WrappedLabel;
  trial_text_->setObjectName(QStringLiteral("run_trial_words"));
  trial_text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  trial_text_->hide();
  column->addWidget(trial_text_);
  connect(try_, &QPushButton::clicked, this, [this] { emit trials_requested(try_count_->value()); });
}

void View::make_tables(QVBoxLayout* column) {
  headings_ << new QLabel(tr("PREDICTED AGAINST MEASURED"));
  column->addSpacing(12);
  column->addWidget(headings_.back());
  difference_table_ = muted_list(QStringLiteral("run_differences"), {tr("Step"), tr("Predicted"), tr("Measured")});
  for (int column : {1, 2})
    difference_table_->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
  difference_table_->setSelectionMode(QAbstractItemView::NoSelection);
  difference_table_->setFocusPolicy(Qt::NoFocus);
  difference_table_->setAccessibleName(tr("Predicted against measured"));
  difference_table_->setToolTip(tr("Time of each kind of operation in a step, the mean of the devices"));
  column->addWidget(difference_table_);
  difference_summary_ = new WrappedLabel;
  difference_summary_->setObjectName(QStringLiteral("run_difference_summary"));
  column->addWidget(difference_summary_);
  column->addStretch(1);
}

QWidget* View::make_history() {
  runs_ = muted_list(QStringLiteral("run_list"),
                     {tr("Run"), tr("Steps"), tr("Measured"), tr("Predicted"), tr("Difference"), tr("Energy")});
  for (int column : {1, 2, 3, 4, 5}) runs_->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
  runs_->headerItem()->setToolTip(2, tr("Time per step, from the run's throughput"));
  runs_->headerItem()->setToolTip(
      3, tr("Predicted time per step, with the measurements right before the run. On GPUs, the planned time"));
  runs_->headerItem()->setToolTip(4, tr("Predicted against measured"));
  runs_->headerItem()->setToolTip(5, tr("Energy of the run's GPUs, from the driver's counters"));
  runs_->setColumnHidden(5, true);
  runs_->setAccessibleName(tr("Runs"));
  runs_->setMinimumHeight(90);
  runs_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  runs_->setToolTip(tr("Ctrl+click a second run to compare the two. During a run, one click is enough"));
  runs_->sortByColumn(-1, Qt::AscendingOrder);  // newest first, until a header is clicked
  runs_->setSortingEnabled(true);
  return runs_;
}

QWidget* View::make_pictures() {
  throughput_ = new LiveChart(QStringLiteral("chart_throughput"), tr("Throughput"), tr("samples/s"));
  loss_ = new LiveChart(QStringLiteral("chart_loss"), tr("Loss"), tr("cross-entropy"));
  busy_ = new LiveChart(QStringLiteral("chart_busy"), tr("Busy"), tr("share of time"));
  memory_ = new LiveChart(QStringLiteral("chart_memory"), tr("Memory"), tr("MiB"));
  power_ = new LiveChart(QStringLiteral("chart_power"), tr("Power"), tr("W", "watts"));
  clock_ = new LiveChart(QStringLiteral("chart_clock"), tr("Clock"), tr("MHz"));
  power_->set_empty_text(tr("The driver does not report the GPUs' power."));
  clock_->set_empty_text(tr("The driver does not report the GPUs' clocks."));
  busy_->set_least_range(0, 1);
  auto* charts = grid_ = new QGridLayout;
  charts->setHorizontalSpacing(28);
  charts->setVerticalSpacing(12);
  charts->addWidget(throughput_, 0, 0);
  charts->addWidget(loss_, 0, 1);
  charts->addWidget(busy_, 1, 0);
  charts->addWidget(memory_, 1, 1);
  charts->addWidget(power_, 0, 2);
  charts->addWidget(clock_, 1, 2);
  charts->setRowStretch(0, 5);
  charts->setRowStretch(1, 4);
  charts->setColumnStretch(0, 1);
  charts->setColumnStretch(1, 1);

  title_ = new QLabel;
  title_->setObjectName(QStringLiteral("run_title"));
  title_->setWordWrap(true);  // names of plans are long
  title_->setText(tr("No run yet"));
  timeline_heading_ = new QLabel;
  timeline_empty_ = new QLabel(tr("The measured timeline appears here when a run sends one."));
  timeline_empty_->setAlignment(Qt::AlignCenter);
  timeline_slot_ = new QVBoxLayout;
  timeline_slot_->addWidget(timeline_empty_, 1);
  log_ = new QPlainTextEdit;
  log_->setObjectName(QStringLiteral("run_log"));
  log_->setAccessibleName(tr("Log of the run"));
  log_->setReadOnly(true);
  log_->setTabChangesFocus(true);
  log_->setMaximumBlockCount(log_lines);
  log_->setFrameShape(QFrame::NoFrame);
  log_->setMinimumHeight(60);
  log_->document()->setDocumentMargin(8);
  auto* log_heading = new QLabel(tr("LOG"));
  auto* runs_heading = new QLabel(tr("RUNS"));
  headings_ << timeline_heading_ << log_heading << runs_heading;
  auto* bottom = new QGridLayout;
  bottom->setHorizontalSpacing(28);
  bottom->setVerticalSpacing(6);
  bottom->addWidget(runs_heading, 0, 0);
  bottom->addWidget(log_heading, 0, 1);
  bottom->addWidget(make_history(), 1, 0);
  bottom->addWidget(log_, 1, 1);
  bottom->setColumnStretch(0, 2);  // names next to four columns of numbers
  bottom->setColumnStretch(1, 1);

  auto* scroll = new QScrollArea(this);  // a timeline of many lanes must not make the window larger than a small screen
  auto* right = new QWidget(scroll->viewport());
  right->setObjectName(QStringLiteral("run_charts"));
  auto* column = new QVBoxLayout(right);
  column->setContentsMargins(16, 10, 16, 12);
  column->setSpacing(6);
  axis_ = new QComboBox;
  axis_->setObjectName(QStringLiteral("run_axis"));
  axis_->setAccessibleName(tr("Horizontal axis of throughput and loss"));
  axis_->setToolTip(tr("Throughput and loss over steps, or over seconds of training"));
  axis_->addItems({tr("by step"), tr("by time")});
  auto* head = new QHBoxLayout;
  head->addWidget(title_, 1);
  head->addWidget(axis_);
  gpus_ = new QLabel;
  gpus_->setObjectName(QStringLiteral("run_gpus"));
  gpus_->setTextFormat(Qt::RichText);
  gpus_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  gpus_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  gpus_->setToolTip(tr("Current state of the GPUs of this run, from the driver"));
  gpus_->hide();
  column->addLayout(head);
  column->addWidget(gpus_);
  column->addSpacing(2);
  column->addLayout(charts, 8);
  column->addSpacing(4);
  column->addWidget(timeline_heading_);
  column->addLayout(timeline_slot_, 4);
  column->addLayout(bottom, 2);
  scroll->setObjectName(QStringLiteral("run_charts_scroll"));
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setWidget(right);
  return scroll;
}

void View::connect_launch() {
  connect(plan_, &QComboBox::currentIndexChanged, this, [this] {
    update_launchable();
    emit plan_chosen(plan_->currentData().toInt());
  });
  connect(model_choice_, &QComboBox::currentIndexChanged, this, &View::update_launchable);
  connect(axis_, &QComboBox::currentIndexChanged, this, &View::refresh_now);
  connect(options_, &LaunchOptions::changed, this, [this] {
    problem_.clear();
    update_launchable();
    emit request_changed();
  });
  connect(steps_, &QSpinBox::valueChanged, this, &View::request_changed);
  connect(model_choice_, &QComboBox::currentIndexChanged, this, &View::request_changed);
  connect(model_file_, &QToolButton::clicked, this, &View::model_file_requested);
  connect(pause_, &QPushButton::clicked, this,
          [this] { emit pause_requested(model_.state() != models::run::State::paused); });
  connect(launch_, &QPushButton::clicked, this, [this] { emit launch_requested(request()); });
  connect(stop_, &QPushButton::clicked, this, [this] {
    stopping_ = true;
    update_launchable();
    emit stop_requested();
  });
  connect(runs_, &QTreeWidget::itemSelectionChanged, this, [this] {
    const auto selected = runs_->selectedItems();
    const auto id = [&](qsizetype i) { return selected[i]->data(0, Qt::UserRole).toInt(); };
    if (selected.size() == 1) emit run_selected(id(0));
    if (selected.size() == 2) emit runs_compared(id(0), id(1));
  });
}

}  // namespace pipedeck::views::run
