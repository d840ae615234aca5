// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/widgets/hint_bar.hpp"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::widgets {

HintBar::HintBar(QWidget* parent) : QWidget(parent), hint_(new QLabel), button_(new QPushButton) {
  setObjectName(QStringLiteral("hint_bar"));
  hint_->setObjectName(QStringLiteral("hint"));
  hint_->setWordWrap(true);
  button_->setObjectName(QStringLiteral("hint_button"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(ThemeSizes::margin, 4, ThemeSizes::margin, 4);
  row->addWidget(hint_, 1);
  row->addWidget(button_);
  setAutoFillBackground(true);
  update_colours();
  hide();
  connect(button_, &QPushButton::clicked, this, &HintBar::accepted);
}

void HintBar::set_texts(const QString& hint, const QString& button) {
  hint_->setText(hint);
  button_->setText(button);
}

void HintBar::set_dismissible(const QString& button) {
  auto* dismiss = new QPushButton(button);
  dismiss->setObjectName(QStringLiteral("hint_dismiss"));
  layout()->addWidget(dismiss);
  connect(dismiss, &QPushButton::clicked, this, &QWidget::hide);
}

void HintBar::update_colours() {
  const Theme& theme = Theme::of(palette());
  QPalette colours = palette();
  colours.setColor(QPalette::Window, blended(theme.warning, theme.panel, 0.15));
  if (colours != palette()) setPalette(colours);
}

void HintBar::changeEvent(QEvent* event) {
  if (event->type() == QEvent::StyleChange) update_colours();
  QWidget::changeEvent(event);
}

}  // namespace pipedeck::views::widgets
