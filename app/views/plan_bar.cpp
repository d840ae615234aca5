// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/plan_bar.hpp"

#include <algorithm>

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSpinBox>

#include "app/views/widget_style.hpp"

namespace pipedeck::app {

namespace {

constexpr int most_chunks = 64;
constexpr int box_width = 150;

}  // namespace

PlanBar::PlanBar(QWidget* parent)
    : QWidget(parent),
      schedule_(new ChoiceBox),
      chunks_label_(new QLabel(tr("C&hunks"))),
      summary_(new QLabel),
      chunks_(new QSpinBox) {
  setObjectName(QStringLiteral("plan_bar"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(ThemeSizes::margin, ThemeSizes::grid / 2, ThemeSizes::margin, 0);
  auto* label = new QLabel(tr("&Schedule"));
  label->setBuddy(schedule_);
  label->setObjectName(QStringLiteral("caption"));
  schedule_->setObjectName(QStringLiteral("schedule_box"));
  schedule_->setAccessibleName(tr("Schedule"));
  schedule_->setMinimumWidth(box_width);
  chunks_label_->setBuddy(chunks_);
  chunks_->setObjectName(QStringLiteral("chunks_box"));
  chunks_->setAccessibleName(tr("Chunks of the model on each device"));
  chunks_->setToolTip(tr("Chunks of the model on each device: more of them shorten start and end, and send more"));
  chunks_->setRange(2, most_chunks);
  chunks_->setKeyboardTracking(false);
  summary_->setObjectName(QStringLiteral("schedule_summary"));
  summary_->setMinimumWidth(1);  // the first to give way where there is little room
  row->addWidget(label);
  row->addWidget(schedule_);
  row->addWidget(chunks_label_);
  row->addWidget(chunks_);
  row->addSpacing(ThemeSizes::grid / 2);
  row->addWidget(summary_, 1);
  connect(schedule_, &ChoiceBox::chosen, this, &PlanBar::schedule_chosen);
  connect(chunks_, &QSpinBox::valueChanged, this, &PlanBar::chunks_chosen);
  update_colours();
  clear();
}

void PlanBar::set_plan(std::vector<Choice> schedules, const QString& chosen, std::optional<int> chunks) {
  schedule_->set_choices(std::move(schedules));
  schedule_->set_current(chosen);
  const auto& choices = schedule_->choices();
  const auto shown = std::ranges::find(choices, chosen, &Choice::key);
  summary_->setText(shown == choices.end() ? QString() : shown->summary);
  summary_->setToolTip(summary_->text());
  const QSignalBlocker quiet(chunks_);
  if (chunks) chunks_->setValue(*chunks);
  chunks_->setVisible(chunks.has_value());
  chunks_label_->setVisible(chunks.has_value());
  setEnabled(true);
}

void PlanBar::clear() {
  set_plan({}, {}, std::nullopt);
  setEnabled(false);
}

void PlanBar::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) update_colours();
  QWidget::changeEvent(event);
}

void PlanBar::update_colours() {
  const Theme& theme = Theme::of(palette());
  set_ground(*this, theme.window);
  if (summary_) set_text_colour(*summary_, theme.muted);
}

}  // namespace pipedeck::app
