// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/widgets/widget_style.hpp"

#include <QLabel>
#include <QPalette>
#include <QVBoxLayout>

namespace pipedeck::views::widgets {

namespace {

struct ButtonColours {
  QColor ground, text, border, hover;
};

QString button_style(const ButtonColours& on, const Theme& theme) {
  const QColor off_text = blended(theme.muted, theme.panel, 0.6);
  return QStringLiteral(
             "QPushButton { background: %1; color: %2; border: 1px solid %3; border-radius: 4px; padding: 5px 14px; "
             "font-weight: 600; }QPushButton:hover { background: %4; }QPushButton:focus { border: 2px solid %5; "
             "padding: 4px 13px; }QPushButton:disabled { background: %6; color: %7; border: 1px solid %8; }")
      .arg(on.ground.name(), on.text.name(), on.border.name(), on.hover.name(), theme.text.name(), theme.panel.name(),
           off_text.name(), theme.border.name());
}

}  // namespace

QString primary_button_style(const Theme& theme) {
  return button_style({theme.button, theme.on(theme.button), theme.button, blended(theme.text, theme.button, 0.12)},
                      theme);
}

QString danger_button_style(const Theme& theme) {
  return button_style({theme.panel, theme.bad, theme.bad, blended(theme.bad, theme.panel, 0.1)}, theme);
}

QString plain_button_style(const Theme& theme) {
  return button_style({theme.panel, theme.text, theme.border, theme.raised}, theme);
}

QWidget* titled(QWidget& list, const QString& title) {
  auto* heading = new QLabel(title);
  heading->setFont(title_font(heading->font()));
  heading->setBuddy(&list);
  auto* both = new QWidget;
  auto* rows = new QVBoxLayout(both);
  rows->setContentsMargins(0, ThemeSizes::grid, 0, 0);
  rows->addWidget(heading);
  rows->addWidget(&list);
  return both;
}

void set_text_colour(QLabel& label, const QColor& colour) {
  QPalette palette = label.palette();
  palette.setColor(QPalette::WindowText, colour);
  label.setPalette(palette);
}

void set_ground(QWidget& widget, const QColor& colour) {
  QPalette palette = widget.palette();
  palette.setColor(QPalette::Window, colour);
  widget.setPalette(palette);
  widget.setAutoFillBackground(true);
}

}  // namespace pipedeck::views::widgets
