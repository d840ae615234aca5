// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/whatif/largest_pane.hpp"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include "app/views/widgets/bar_table.hpp"
#include "app/views/widgets/theme.hpp"
#include "app/views/widgets/widget_style.hpp"
#include "app/views/widgets/wrapping_row.hpp"

namespace pipedeck::views::whatif {

namespace {

constexpr int max_asked = 1 << 20;

std::optional<int> said(const QSpinBox& box) { return box.value() > 0 ? std::optional(box.value()) : std::nullopt; }

}  // namespace

LargestPane::LargestPane(const QStringList& sizes, QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("largest_pane"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(widgets::ThemeSizes::grid / 2);
  column->addWidget(make_head(sizes));
  answer_ = new QLabel;
  answer_->setObjectName(QStringLiteral("largest_answer"));
  answer_->setWordWrap(true);
  answer_->setFont(widgets::title_font(font()));
  words_ = new QLabel;
  words_->setObjectName(QStringLiteral("largest_words"));
  words_->setWordWrap(true);
  for (QLabel* label : {answer_, words_})
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  table_ = new widgets::BarTable({tr("Planned for"), QString(), tr("Answer")});
  table_->setObjectName(QStringLiteral("largest_table"));
  table_->setAccessibleName(tr("Planned sizes, one per row"));
  column->addWidget(answer_);
  column->addWidget(words_);
  column->addWidget(table_, 1);
  show_answer({});
}

QWidget* LargestPane::make_head(const QStringList& sizes) {
  auto* head = new QWidget;
  auto* lines = new QVBoxLayout(head);
  lines->setContentsMargins(0, 0, 0, 0);
  lines->setSpacing(widgets::ThemeSizes::grid / 2);
  auto* top = new QHBoxLayout;
  auto* title = new QLabel(tr("How large?"));
  title->setFont(widgets::title_font(font()));
  keep_ = new QPushButton(tr("Keep the plan"));
  keep_->setObjectName(QStringLiteral("largest_keep"));
  keep_->setToolTip(tr("Add this plan to the project, with its model if that is new"));
  connect(keep_, &QPushButton::clicked, this, &LargestPane::keep_requested);
  find_ = new QPushButton;
  find_->setObjectName(QStringLiteral("largest_find"));
  find_->setMinimumWidth(96);
  connect(find_, &QPushButton::clicked, this, [this] { running_ ? emit cancel_requested() : emit search_requested(); });
  top->addWidget(title, 1);
  top->addWidget(keep_);
  top->addWidget(find_);
  lines->addLayout(top);
  auto* fields = new widgets::WrappingRow;
  size_ = new QComboBox;
  size_->setObjectName(QStringLiteral("largest_size"));
  size_->addItems(sizes);
  size_->setToolTip(tr("Size that grows until no plan fits. Everything else stays"));
  connect(size_, &QComboBox::currentIndexChanged, this, &LargestPane::changed);
  fields->add_field(tr("The largest"), size_);
  step_ = make_count("largest_step", tr("Step between two sizes"));
  fields->add_field(tr("In steps of"), step_);
  most_ = make_count("largest_most", tr("Largest size to try"));
  fields->add_field(tr("Up to"), most_);
  lines->addWidget(fields);
  return head;
}

/// Creates a box in which 0, which is no size, stands for the default.
QSpinBox* LargestPane::make_count(const char* name, const QString& tip) {
  auto* box = new QSpinBox;
  box->setObjectName(QLatin1String(name));
  box->setRange(0, max_asked);
  box->setSpecialValueText(tr("as usual"));
  box->setToolTip(tip);
  connect(box, &QSpinBox::valueChanged, this, &LargestPane::changed);
  return box;
}

int LargestPane::size() const { return size_->currentIndex(); }
std::optional<int> LargestPane::step() const { return said(*step_); }
std::optional<int> LargestPane::most() const { return said(*most_); }
QString LargestPane::words() const { return answer_->text() + QLatin1Char('\n') + words_->text(); }

void LargestPane::show_answer(const Shown& shown) {
  running_ = shown.running;
  bad_ = shown.bad;
  find_->setText(running_ ? tr("Cancel") : tr("Find out"));
  find_->setEnabled(running_ || shown.can_find);
  keep_->setEnabled(shown.can_keep);
  answer_->setText(shown.words.value(0));
  words_->setText(shown.words.mid(1).join(QLatin1Char('\n')));
  words_->setVisible(shown.words.size() > 1);
  table_->set_rows(shown.rows);
  table_->setVisible(!shown.rows.empty());
  // Without a table the sentences stay at the top.
  static_cast<QVBoxLayout*>(layout())->setAlignment(shown.rows.empty() ? Qt::AlignTop : Qt::Alignment());
  apply_theme();
}

void LargestPane::changeEvent(QEvent* event) {
  if ((event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) && table_) apply_theme();
  QWidget::changeEvent(event);
}

void LargestPane::apply_theme() {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  for (QPushButton* button : {find_, keep_}) button->setStyleSheet(widgets::plain_button_style(theme));
  widgets::set_text_colour(*answer_, bad_ ? theme.bad : theme.text);
  widgets::set_text_colour(*words_, theme.muted);
}

}  // namespace pipedeck::views::whatif
