// SPDX-License-Identifier: GPL-3.0-or-later
// The quiet look of all tables: a flat header, hairlines between rows, the accent's soft colour for what is selected.
#pragma once

#include <QHeaderView>
#include <QStyledItemDelegate>

#include "app/views/theme.hpp"

class QTableView;

namespace pipedeck::app {

class FlatHeader : public QHeaderView {
  Q_OBJECT

 public:
  explicit FlatHeader(Qt::Orientation orientation, QWidget* parent = nullptr);

 protected:
  void paintSection(QPainter* painter, const QRect& rect, int section) const override;
  QSize sectionSizeFromContents(int section) const override;
};

/// Paints a cell's background and text; a view's own delegate adds bars and marks.
class FlatDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 protected:
  static void paint_background(QPainter* painter, const QStyleOptionViewItem& option, const Theme& theme);
  static void paint_text(QPainter* painter, const QRect& rect, const QString& text, Qt::Alignment alignment);
  static QRect content_rect(const QStyleOptionViewItem& option);
};

/// A bar of `share` of `rect`'s width on a faint track.
void paint_bar(QPainter* painter, const QRectF& rect, double share, const QColor& colour, const Theme& theme);

/// Row selection, flat header, no grid.
void make_flat(QTableView& table);

int table_row_height(const QFont& font);

}  // namespace pipedeck::app
