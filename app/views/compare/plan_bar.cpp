// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/compare/plan_bar.hpp"

#include <algorithm>

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QIntValidator>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>

#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::views::compare {

namespace {

constexpr int max_chunks = 64;
constexpr int box_width = 150;

}  // namespace

PlanBar::PlanBar(QWidget* parent)
    : QWidget(parent),
      fold_(new QToolButton),
      schedule_(new widgets::ChoiceBox),
      chunks_label_(new QLabel(tr("C&hunks"))),
      summary_(new QLabel),
      chunks_(new QSpinBox),
      micro_batch_(new QComboBox),
      micro_batches_(new QLabel) {
  setObjectName(QStringLiteral("plan_bar"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(widgets::ThemeSizes::margin, widgets::ThemeSizes::grid / 2, widgets::ThemeSizes::margin, 0);
  fold_->setObjectName(QStringLiteral("fold_split"));
  fold_->setAutoRaise(true);
  connect(fold_, &QToolButton::clicked, this, [this] { emit folded(fold_->arrowType() == Qt::DownArrow); });
  set_folded(false);
  auto* label = new QLabel(tr("&Schedule"));
  label->setBuddy(schedule_);
  label->setObjectName(QStringLiteral("caption"));
  schedule_->setObjectName(QStringLiteral("schedule_box"));
  schedule_->setAccessibleName(tr("Schedule"));
  schedule_->setMinimumWidth(box_width);
  chunks_label_->setBuddy(chunks_);
  chunks_->setObjectName(QStringLiteral("chunks_box"));
  chunks_->setAccessibleName(tr("Model chunks per device"));
  chunks_->setToolTip(tr("Model chunks per device. More chunks shorten warm-up and drain but send more"));
  chunks_->setRange(2, max_chunks);
  chunks_->setKeyboardTracking(false);
  summary_->setObjectName(QStringLiteral("schedule_summary"));
  summary_->setMinimumWidth(1);  // the first to shrink if there is little room
  row->addWidget(fold_);
  row->addWidget(label);
  row->addWidget(schedule_);
  row->addWidget(chunks_label_);
  row->addWidget(chunks_);
  auto* batch_label = new QLabel(tr("&Micro-batch"));
  batch_label->setObjectName(QStringLiteral("caption"));
  batch_label->setBuddy(micro_batch_);
  micro_batch_->setObjectName(QStringLiteral("micro_batch_box"));
  micro_batch_->setAccessibleName(tr("Samples of a micro-batch"));
  micro_batch_->setToolTip(
      tr("Samples of a micro-batch over all replicas. The list has the divisors of the global batch"));
  micro_batch_->setEditable(true);
  micro_batch_->setInsertPolicy(QComboBox::NoInsert);
  micro_batch_->setCompleter(nullptr);
  micro_batch_->lineEdit()->setAcceptDrops(false);  // the window imports dropped files
  micro_batch_->setValidator(new QIntValidator(0, 1 << 30, micro_batch_));
  micro_batch_->setMaximumWidth(90);
  row->addWidget(batch_label);
  row->addWidget(micro_batch_);
  row->addWidget(micro_batches_);
  row->addSpacing(widgets::ThemeSizes::grid / 2);
  row->addWidget(summary_, 1);
  connect(schedule_, &widgets::ChoiceBox::chosen, this, &PlanBar::schedule_chosen);
  connect(chunks_, &QSpinBox::valueChanged, this, &PlanBar::chunks_chosen);
  connect(micro_batch_, &QComboBox::activated, this, &PlanBar::take_micro_batch);
  connect(micro_batch_->lineEdit(), &QLineEdit::editingFinished, this, &PlanBar::take_micro_batch);
  update_colours();
  clear();
}

void PlanBar::set_plan(std::vector<widgets::Choice> schedules, const QString& chosen, std::optional<int> chunks) {
  schedule_->set_choices(std::move(schedules));
  schedule_->set_current(chosen);
  const auto& choices = schedule_->choices();
  const auto shown = std::ranges::find(choices, chosen, &widgets::Choice::key);
  summary_->setText(shown == choices.end() ? QString() : shown->summary);
  summary_->setToolTip(summary_->text());
  const QSignalBlocker quiet(chunks_);
  if (chunks) chunks_->setValue(*chunks);
  chunks_->setVisible(chunks.has_value());
  chunks_label_->setVisible(chunks.has_value());
  set_plan_enabled(true);
}

void PlanBar::set_micro_batch(const std::vector<int>& sizes, int samples, int count, std::optional<int> per_replica) {
  const QSignalBlocker quiet(micro_batch_), quiet_text(micro_batch_->lineEdit());
  micro_batch_->clear();
  for (int size : sizes) micro_batch_->addItem(QString::number(size));
  samples_ = samples;
  micro_batch_->setCurrentIndex(micro_batch_->findText(QString::number(samples)));
  micro_batch_->setEditText(samples > 0 ? QString::number(samples) : QString());
  QString text = count > 0 ? tr("× %1").arg(count) : QString();
  if (per_replica && *per_replica < samples) text += tr(", %1 per replica").arg(*per_replica);
  micro_batches_->setText(text);
}

/// Emits the size once, whether it was chosen or typed.
void PlanBar::take_micro_batch() {
  bool number = false;
  const int samples = micro_batch_->currentText().toInt(&number);
  if (!number || samples == samples_)
    return micro_batch_->setEditText(samples_ > 0 ? QString::number(samples_) : QString());
  samples_ = samples;
  emit micro_batch_chosen(samples);
}

void PlanBar::set_folded(bool folded) {
  fold_->setArrowType(folded ? Qt::RightArrow : Qt::DownArrow);
  const QString words = folded ? tr("Show the stages") : tr("Hide the stages");
  fold_->setToolTip(words);
  fold_->setAccessibleName(words);
}

void PlanBar::clear() {
  set_micro_batch({}, 0, 0, {});
  set_plan({}, {}, std::nullopt);
  set_plan_enabled(false);
}

void PlanBar::set_plan_enabled(bool on) {
  for (QWidget* field : {static_cast<QWidget*>(schedule_), static_cast<QWidget*>(chunks_),
                         static_cast<QWidget*>(micro_batch_), static_cast<QWidget*>(summary_)})
    field->setEnabled(on);
}

void PlanBar::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) update_colours();
  QWidget::changeEvent(event);
}

void PlanBar::update_colours() {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  widgets::set_ground(*this, theme.window);
  if (summary_) widgets::set_text_colour(*summary_, theme.muted);
  if (micro_batches_) widgets::set_text_colour(*micro_batches_, theme.muted);
}

}  // namespace pipedeck::views::compare
