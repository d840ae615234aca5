// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/compare/stacked_bar.hpp"

#include <algorithm>
#include <cmath>

#include <QHelpEvent>
#include <QPainter>
#include <QPolygonF>
#include <QToolTip>

#include "app/models/format.hpp"

namespace pipedeck::views::compare {

QColor colour_of(models::compare::InspectorPartKind kind, const widgets::Theme& theme) {
  switch (kind) {
    case models::compare::InspectorPartKind::arithmetic:
      return theme.of(OpKind::forward);
    case models::compare::InspectorPartKind::recompute:
      return theme.of(OpKind::recompute);
    case models::compare::InspectorPartKind::tensor_parallel:
      return theme.of(TimePart::tensor_parallel);
    case models::compare::InspectorPartKind::context_parallel:
      return theme.of(TimePart::context_parallel);
    case models::compare::InspectorPartKind::expert_parallel:
      return theme.of(TimePart::expert_parallel);
    case models::compare::InspectorPartKind::pipeline:
      return theme.of(OpKind::send);
    case models::compare::InspectorPartKind::fill_and_drain:
      return widgets::blended(theme.muted, theme.panel, 0.35);
    case models::compare::InspectorPartKind::waiting:
      return widgets::blended(theme.muted, theme.panel, 0.6);
    case models::compare::InspectorPartKind::all_reduce:
      return theme.of(OpKind::all_reduce);
    case models::compare::InspectorPartKind::optimizer_step:
      return theme.of(OpKind::optimizer);
    case models::compare::InspectorPartKind::weights:
      return theme.of(MemoryItem::weights);
    case models::compare::InspectorPartKind::gradients:
      return theme.of(MemoryItem::gradients);
    case models::compare::InspectorPartKind::optimizer_state:
      return theme.of(MemoryItem::optimizer);
    case models::compare::InspectorPartKind::stashed_weights:
      return theme.of(MemoryItem::stashed_weights);
    case models::compare::InspectorPartKind::activations:
      return theme.of(MemoryItem::activations);
    case models::compare::InspectorPartKind::boundary:
      return theme.of(MemoryItem::boundary);
    case models::compare::InspectorPartKind::workspace:
      return theme.of(MemoryItem::workspace);
    case models::compare::InspectorPartKind::communication:
      return theme.of(MemoryItem::communication);
    case models::compare::InspectorPartKind::reserve:
      return theme.of(MemoryItem::reserve);
  }
  return theme.muted;
}

StackedBar::StackedBar(QWidget* parent) : QWidget(parent) { setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed); }

void StackedBar::set_parts(std::vector<models::compare::InspectorPart> parts, double mark) {
  parts_ = std::move(parts);
  mark_ = mark;
  update();
  QStringList words;
  for (const models::compare::InspectorPart& part : parts_) words << part.label + QLatin1Char(' ') + part.text;
  setAccessibleName(words.join(QStringLiteral(", ")));
}

void StackedBar::set_marks(std::vector<models::compare::InspectorMark> marks) {
  marks_ = std::move(marks);
  QStringList words;
  for (const models::compare::InspectorMark& mark : marks_) words << mark.label + QLatin1Char(' ') + mark.text;
  setAccessibleDescription(words.join(QStringLiteral(", ")));
  update();
}

void StackedBar::paintEvent(QPaintEvent*) {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  QPainter painter(this);
  const QRectF bar = QRectF(rect()).adjusted(0.5, 2.5, -0.5, -2.5);
  painter.fillRect(bar, theme.panel);
  double x = bar.left();
  for (const models::compare::InspectorPart& part : parts_) {
    const double width = bar.width() * part.share;
    painter.fillRect(QRectF(x, bar.top(), width, bar.height()), colour_of(part.kind, theme));
    if (width > 3) painter.fillRect(QRectF(x + width - 0.6, bar.top(), 0.6, bar.height()), theme.panel);
    x += width;
  }
  painter.setPen(theme.border);
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(bar);
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme.text);
  for (const models::compare::InspectorMark& mark : marks_) {
    const double at = bar.left() + bar.width() * std::min(1.0, mark.share);
    painter.drawPolygon(QPolygonF({{at - 3.5, 0}, {at + 3.5, 0}, {at, 5}}));
    painter.fillRect(QRectF(at - 0.5, 4, 1, bar.height() / 2), theme.text);
  }
  if (mark_ < 1) {
    const double at = bar.left() + bar.width() * mark_;
    painter.setPen(QPen(theme.panel, 4));
    painter.drawLine(QPointF(at, 0), QPointF(at, height()));
    painter.setPen(QPen(theme.bad, 2));
    painter.drawLine(QPointF(at, 0), QPointF(at, height()));
  }
}

const models::compare::InspectorPart* StackedBar::part_at(double x) const {
  double left = 0;
  for (const models::compare::InspectorPart& part : parts_) {
    left += part.share * width();
    if (x < left) return &part;
  }
  return nullptr;
}

bool StackedBar::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  for (const models::compare::InspectorMark& mark : marks_)
    if (help->pos().y() < 6 && std::abs(help->pos().x() - mark.share * width()) < 5) {
      QToolTip::showText(help->globalPos(), QStringLiteral("<b>%1</b> · %2").arg(mark.label, mark.text), this);
      return true;
    }
  if (const models::compare::InspectorPart* part = part_at(help->pos().x())) {
    QString text =
        QStringLiteral("<b>%1</b> · %2 · %3").arg(part->label, part->text, models::format_percent(part->share));
    if (!part->tool_tip.isEmpty()) text += QStringLiteral("<br>") + part->tool_tip.toHtmlEscaped();
    QToolTip::showText(help->globalPos(), text, this);
  } else {
    QToolTip::hideText();
  }
  return true;
}

LegendRow::LegendRow(QWidget* parent) : QWidget(parent) { setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed); }

void LegendRow::set_part(models::compare::InspectorPart part) {
  part_ = std::move(part);
  update();
  setToolTip(part_.tool_tip);
  setAccessibleName(part_.label + QLatin1Char(' ') + part_.text);
}

QSize LegendRow::sizeHint() const { return {180, fontMetrics().height() + 3}; }

void LegendRow::paintEvent(QPaintEvent*) {
  const widgets::Theme& theme = widgets::Theme::of(palette());
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

}  // namespace pipedeck::views::compare
