// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/topology/group_bar.hpp"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include "app/views/widgets/segment_switch.hpp"
#include "app/views/widgets/theme.hpp"
#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::views::topology {

GroupBar::GroupBar(QWidget* parent)
    : QWidget(parent),
      switch_(new widgets::SegmentSwitch({tr("none"), tr("TP"), tr("CP"), tr("EP"), tr("DP"), tr("PP"), tr("shards")},
                                         QStringLiteral("topology_groups"))),
      title_(new QLabel(tr("Groups of"))),
      words_(new QLabel),
      order_(new QPushButton(tr("Place contiguously"))) {
  setObjectName(QStringLiteral("topology_group_bar"));
  switch_->setAccessibleName(tr("Dimension whose groups are coloured"));
  words_->setObjectName(QStringLiteral("topology_group_words"));
  words_->setWordWrap(true);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(widgets::ThemeSizes::margin, widgets::ThemeSizes::grid / 2, widgets::ThemeSizes::margin,
                          widgets::ThemeSizes::grid / 2);
  row->setSpacing(widgets::ThemeSizes::grid);
  row->addWidget(title_);
  row->addWidget(switch_);
  row->addWidget(words_, 1);
  row->addWidget(order_);
  order_->setObjectName(QStringLiteral("topology_place_contiguously"));
  order_->hide();
  connect(order_, &QPushButton::clicked, this, &GroupBar::order_wanted);
  connect(switch_, &widgets::SegmentSwitch::chosen, this, [this] {
    show_words();
    emit chosen(current());
  });
  set_choices({});
}

void GroupBar::set_choices(const std::array<Choice, choice_count>& choices) {
  choices_ = choices;
  for (int c = 0; c < choice_count; ++c) {
    const Choice& choice = choices_[static_cast<std::size_t>(c)];
    switch_->set_enabled(c + 1, choice.available,
                         choice.available ? choice.words : tr("The plan has one rank in this dimension"));
  }
  if (current() >= 0 && !choices_[static_cast<std::size_t>(current())].available) switch_->set_current(0);
  show_words();
}

int GroupBar::current() const { return switch_->current() - 1; }

void GroupBar::choose(int choice) {
  if (choice == current()) return;
  switch_->set_current(choice + 1);
  show_words();
  emit chosen(current());
}

void GroupBar::offer_order(bool offered, const QString& gain) {
  order_->setVisible(offered);
  order_->setToolTip(gain);
  order_->setAccessibleDescription(gain);
}

QString GroupBar::words() const { return words_->text(); }

void GroupBar::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) show_words();
}

void GroupBar::show_words() {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  const bool none = current() < 0;
  const Choice* choice = none ? nullptr : &choices_[static_cast<std::size_t>(current())];
  words_->setText(none ? tr("Colours the devices of the selected plan by group") : choice->words);
  widgets::set_text_colour(*words_, choice && choice->crosses ? theme.bad : theme.muted);
  widgets::set_text_colour(*title_, theme.muted);
}

}  // namespace pipedeck::views::topology
