// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/widgets/search_box.hpp"

#include <algorithm>

#include <QFrame>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QScreen>
#include <QStyleOptionComboBox>
#include <QStylePainter>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::widgets {

namespace {

constexpr int group_role = Qt::UserRole + 1;
constexpr int index_role = Qt::UserRole;  ///< of the box, in an item of the open list
constexpr int list_rows = 16;

/// Returns true if `text` contains each of the words.
bool contains_all(const QString& text, const QStringList& words) {
  return std::ranges::all_of(words, [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

}  // namespace

SearchBox::SearchBox(QWidget* parent) : QComboBox(parent) {}

void SearchBox::add(const QString& group, const QString& text, const QVariant& data) {
  addItem(text, data);
  setItemData(count() - 1, group, group_role);
}

void SearchBox::build() {
  popup_ = new QFrame(this, Qt::Popup);
  popup_->setObjectName(QStringLiteral("search_popup"));
  popup_->setFrameShape(QFrame::StyledPanel);
  search_ = new QLineEdit;
  search_->setObjectName(QStringLiteral("search_field"));
  search_->setPlaceholderText(tr("Search"));
  search_->setAccessibleName(tr("Search"));
  search_->setClearButtonEnabled(true);
  list_ = new QTreeWidget;
  list_->setObjectName(QStringLiteral("search_list"));
  list_->setAccessibleName(accessibleName());
  list_->setHeaderHidden(true);
  list_->setRootIsDecorated(false);
  list_->setItemsExpandable(false);
  list_->setIndentation(ThemeSizes::grid);
  list_->setUniformRowHeights(true);
  list_->setFrameShape(QFrame::NoFrame);
  list_->setFocusPolicy(Qt::NoFocus);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setMouseTracking(true);
  auto* column = new QVBoxLayout(popup_);
  column->setContentsMargins(6, 6, 6, 6);
  column->setSpacing(6);
  column->addWidget(search_);
  column->addWidget(list_);
  search_->installEventFilter(this);
  connect(search_, &QLineEdit::textChanged, this, &SearchBox::filter);
  connect(list_, &QTreeWidget::itemClicked, this, &SearchBox::choose);
  connect(list_, &QTreeWidget::itemEntered, this, [this](QTreeWidgetItem* item) {
    if (item->flags() & Qt::ItemIsSelectable) list_->setCurrentItem(item);
  });
}

void SearchBox::fill() {
  list_->clear();
  for (int i = 0; i < count(); ++i) {
    if (itemText(i).isEmpty()) continue;  // a separator
    const QString group = itemData(i, group_role).toString();
    QTreeWidgetItem* parent = nullptr;
    for (int top = 0; top < list_->topLevelItemCount() && !parent; ++top)
      if (list_->topLevelItem(top)->text(0) == group) parent = list_->topLevelItem(top);
    if (!parent && !group.isEmpty()) {
      parent = new QTreeWidgetItem(list_, {group});
      parent->setFlags(Qt::ItemIsEnabled);
      parent->setFont(0, title_font(caption_font(font())));
      parent->setForeground(0, Theme::of(palette()).muted);
    }
    auto* item = new QTreeWidgetItem({itemText(i)});
    item->setData(0, index_role, i);
    item->setIcon(0, itemIcon(i));
    parent ? parent->addChild(item) : list_->addTopLevelItem(item);
    if (i == currentIndex()) list_->setCurrentItem(item);
  }
  list_->expandAll();
}

void SearchBox::filter(const QString& typed) {
  const QStringList words = typed.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  QTreeWidgetItem* first = nullptr;
  for (int top = 0; top < list_->topLevelItemCount(); ++top) {
    QTreeWidgetItem* group = list_->topLevelItem(top);
    const int children = group->childCount();
    bool any = children == 0;  // "Import…" stays
    for (int i = 0; i < children; ++i) {
      QTreeWidgetItem* item = group->child(i);
      const bool found = contains_all(group->text(0) + QLatin1Char(' ') + item->text(0), words);
      item->setHidden(!found);
      any = any || found;
      if (found && !first) first = item;
    }
    group->setHidden(!any);
  }
  if (!words.isEmpty()) list_->setCurrentItem(first);
  if (list_->currentItem()) list_->scrollToItem(list_->currentItem());
}

void SearchBox::showPopup() {
  if (!popup_) build();
  fill();
  search_->clear();
  int widest = 0, rows = 0;
  const QFontMetrics metrics(font());
  for (int i = 0; i < count(); ++i) widest = std::max(widest, metrics.horizontalAdvance(itemText(i)));
  for (QTreeWidgetItemIterator item(list_); *item; ++item) ++rows;
  const int row = std::max(1, list_->sizeHintForRow(0));
  const QRect room = screen()->availableGeometry();
  const QPoint below = mapToGlobal(QPoint(0, height() + 2));
  const int high = std::min(rows, list_rows) * row + search_->sizeHint().height() + 24;
  const int wide = std::max(width(), widest + 64);
  popup_->setFixedSize(std::min(wide, room.width()), std::min(high, room.height()));
  popup_->move(std::clamp(below.x(), room.left(), std::max(room.left(), room.right() - popup_->width())),
               below.y() + popup_->height() <= room.bottom()
                   ? below.y()
                   : std::max(room.top(), mapToGlobal(QPoint(0, -popup_->height() - 2)).y()));
  popup_->show();
  search_->setFocus();
  if (list_->currentItem()) list_->scrollToItem(list_->currentItem(), QAbstractItemView::PositionAtCenter);
}

void SearchBox::hidePopup() {
  if (popup_) popup_->hide();
  QComboBox::hidePopup();
}

void SearchBox::step(int by) {
  QTreeWidgetItem* item = list_->currentItem();
  if (!item) item = list_->topLevelItem(0);
  for (int moves = 0; item && moves < list_->topLevelItemCount() + count(); ++moves) {
    QTreeWidgetItem* next = by > 0 ? list_->itemBelow(item) : list_->itemAbove(item);
    if (!next) return;
    item = next;
    if (item->flags() & Qt::ItemIsSelectable) {
      list_->setCurrentItem(item);
      return;
    }
  }
}

void SearchBox::choose(QTreeWidgetItem* item) {
  if (!item || !(item->flags() & Qt::ItemIsSelectable)) return;
  const int index = item->data(0, index_role).toInt();
  hidePopup();
  setCurrentIndex(index);
  emit activated(index);
}

bool SearchBox::eventFilter(QObject* watched, QEvent* event) {
  if (watched != search_ || event->type() != QEvent::KeyPress) return QComboBox::eventFilter(watched, event);
  switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Down:
      step(1);
      return true;
    case Qt::Key_Up:
      step(-1);
      return true;
    case Qt::Key_PageDown:
    case Qt::Key_PageUp:
      for (int i = 0; i < list_rows; ++i) step(static_cast<QKeyEvent*>(event)->key() == Qt::Key_PageDown ? 1 : -1);
      return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      choose(list_->currentItem());
      return true;
    default:
      return QComboBox::eventFilter(watched, event);
  }
}

void SearchBox::paintEvent(QPaintEvent*) {
  QStylePainter painter(this);
  QStyleOptionComboBox option;
  initStyleOption(&option);
  painter.drawComplexControl(QStyle::CC_ComboBox, option);
  const QRect field = style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this);
  const int icon = option.currentIcon.isNull() ? 0 : option.iconSize.width() + 4;
  if (currentIndex() < 0) option.currentText = placeholderText();
  option.currentText = fontMetrics().elidedText(option.currentText, Qt::ElideMiddle, field.width() - 4 - icon);
  painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

}  // namespace pipedeck::views::widgets
