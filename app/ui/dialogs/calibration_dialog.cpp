// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/dialogs/calibration_dialog.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <QComboBox>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

#include "app/models/format.hpp"
#include "app/session/work/count_text.hpp"
#include "app/text/in_qt.hpp"
#include "app/ui/layout/dialog_size.hpp"
#include "app/views/widgets/table_style.hpp"
#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::ui::dialogs {

namespace {

enum RunColumn {
  run_column,
  use_column,
  measured_column,
  before_column,
  after_column,
  error_before_column,
  error_after_column,
  run_columns
};
/// The uses of a run, in the order of its box.
enum RunChoice { fit_choice, hold_out_choice, leave_choice };
enum FigureColumn {
  name_column,
  from_column,
  to_column,
  operations_column,
  quartiles_column,
  note_column,
  figure_columns
};

QTableWidget* make_table(const QStringList& header, const char* name, const QString& accessible) {
  auto* table = new QTableWidget(0, static_cast<int>(header.size()));
  table->setObjectName(QLatin1String(name));
  table->setAccessibleName(accessible);
  table->setHorizontalHeaderLabels(header);
  views::widgets::make_flat(*table);
  table->setItemDelegate(new views::widgets::FlatDelegate(table));
  for (int column = 0; column < table->columnCount(); ++column) {
    const auto side = column == 0 ? Qt::AlignLeft : Qt::AlignRight;
    table->horizontalHeaderItem(column)->setTextAlignment(side | Qt::AlignVCenter);
  }
  return table;
}

QTableWidgetItem* cell(const QString& text, bool left = false) {
  auto* item = new QTableWidgetItem(text);
  item->setTextAlignment((left ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  return item;
}

QString plain(double value) { return models::decimal(value, 3); }
/// Returns a signed time: quartiles of an overhead may be below 0.
QString overhead_text(double seconds) {
  const QString size = models::format_time(Seconds(std::abs(seconds)));
  return seconds < 0 ? QStringLiteral("−") + size : size;
}

QString mean_text(const MeanErrors& mean, const QString& which) {
  return CalibrationDialog::tr("Mean error of %1 %2: %3 before, %4 after.")
      .arg(session::work::format_count(mean.runs, CalibrationDialog::tr("run"), CalibrationDialog::tr("runs")), which,
           models::format_percent(mean.before), models::format_percent(mean.after));
}

QString summary_of(const CalibrationRecord& record) {
  QStringList lines;
  if (const auto fitted = mean_errors(record, false)) lines << mean_text(*fitted, CalibrationDialog::tr("fitted from"));
  if (const auto held = mean_errors(record, true)) {
    const bool in_turn = record.runs.front().use == RunUse::cross_validation;
    lines << mean_text(*held, in_turn ? CalibrationDialog::tr("left out in turn, each predicted by a fit to the others")
                                      : CalibrationDialog::tr("held out"));
  } else {
    lines << CalibrationDialog::tr("No run was held out, so these errors do not apply to other runs.");
  }
  return lines.join(QLatin1Char('\n'));
}

}  // namespace

QString calibration_origin(const CalibrationRecord& record) {
  const QString date = text::to_qstring(record.date).left(16).replace(QLatin1Char('T'), QLatin1Char(' '));
  return QStringLiteral("%1, %2").arg(date, text::to_qstring(record.host));
}

QString calibration_text(const CalibrationRecord& record) {
  return CalibrationDialog::tr("%1: overhead %2, slow-down %3, link efficiency %4")
      .arg(calibration_origin(record), overhead_text(record.values.operation_overhead.count),
           plain(record.values.overlap_slowdown), plain(record.values.link_efficiency));
}

CalibrationDialog::CalibrationDialog(session::Session& session, const Dialogs& dialogs, QWidget* parent)
    : QDialog(parent), session_(session), dialogs_(dialogs) {
  setWindowTitle(tr("Calibrate from runs"));
  setObjectName(QStringLiteral("calibration_dialog"));
  layout::resize_within_window(*this, {1040, 560});
  auto* column = new QVBoxLayout(this);
  column->setSpacing(views::widgets::ThemeSizes::grid);
  hint_ = new QLabel;
  hint_->setObjectName(QStringLiteral("calibration_hint"));
  hint_->setWordWrap(true);
  column->addWidget(hint_);
  make_tables();
  column->addWidget(runs_, 1);
  column->addWidget(figures_);
  summary_ = new QLabel;
  summary_->setObjectName(QStringLiteral("calibration_summary"));
  summary_->setWordWrap(true);
  column->addWidget(summary_);
  make_buttons();
  connect(&session_, &session::Session::calibration_fitted, this, &CalibrationDialog::show_record);
  connect(&session_, &session::Session::state_changed, this, &CalibrationDialog::list_runs);
  connect(&session_.jobs(), &session::work::Jobs::ended, this, &CalibrationDialog::update_buttons);
  list_runs();
  if (const auto& record = session_.state().calibration.record) {
    record_ = record;
    show_figures(*record);
    summary_->setText(tr("The project's calibration: %1.\n%2").arg(calibration_text(*record), summary_of(*record)));
  }
  update_buttons();
}

void CalibrationDialog::make_tables() {
  runs_ = make_table(
      {tr("Run"), tr("Use"), tr("Measured"), tr("Before"), tr("After"), tr("Error before"), tr("Error after")},
      "calibration_runs", tr("Runs"));
  figures_ = make_table({tr("Figure"), tr("From"), tr("To"), tr("Operations"), tr("Quartiles"), QString()},
                        "calibration_figures", tr("Figures"));
  runs_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  runs_->horizontalHeader()->setSectionResizeMode(run_column, QHeaderView::Stretch);
  figures_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  figures_->horizontalHeader()->setSectionResizeMode(note_column, QHeaderView::Stretch);
  figures_->horizontalHeaderItem(note_column)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  runs_->horizontalHeaderItem(use_column)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  const int box_height = QComboBox().sizeHint().height() + views::widgets::ThemeSizes::grid / 2;
  runs_->verticalHeader()->setDefaultSectionSize(std::max(runs_->verticalHeader()->defaultSectionSize(), box_height));
  figures_->setFixedHeight(figures_->verticalHeader()->defaultSectionSize() * 4 + views::widgets::ThemeSizes::grid);
}

void CalibrationDialog::make_buttons() {
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  fit_ = buttons->addButton(tr("Fit"), QDialogButtonBox::ActionRole);
  use_ = buttons->addButton(tr("Use this calibration"), QDialogButtonBox::ActionRole);
  save_ = buttons->addButton(tr("Save as…"), QDialogButtonBox::ActionRole);
  fit_->setObjectName(QStringLiteral("calibration_fit"));
  use_->setObjectName(QStringLiteral("calibration_use"));
  save_->setObjectName(QStringLiteral("calibration_save"));
  fit_->setDefault(true);
  connect(fit_, &QPushButton::clicked, this, &CalibrationDialog::fit);
  connect(use_, &QPushButton::clicked, this, [this] {
    session_.use_calibration(record_);
    update_buttons();
  });
  connect(save_, &QPushButton::clicked, this, &CalibrationDialog::save);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  layout()->addWidget(buttons);
}

QComboBox* CalibrationDialog::box(int row) const {
  return qobject_cast<QComboBox*>(runs_->cellWidget(row, use_column));
}

QComboBox* CalibrationDialog::make_box(const QString& run, int choice) {
  auto* box = new QComboBox;
  box->addItems({tr("Fit"), tr("Hold out"), tr("Leave out")});
  box->setCurrentIndex(choice);
  box->setAccessibleName(tr("Use of %1").arg(run));
  connect(box, &QComboBox::currentIndexChanged, this, [this] {
    clear_errors();
    update_buttons();
  });
  return box;
}

/// Lists the runs. Choices for existing runs stay.
void CalibrationDialog::list_runs() {
  std::map<int, int> chosen;
  for (int row = 0; row < runs_->rowCount(); ++row)
    chosen[runs_->item(row, run_column)->data(Qt::UserRole).toInt()] =
        box(row) ? box(row)->currentIndex() : leave_choice;
  const std::vector<session::runs::CalibrationRun> runs = session_.calibration_runs();
  const bool same =
      chosen.size() == runs.size() &&
      std::ranges::all_of(runs, [&](const session::runs::CalibrationRun& run) { return chosen.contains(run.run); });
  if (same && !runs.empty()) {
    update_buttons();
    return;
  }
  runs_->clearSpans();
  runs_->setRowCount(0);
  runs_->setRowCount(static_cast<int>(runs.size()));
  for (int row = 0; row < runs_->rowCount(); ++row) {
    const session::runs::CalibrationRun& run = runs[static_cast<std::size_t>(row)];
    auto* name = cell(run.name, true);
    name->setData(Qt::UserRole, run.run);
    name->setToolTip(run.name);
    runs_->setItem(row, run_column, name);
    if (run.unusable_reason.isEmpty()) {
      runs_->setCellWidget(row, use_column,
                           make_box(run.name, chosen.contains(run.run) ? chosen[run.run] : fit_choice));
      continue;
    }
    runs_->setSpan(row, use_column, 1, run_columns - use_column);
    auto* why = cell(tr("cannot be used: %1").arg(run.unusable_reason), true);
    why->setToolTip(run.unusable_reason);
    runs_->setItem(row, use_column, why);
  }
  hint_->setText(runs.empty()
                     ? tr("This project has no runs yet. Launch plans, then fit predictions to their measurements.")
                     : tr("Predictions are fitted to some runs and tested on held-out runs. If none is held out, each "
                          "run is left out in turn."));
  update_buttons();
}

std::vector<session::runs::CalibrationChoice> CalibrationDialog::choices() const {
  std::vector<session::runs::CalibrationChoice> chosen;
  for (int row = 0; row < runs_->rowCount(); ++row) {
    const QComboBox* use = box(row);
    if (use && use->currentIndex() != leave_choice)
      chosen.push_back(
          {runs_->item(row, run_column)->data(Qt::UserRole).toInt(), use->currentIndex() == hold_out_choice});
  }
  return chosen;
}

void CalibrationDialog::fit() {
  clear_errors();
  summary_->setText(tr("Fitting …"));
  session_.calibrate(choices());
  update_buttons();
}

void CalibrationDialog::show_record(const std::shared_ptr<const CalibrationRecord>& record) {
  record_ = record;
  show_figures(*record);
  show_errors(*record);
  summary_->setText(summary_of(*record));
  update_buttons();
}

void CalibrationDialog::show_figures(const CalibrationRecord& record) {
  struct Row {
    QString name;
    const FittedParameter& figure;
    QString from, to, lower, upper;
  };
  const Calibration none;
  const Row rows[] = {
      {tr("Overhead of an operation"), record.overhead, overhead_text(0),
       overhead_text(record.values.operation_overhead.count), overhead_text(record.overhead.lower),
       overhead_text(record.overhead.upper)},
      {tr("Slow-down during communication"), record.slowdown, plain(none.overlap_slowdown),
       plain(record.values.overlap_slowdown), plain(record.slowdown.lower), plain(record.slowdown.upper)},
      {tr("Efficiency of links"), record.efficiency, plain(none.link_efficiency), plain(record.values.link_efficiency),
       plain(record.efficiency.lower), plain(record.efficiency.upper)}};
  figures_->setRowCount(0);
  for (const Row& row : rows) {
    const int at = figures_->rowCount();
    figures_->insertRow(at);
    const bool known = row.figure.determined;
    figures_->setItem(at, name_column, cell(row.name, true));
    figures_->setItem(at, from_column, cell(row.from));
    figures_->setItem(at, to_column, cell(known ? row.to : tr("not determined")));
    figures_->setItem(at, operations_column, cell(known ? QString::number(row.figure.operations) : QString()));
    figures_->setItem(at, quartiles_column, cell(known ? tr("%1 to %2").arg(row.lower, row.upper) : QString()));
    auto* note = cell(text::to_qstring(row.figure.note), true);
    note->setToolTip(text::to_qstring(row.figure.note));
    figures_->setItem(at, note_column, note);
  }
}

/// Shows the errors. Records list runs in the order in which they were passed: that of the ticked rows.
void CalibrationDialog::show_errors(const CalibrationRecord& record) {
  std::size_t next = 0;
  for (int row = 0; row < runs_->rowCount() && next < record.runs.size(); ++row) {
    const CalibratedRun& run = record.runs[next];
    if (runs_->item(row, run_column)->text() != text::to_qstring(run.name)) continue;
    ++next;
    runs_->setItem(row, measured_column, cell(models::format_time(run.measured)));
    runs_->setItem(row, before_column, cell(models::format_time(run.before)));
    runs_->setItem(row, after_column, cell(models::format_time(run.after)));
    runs_->setItem(row, error_before_column, cell(models::format_change(run.error_before())));
    runs_->setItem(row, error_after_column, cell(models::format_change(run.error_after())));
  }
}

/// Clears the errors: the fit no longer belongs to these runs.
void CalibrationDialog::clear_errors() {
  for (int row = 0; row < runs_->rowCount(); ++row)
    if (box(row))
      for (int column = measured_column; column < run_columns; ++column) runs_->setItem(row, column, cell({}));
  figures_->setRowCount(0);
  summary_->clear();
  record_.reset();
}

void CalibrationDialog::update_buttons() {
  const auto chosen = choices();
  const bool any =
      std::ranges::any_of(chosen, [](const session::runs::CalibrationChoice& choice) { return !choice.held_out; });
  const session::project::CalibrationEntry& used = session_.state().calibration;
  fit_->setEnabled(any && !session_.calibrating());
  fit_->setToolTip(any ? QString() : tr("Tick at least one run to fit."));
  use_->setEnabled(record_ && !(used.on && used.record == record_));
  save_->setEnabled(record_ != nullptr);
  if (!record_ && !session_.calibrating()) summary_->clear();  // it failed, and the error was shown
}

void CalibrationDialog::save() {
  const QString file = dialogs_.save_file(this, tr("Save calibration"), QStringLiteral("machine.calibration.json"),
                                          tr("Calibration (*.calibration.json *.json)"));
  if (!file.isEmpty() && record_) session_.export_calibration(*record_, file);
}

}  // namespace pipedeck::ui::dialogs
