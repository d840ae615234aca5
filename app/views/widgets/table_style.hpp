// SPDX-License-Identifier: GPL-3.0-or-later
// The common style of all tables: a flat header, thin lines between rows, a soft accent colour for the selection.
#pragma once

#include <QHeaderView>
#include <QStyledItemDelegate>

#include "app/views/widgets/theme.hpp"

class QTableView;

namespace pipedeck::views::widgets {

class FlatHeader : public QHeaderView {
  Q_OBJECT

 public:
  explicit FlatHeader(Qt::Orientation orientation, QWidget* parent = nullptr);

 protected:
  void changeEvent(QEvent* event) override;
  void paintSection(QPainter* painter, const QRect& rect, int section) const override;
  QSize sectionSizeFromContents(int section) const override;
};

/// A delegate that paints a cell's background and text; derived delegates add bars and marks.
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

/// Paints a bar of `share` of `rect`'s width on a faint track.
void paint_bar(QPainter* painter, const QRectF& rect, double share, const QColor& colour, const Theme& theme);

/// Sets row selection and a flat header, and hides the grid.
void make_flat(QTableView& table);

int table_row_height(const QFont& font);
/// Returns the height of a row where there is little room.
int dense_row_height(const QFont& font);

}  // namespace pipedeck::views::widgets
