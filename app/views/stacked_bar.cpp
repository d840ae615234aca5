// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/stacked_bar.hpp"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include "app/models/format.hpp"

namespace pipedeck::app {

QColor colour_of(InspectorPartKind kind, const Theme& theme) {
  switch (kind) {
    case InspectorPartKind::arithmetic:
      return theme.of(OpKind::forward);
    case InspectorPartKind::fill_and_drain:
      return blended(theme.muted, theme.panel, 0.35);
    case InspectorPartKind::waiting:
      return theme.of(OpKind::send);
    case InspectorPartKind::all_reduce:
      return theme.of(OpKind::all_reduce);
    case InspectorPartKind::optimizer_step:
      return theme.of(OpKind::optimizer);
    case InspectorPartKind::weights:
      return theme.of(MemoryItem::weights);
    case InspectorPartKind::gradients:
      return theme.of(MemoryItem::gradients);
    case InspectorPartKind::optimizer_state:
      return theme.of(MemoryItem::optimizer);
    case InspectorPartKind::stashed_weights:
      return theme.of(MemoryItem::stashed_weights);
    case InspectorPartKind::activations:
      return theme.of(MemoryItem::activations);
    case InspectorPartKind::boundary:
      return theme.of(MemoryItem::boundary);
    case InspectorPartKind::workspace:
      return theme.of(MemoryItem::workspace);
    case InspectorPartKind::communication:
      return theme.of(MemoryItem::communication);
    case InspectorPartKind::reserve:
      return theme.of(MemoryItem::reserve);
  }
  return theme.muted;
}

StackedBar::StackedBar(QWidget* parent) : QWidget(parent) { setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed); }

void StackedBar::set_parts(std::vector<InspectorPart> parts, double mark) {
  parts_ = std::move(parts);
  mark_ = mark;
  update();
  QStringList words;
  for (const InspectorPart& part : parts_) words << part.label + QLatin1Char(' ') + part.text;
  setAccessibleName(words.join(QStringLiteral(", ")));
}

void StackedBar::paintEvent(QPaintEvent*) {
  const Theme& theme = Theme::of(palette());
  QPainter painter(this);
  const QRectF bar = QRectF(rect()).adjusted(0.5, 2.5, -0.5, -2.5);
  painter.fillRect(bar, theme.panel);
  double x = bar.left();
  for (const InspectorPart& part : parts_) {
    const double width = bar.width() * part.share;
    painter.fillRect(QRectF(x, bar.top(), width, bar.height()), colour_of(part.kind, theme));
    if (width > 3) painter.fillRect(QRectF(x + width - 0.6, bar.top(), 0.6, bar.height()), theme.panel);
    x += width;
  }
  painter.setPen(theme.border);
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(bar);
  if (mark_ < 1) {
    const double at = bar.left() + bar.width() * mark_;
    painter.setPen(QPen(theme.panel, 4));
    painter.drawLine(QPointF(at, 0), QPointF(at, height()));
    painter.setPen(QPen(theme.bad, 2));
    painter.drawLine(QPointF(at, 0), QPointF(at, height()));
  }
}

const InspectorPart* StackedBar::part_at(double x) const {
  double left = 0;
  for (const InspectorPart& part : parts_) {
    left += part.share * width();
    if (x < left) return &part;
  }
  return nullptr;
}

bool StackedBar::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  if (const InspectorPart* part = part_at(help->pos().x())) {
    QString text = QStringLiteral("<b>%1</b> · %2 · %3").arg(part->label, part->text, format_percent(part->share));
    if (!part->tool_tip.isEmpty()) text += QStringLiteral("<br>") + part->tool_tip.toHtmlEscaped();
    QToolTip::showText(help->globalPos(), text, this);
  } else {
    QToolTip::hideText();
  }
  return true;
}

LegendRow::LegendRow(QWidget* parent) : QWidget(parent) { setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed); }

void LegendRow::set_part(InspectorPart part) {
  part_ = std::move(part);
  update();
  setToolTip(part_.tool_tip);
  setAccessibleName(part_.label + QLatin1Char(' ') + part_.text);
}

QSize LegendRow::sizeHint() const { return {180, fontMetrics().height() + 3}; }

void LegendRow::paintEvent(QPaintEvent*) {
  const Theme& theme = Theme::of(palette());
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  QRectF swatch(0, 0, 10, 10);
  swatch.moveTop((height() - swatch.height()) / 2);
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour_of(part_.kind, theme));
  painter.drawRoundedRect(swatch, 2, 2);
  painter.setPen(theme.muted);
  painter.drawText(rect(), Qt::AlignRight | Qt::AlignVCenter, part_.text);
  painter.setPen(theme.text);
  const int room = width() - 18 - fontMetrics().horizontalAdvance(part_.text) - 8;
  painter.drawText(rect().adjusted(18, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                   fontMetrics().elidedText(part_.label, Qt::ElideRight, room));
}

}  // namespace pipedeck::app
