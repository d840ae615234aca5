// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/widgets/wrapped_lines.hpp"

#include <QListWidget>
#include <QStyle>
#include <QStyledItemDelegate>

namespace pipedeck::views::widgets {

namespace {

/// A delegate that returns correct line heights. Qt computes them for a list without its scroll bar, and ignores the
/// style's padding.
class WrappedLine : public QStyledItemDelegate {
 public:
  explicit WrappedLine(QListWidget& list) : QStyledItemDelegate(&list), list_(list) {}

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const int width = list_.viewport()->width();
    QStyleOptionViewItem shown = option;
    initStyleOption(&shown, index);
    shown.rect.setWidth(width);
    const QRect text = list_.style()->subElementRect(QStyle::SE_ItemViewItemText, &shown, &list_);
    shown.rect.setWidth(text.width());
    return {width, QStyledItemDelegate::sizeHint(shown, index).height()};
  }

 private:
  const QListWidget& list_;
};

}  // namespace

void wrap_lines(QListWidget& list) {
  list.setWordWrap(true);
  list.setResizeMode(QListView::Adjust);
  list.setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list.setItemDelegate(new WrappedLine(list));
}

}  // namespace pipedeck::views::widgets
