// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/widgets/table_style.hpp"

#include <algorithm>

#include <QEvent>
#include <QPainter>
#include <QTableView>

namespace pipedeck::views::widgets {

namespace {

constexpr int side = 8;  ///< between a cell's edge and its text

void paint_arrow(QPainter* painter, const QPointF& centre, bool up, const QColor& colour) {
  const double tip = up ? -2.5 : 2.5;
  painter->setPen(Qt::NoPen);
  painter->setBrush(colour);
  painter->setRenderHint(QPainter::Antialiasing);
  painter->drawPolygon(QPolygonF{
      {centre.x() - 3.5, centre.y() - tip}, {centre.x() + 3.5, centre.y() - tip}, {centre.x(), centre.y() + tip}});
}

}  // namespace

FlatHeader::FlatHeader(Qt::Orientation orientation, QWidget* parent) : QHeaderView(orientation, parent) {
  setSectionsClickable(true);
  setHighlightSections(false);
}

/// Lets the rows of its table grow with the font.
void FlatHeader::changeEvent(QEvent* event) {
  auto* table = qobject_cast<QTableView*>(parentWidget());
  if (event->type() == QEvent::FontChange && table && orientation() == Qt::Horizontal)
    table->verticalHeader()->setDefaultSectionSize(table_row_height(font()));
  QHeaderView::changeEvent(event);
}

void FlatHeader::paintSection(QPainter* painter, const QRect& rect, int section) const {
  const Theme& theme = Theme::of(palette());
  painter->save();
  painter->fillRect(rect, theme.raised);
  painter->setPen(theme.border);
  painter->drawLine(rect.bottomLeft(), rect.bottomRight());
  const auto alignment =
      Qt::Alignment(model()->headerData(section, orientation(), Qt::TextAlignmentRole).toInt()) | Qt::AlignVCenter;
  const QString text = model()->headerData(section, orientation(), Qt::DisplayRole).toString();
  painter->setFont(title_font(font()));
  painter->setPen(theme.muted);
  const QRect inner = rect.adjusted(side, 0, -side, 0);
  const QString shown = painter->fontMetrics().elidedText(text, Qt::ElideRight, inner.width());
  painter->drawText(inner, static_cast<int>(alignment), shown);
  if (isSortIndicatorShown() && sortIndicatorSection() == section && !shown.isEmpty()) {
    const QRect used = painter->fontMetrics().boundingRect(inner, static_cast<int>(alignment), shown);
    const bool right = alignment & Qt::AlignRight;
    const double x = right ? used.left() - 7.0 : std::min(used.right() + 8.0, rect.right() - 4.0);
    paint_arrow(painter, {x, rect.center().y() + 0.5}, sortIndicatorOrder() == Qt::AscendingOrder, theme.muted);
  }
  painter->restore();
}

QSize FlatHeader::sectionSizeFromContents(int section) const {
  const QFontMetrics metrics(title_font(font()));
  const QString text = model() ? model()->headerData(section, orientation(), Qt::DisplayRole).toString() : QString();
  return {metrics.horizontalAdvance(text) + 2 * side + 12, table_row_height(font())};
}

void FlatDelegate::paint_background(QPainter* painter, const QStyleOptionViewItem& option, const Theme& theme) {
  const bool selected = option.state & QStyle::State_Selected;
  painter->fillRect(option.rect, selected ? theme.accent_soft : theme.panel);
  painter->setPen(theme.grid);
  painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
}

QRect FlatDelegate::content_rect(const QStyleOptionViewItem& option) { return option.rect.adjusted(side, 0, -side, 0); }

void FlatDelegate::paint_text(QPainter* painter, const QRect& rect, const QString& text, Qt::Alignment alignment) {
  painter->drawText(rect, static_cast<int>(alignment),
                    painter->fontMetrics().elidedText(text, Qt::ElideRight, rect.width()));
}

void FlatDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const Theme& theme = Theme::of(option.palette);
  painter->save();
  paint_background(painter, option, theme);
  if (const QVariant ground = index.data(Qt::BackgroundRole);
      ground.isValid() && !(option.state & QStyle::State_Selected))
    painter->fillRect(option.rect.adjusted(0, 0, 0, -1), ground.value<QBrush>());
  const QVariant font = index.data(Qt::FontRole), colour = index.data(Qt::ForegroundRole);
  const QVariant alignment = index.data(Qt::TextAlignmentRole);
  painter->setFont(font.isValid() ? font.value<QFont>() : option.font);
  painter->setPen(colour.isValid() ? colour.value<QBrush>().color() : theme.text);
  paint_text(painter, content_rect(option), index.data().toString(),
             alignment.isValid() ? Qt::Alignment(alignment.toInt()) : Qt::AlignLeft | Qt::AlignVCenter);
  painter->restore();
}

QSize FlatDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  return {option.fontMetrics.horizontalAdvance(index.data().toString()) + 2 * side + 4, table_row_height(option.font)};
}

void paint_bar(QPainter* painter, const QRectF& rect, double share, const QColor& colour, const Theme& theme) {
  painter->setPen(Qt::NoPen);
  painter->fillRect(rect, theme.dark ? theme.window : theme.raised);
  QRectF filled = rect;
  filled.setWidth(rect.width() * std::clamp(share, 0.0, 1.0));
  painter->fillRect(filled, colour);
}

void make_flat(QTableView& table) {
  auto* header = new FlatHeader(Qt::Horizontal, &table);
  table.setHorizontalHeader(header);
  table.verticalHeader()->hide();
  table.verticalHeader()->setDefaultSectionSize(table_row_height(table.font()));
  table.setShowGrid(false);
  table.setFrameShape(QFrame::NoFrame);
  table.setSelectionBehavior(QAbstractItemView::SelectRows);
  table.setSelectionMode(QAbstractItemView::SingleSelection);
  table.setEditTriggers(QAbstractItemView::NoEditTriggers);
  table.setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  table.setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  table.setWordWrap(false);
  table.setTabKeyNavigation(false);
  table.setMouseTracking(true);
}

int table_row_height(const QFont& font) { return QFontMetrics(font).height() + 11; }

int dense_row_height(const QFont& font) { return QFontMetrics(font).height() + 7; }

}  // namespace pipedeck::views::widgets
