// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/widgets/empty_state.hpp"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/views/widgets/theme.hpp"
#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::views::widgets {

namespace {
constexpr int empty_text_width = 460;
}

EmptyState::EmptyState(QWidget* page)
    : QWidget(page), title_(new QLabel), text_(new QLabel), buttons_(new QHBoxLayout) {
  setObjectName(QStringLiteral("empty_state"));
  title_->setAlignment(Qt::AlignHCenter);
  text_->setAlignment(Qt::AlignHCenter);
  text_->setWordWrap(true);
  text_->setFixedWidth(empty_text_width);
  auto* column = new QVBoxLayout(this);
  column->setSpacing(10);
  column->addStretch(2);
  column->addWidget(title_);
  column->addWidget(text_, 0, Qt::AlignHCenter);
  column->addSpacing(6);
  column->addLayout(buttons_);
  column->addStretch(3);
  buttons_->setSpacing(10);
  page->installEventFilter(this);
  apply_theme();
  hide();
}

void EmptyState::say(const EmptyText& text) {
  const bool same = title_->text() == text.title && text_->text() == text.text;
  setVisible(!text.title.isEmpty());
  if (text.title.isEmpty() || same) return;
  title_->setText(text.title);
  text_->setText(text.text);
  text_->setMinimumHeight(text_->heightForWidth(empty_text_width));
  setAccessibleName(text.title);
  setAccessibleDescription(text.text);
  while (QLayoutItem* item = buttons_->takeAt(0)) {
    if (QWidget* old = item->widget()) {  // deleted later: it may be the button that was pressed
      old->setObjectName({});
      old->hide();
      old->deleteLater();
    }
    delete item;
  }
  buttons_->addStretch();
  for (const EmptyText::Button& wanted : text.buttons) {
    auto* button = new QPushButton(wanted.text);
    button->setObjectName(buttons_->count() == 1 ? QStringLiteral("empty_first") : QStringLiteral("empty_other"));
    connect(button, &QPushButton::clicked, this, [run = wanted.run] { run(); });
    buttons_->addWidget(button);
  }
  buttons_->addStretch();
  apply_theme();
  setGeometry(parentWidget()->rect());
  raise();
}

bool EmptyState::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) setGeometry(parentWidget()->rect());
  return QWidget::eventFilter(watched, event);
}

void EmptyState::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) apply_theme();
  QWidget::changeEvent(event);
}

void EmptyState::apply_theme() {
  const Theme& theme = Theme::of(palette());
  QFont large = title_font(font());
  large.setPointSizeF(large.pointSizeF() * 1.35);
  title_->setFont(large);
  set_text_colour(*title_, theme.text);
  set_text_colour(*text_, theme.muted);
  for (auto* button : findChildren<QPushButton*>())
    button->setStyleSheet(button->objectName() == QLatin1String("empty_first") ? primary_button_style(theme)
                                                                               : plain_button_style(theme));
  set_ground(*this, theme.window);
}

}  // namespace pipedeck::views::widgets
