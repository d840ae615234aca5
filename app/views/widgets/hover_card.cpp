// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/widgets/hover_card.hpp"

#include <algorithm>

#include <QFontMetrics>
#include <QPainter>

#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::widgets {

namespace {

constexpr int card_padding = 12;
constexpr int shadow = 4;
constexpr int distance = 14;  // from the mouse

QFont line_font(const QFont& base, qsizetype line) { return line == 0 ? title_font(base) : base; }

int line_height(const QFont& font) { return QFontMetrics(font).height() + 4; }

}  // namespace

HoverCard::HoverCard(QWidget* owner) : QWidget(owner), owner_(owner) {
  setObjectName(QStringLiteral("hover_card"));
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setFocusPolicy(Qt::NoFocus);
  hide();
  // Once shown, the card is a child of the window and would outlive its owner.
  connect(owner, &QObject::destroyed, this, [this] {
    hide();
    deleteLater();
  });
}

void HoverCard::show_at(const QPointF& position, const QStringList& lines) {
  lines_ = lines;
  QWidget* window = owner_->window();
  if (parentWidget() != window) setParent(window);
  setPalette(owner_->palette());
  setFont(caption_font(owner_->font()));
  int width = 0;
  for (qsizetype i = 0; i < lines.size(); ++i)
    width = std::max(width, QFontMetrics(line_font(font(), i)).horizontalAdvance(lines[i]));
  const int frame = 2 * (card_padding + shadow);
  resize(width + frame, static_cast<int>(lines.size()) * line_height(font()) + frame - 8);
  const QPoint mouse = owner_->mapTo(window, position.toPoint());
  QPoint corner = mouse + QPoint(distance, distance);
  if (corner.x() + this->width() > window->width()) corner.setX(mouse.x() - distance - this->width());
  if (corner.y() + height() > window->height()) corner.setY(mouse.y() - distance - height());
  move(std::max(0, corner.x()), std::max(0, corner.y()));
  raise();
  show();
  update();
}

void HoverCard::paintEvent(QPaintEvent*) {
  const Theme& theme = Theme::of(palette());
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF card = QRectF(rect()).adjusted(shadow, shadow, -shadow, -shadow);
  painter.setPen(Qt::NoPen);
  for (int i = 1; i <= shadow; ++i) {
    painter.setBrush(QColor(0, 0, 0, theme.dark ? 26 : 9));
    painter.drawRoundedRect(card.adjusted(-i, -i + 1, i, i), 6 + i, 6 + i);
  }
  painter.setPen(QPen(theme.border, 1));
  painter.setBrush(theme.card);
  painter.drawRoundedRect(card.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
  int y = shadow + card_padding - 4;
  for (qsizetype i = 0; i < lines_.size(); ++i) {
    painter.setFont(line_font(font(), i));
    painter.setPen(i == 0 ? theme.text : theme.muted);
    painter.drawText(QRect(shadow + card_padding, y, width(), line_height(font())), Qt::AlignLeft | Qt::AlignVCenter,
                     lines_[i]);
    y += line_height(font());
  }
}

}  // namespace pipedeck::views::widgets
