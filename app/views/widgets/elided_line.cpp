// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/widgets/elided_line.hpp"

#include <QPainter>

#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::widgets {

ElidedLine::ElidedLine(QWidget* parent) : QWidget(parent) { setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed); }

void ElidedLine::set_text(const QString& text) {
  text_ = text;
  setToolTip(text);
  setAccessibleName(text);
  update();
}

QSize ElidedLine::sizeHint() const { return {200, QFontMetrics(caption_font(font())).height() + 4}; }

void ElidedLine::paintEvent(QPaintEvent*) {
  const Theme& theme = Theme::of(palette());
  QPainter painter(this);
  painter.fillRect(rect(), theme.panel);
  painter.setFont(caption_font(font()));
  painter.setPen(theme.muted);
  const QRect room = rect().adjusted(ThemeSizes::margin, 0, -ThemeSizes::margin, 0);
  painter.drawText(room, Qt::AlignVCenter | Qt::AlignLeft,
                   painter.fontMetrics().elidedText(text_, Qt::ElideRight, room.width()));
}

}  // namespace pipedeck::views::widgets
