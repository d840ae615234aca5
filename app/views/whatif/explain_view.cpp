// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/whatif/explain_view.hpp"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "app/views/widgets/bar_table.hpp"
#include "app/views/widgets/table_style.hpp"
#include "app/views/widgets/theme.hpp"
#include "app/views/widgets/widget_style.hpp"
#include "core/model/jitter.hpp"

namespace pipedeck::views::whatif {

namespace {

QLabel* hint_label(const char* name) {
  auto* label = new QLabel;
  label->setObjectName(QLatin1String(name));
  label->setWordWrap(true);
  label->setAlignment(Qt::AlignCenter);
  return label;
}

QLabel* heading(const QString& text, const QFont& font) {
  auto* label = new QLabel(text);
  label->setFont(widgets::title_font(font));
  return label;
}

}  // namespace

ExplainView::ExplainView(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("explain_view"));
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(widgets::ThemeSizes::margin, widgets::ThemeSizes::grid, widgets::ThemeSizes::margin,
                          widgets::ThemeSizes::margin);
  all->setSpacing(widgets::ThemeSizes::margin);
  auto* row = new QHBoxLayout;
  row->setSpacing(widgets::ThemeSizes::margin * 2);
  all->addLayout(row, 1);
  row->addWidget(make_waterfall(), 1);
  row->addWidget(make_sensitivity(), 1);
  all->addWidget(make_jitter());
  set_published({}, {});
  set_waterfall({}, {});
  set_sensitivity({}, {}, false);
  set_jitter({}, {});
  apply_theme();
}

void ExplainView::changeEvent(QEvent* event) {
  if ((event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) && compute_button_) apply_theme();
  QWidget::changeEvent(event);
}

void ExplainView::apply_theme() {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  for (QPushButton* button : {copy_, compute_button_}) button->setStyleSheet(widgets::plain_button_style(theme));
  for (QLabel* hint : {published_, waterfall_hint_, sensitivity_hint_, jitter_hint_})
    widgets::set_text_colour(*hint, theme.muted);
}

QWidget* ExplainView::make_waterfall() {
  auto* half = new QWidget;
  auto* column = new QVBoxLayout(half);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(heading(tr("Where two plans differ"), font()));
  // Stacked, because names of plans are long.
  auto* choice = new QGridLayout;
  choice->setColumnStretch(1, 1);
  const auto add = [&](int row, const QString& caption, const char* name) {
    auto* label = new QLabel(caption);
    auto* box = new QComboBox;
    box->setObjectName(QLatin1String(name));
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(8);
    label->setBuddy(box);
    choice->addWidget(label, row, 0);
    choice->addWidget(box, row, 1);
    connect(box, &QComboBox::activated, this,
            [this] { emit plans_chosen(from_->currentData().toInt(), to_->currentData().toInt()); });
    return box;
  };
  from_ = add(0, tr("&From"), "waterfall_from");
  to_ = add(1, tr("&To"), "waterfall_to");
  copy_ = new QPushButton(tr("&Copy"));
  copy_->setObjectName(QStringLiteral("waterfall_copy"));
  copy_->setToolTip(tr("Copy the rows, with tabs between columns"));
  choice->addWidget(copy_, 1, 2);
  column->addLayout(choice);
  published_ = new QLabel;
  published_->setObjectName(QStringLiteral("published_band"));
  published_->setWordWrap(true);
  column->addWidget(published_);
  waterfall_ = new widgets::BarTable({tr("Part of the iteration"), QString(), tr("Time")});
  waterfall_->setObjectName(QStringLiteral("waterfall"));
  waterfall_->setAccessibleName(tr("Waterfall between two plans"));
  connect(copy_, &QPushButton::clicked, waterfall_, &widgets::BarTable::copy);
  column->addWidget(waterfall_, 1);
  waterfall_hint_ = hint_label("waterfall_hint");
  column->addWidget(waterfall_hint_, 1);
  return half;
}

QWidget* ExplainView::make_sensitivity() {
  auto* half = new QWidget;
  auto* column = new QVBoxLayout(half);
  column->setContentsMargins(0, 0, 0, 0);
  sensitivity_title_ = heading(tr("Sensitivity of the iteration time"), font());
  column->addWidget(sensitivity_title_);
  auto* line = new QHBoxLayout;
  auto* words = new QLabel(
      tr("Groups of devices and links made better, then each one alone by 10 %. Bars are parts of the iteration."));
  words->setWordWrap(true);
  line->addWidget(words, 1);
  compute_button_ = new QPushButton;
  compute_button_->setObjectName(QStringLiteral("sensitivity_button"));
  connect(compute_button_, &QPushButton::clicked, this,
          [this] { running_ ? emit cancel_requested() : emit sensitivity_requested(); });
  line->addWidget(compute_button_);
  column->addLayout(line);
  sensitivity_ = new widgets::BarTable({tr("Better"), QString(), tr("Change")});
  sensitivity_->setObjectName(QStringLiteral("sensitivity"));
  sensitivity_->setAccessibleName(tr("Change of the iteration time, one group, link or device per row"));
  column->addWidget(sensitivity_, 1);
  sensitivity_hint_ = hint_label("sensitivity_hint");
  column->addWidget(sensitivity_hint_, 1);
  return half;
}

QWidget* ExplainView::make_jitter() {
  auto* strip = new QWidget;
  auto* column = new QVBoxLayout(strip);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(heading(tr("Variation of the iteration time"), font()));
  auto* line = new QHBoxLayout;
  auto* caption = new QLabel(tr("Passes &vary by"));
  variation_ = new QDoubleSpinBox;
  variation_->setObjectName(QStringLiteral("jitter_variation"));
  variation_->setRange(0, largest_jitter * 100);
  variation_->setDecimals(1);
  variation_->setSuffix(tr(" %"));
  variation_->setValue(JitterOptions().variation * 100);
  variation_->setKeyboardTracking(false);
  variation_->setToolTip(tr("Standard deviation of each pass's time, relative to its mean"));
  caption->setBuddy(variation_);
  connect(variation_, &QDoubleSpinBox::valueChanged, this, &ExplainView::variation_chosen);
  line->addWidget(caption);
  line->addWidget(variation_);
  auto* words = new QLabel(
      tr("Bars span p5 to p95 of %1 iterations, with a line at p50. Dashed: no variation.").arg(JitterOptions().runs));
  words->setWordWrap(true);
  line->addWidget(words, 1);
  column->addLayout(line);
  jitter_ = new widgets::BarTable({tr("Plan"), QString(), tr("p5 / p50 / p95")});
  jitter_->setObjectName(QStringLiteral("jitter"));
  jitter_->setAccessibleName(tr("Variation of the iteration time, one plan per row"));
  jitter_->set_axis(widgets::BarTable::Axis::among_bars);
  column->addWidget(jitter_);
  jitter_hint_ = hint_label("jitter_hint");
  column->addWidget(jitter_hint_);
  // The height of two plans, whatever is shown.
  const int height =
      jitter_->horizontalHeader()->sizeHint().height() + 2 * widgets::table_row_height(jitter_->font()) + 4;
  jitter_->setFixedHeight(height);
  jitter_hint_->setFixedHeight(height);
  return strip;
}

double ExplainView::variation() const { return variation_->value() / 100; }

void ExplainView::set_jitter(const std::vector<models::whatif::BarRow>& rows, const QString& hint) {
  jitter_->set_rows(rows);
  jitter_hint_->setText(hint);
  (rows.empty() ? static_cast<QWidget*>(jitter_) : jitter_hint_)->hide();  // hide first: never both visible
  jitter_->setVisible(!rows.empty());
  jitter_hint_->setVisible(rows.empty());
}

void ExplainView::set_published(const QString& text, const QString& tool_tip) {
  published_->setText(text);
  published_->setToolTip(tool_tip);
  published_->setVisible(!text.isEmpty());
}

void ExplainView::set_plans(const std::vector<ExplainPlan>& plans, const std::vector<ExplainPlan>& runs, int from,
                            int to) {
  for (const auto& [box, chosen] : {std::pair(from_, from), std::pair(to_, to)}) {
    const QSignalBlocker quiet(box);
    box->clear();
    for (const ExplainPlan& plan : plans) box->addItem(plan.name, plan.id);
    if (box == from_ && !runs.empty()) {
      box->insertSeparator(box->count());
      for (const ExplainPlan& run : runs) box->addItem(run.name, run.id);
    }
    box->setCurrentIndex(box->findData(chosen));
    box->setToolTip(box->currentText());
    box->setEnabled(!plans.empty());
  }
}

void ExplainView::set_waterfall(const std::vector<models::whatif::BarRow>& rows, const QString& hint) {
  waterfall_->set_rows(rows);
  waterfall_->setVisible(!rows.empty());
  waterfall_hint_->setText(hint);
  waterfall_hint_->setVisible(rows.empty());
}

void ExplainView::set_sensitivity(const std::vector<models::whatif::BarRow>& rows, const QString& hint, bool running,
                                  double iteration) {
  running_ = running;
  compute_button_->setText(running ? tr("Cancel") : tr("Find &out"));
  sensitivity_->set_rows(rows, iteration);
  sensitivity_->setVisible(!rows.empty());
  sensitivity_hint_->setText(hint);
  sensitivity_hint_->setVisible(rows.empty());
}

}  // namespace pipedeck::views::whatif
