// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/compare/project_tree.hpp"

#include <QContextMenuEvent>
#include <QMenu>
#include <QPainter>
#include <QStyledItemDelegate>

#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::compare {

namespace {

class TreeDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const widgets::Theme& theme = widgets::Theme::of(option.palette);
    const bool section = !index.parent().isValid();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (option.state & QStyle::State_Selected) {
      painter->setPen(Qt::NoPen);
      painter->setBrush(theme.accent_soft);
      painter->drawRoundedRect(QRectF(option.rect).adjusted(0, 1, -4, -1), widgets::ThemeSizes::radius,
                               widgets::ThemeSizes::radius);
    }
    painter->setFont(section ? widgets::title_font(option.font) : option.font);
    painter->setPen(index.data(models::compare::ProjectTreeModel::failed_role).toBool() ? theme.bad : theme.text);
    const QRect rect = option.rect.adjusted(6, 0, -8, 0);
    painter->drawText(rect, Qt::AlignVCenter | Qt::AlignLeft,
                      painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideMiddle, rect.width()));
    painter->restore();
  }

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const int room = index.parent().isValid() ? 7 : 13;
    return {option.fontMetrics.horizontalAdvance(index.data().toString()) + 16, option.fontMetrics.height() + room};
  }
};

}  // namespace

ProjectTree::ProjectTree(models::compare::ProjectTreeModel* model, QWidget* parent) : QTreeView(parent), model_(model) {
  setObjectName(QStringLiteral("project_tree"));
  setAccessibleName(tr("Project"));
  // Connected before the selection model: when entries disappear, their neighbour is not the user's choice.
  connect(model, &QAbstractItemModel::rowsAboutToBeRemoved, this, [this] { quiet_ = true; });
  setModel(model);
  connect(model, &QAbstractItemModel::rowsRemoved, this, [this] { quiet_ = false; });
  setItemDelegate(new TreeDelegate(this));
  setHeaderHidden(true);
  setFrameShape(QFrame::NoFrame);
  setUniformRowHeights(false);
  setIndentation(16);
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setTextElideMode(Qt::ElideMiddle);
  setSelectionMode(QAbstractItemView::ExtendedSelection);
  expandAll();
  connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, &ProjectTree::selection_changed);
  connect(selectionModel(), &QItemSelectionModel::currentChanged, this, &ProjectTree::report_current);
}

void ProjectTree::set_context_actions(models::compare::ProjectSection section, QList<QAction*> actions) {
  context_actions_[static_cast<std::size_t>(section)] = std::move(actions);
}

void ProjectTree::select(models::compare::ProjectSection section, int id) {
  const QModelIndex index = model_->entry_index(section, id);
  if (!index.isValid()) return clear_selection();
  if (index == currentIndex() && selectionModel()->isSelected(index)) return;
  quiet_ = true;
  selectionModel()->setCurrentIndex(
      index, selectionModel()->isSelected(index) ? QItemSelectionModel::NoUpdate : QItemSelectionModel::ClearAndSelect);
  quiet_ = false;
}

std::vector<int> ProjectTree::selected_entries(models::compare::ProjectSection section) const {
  std::vector<int> ids;
  const QModelIndex above = model_->section_index(section);
  for (int row = 0; row < model_->rowCount(above); ++row) {
    const QModelIndex index = model_->index(row, 0, above);
    if (selectionModel()->isSelected(index))
      ids.push_back(index.data(models::compare::ProjectTreeModel::id_role).toInt());
  }
  return ids;
}

void ProjectTree::select_all_plans() {
  const QModelIndex above = model_->section_index(models::compare::ProjectSection::plans);
  const int count = model_->rowCount(above);
  if (count == 0) return;
  selectionModel()->select(QItemSelection(model_->index(0, 0, above), model_->index(count - 1, 0, above)),
                           QItemSelectionModel::ClearAndSelect);
}

void ProjectTree::edit_current_name() {
  if (currentIndex().isValid() && currentIndex().parent().isValid()) edit(currentIndex());
}

void ProjectTree::follow(models::compare::ProjectSection section, int id) {
  if (id == followed_ && selectionModel()->hasSelection()) return;
  followed_ = id;
  select(section, id);
}

void ProjectTree::clear_selection() {
  quiet_ = true;
  selectionModel()->clear();
  quiet_ = false;
}

/// Only the delegate paints the selection, rounded and without indentation.
void ProjectTree::drawRow(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  QStyleOptionViewItem plain = option;
  for (const QPalette::ColorGroup group : {QPalette::Active, QPalette::Inactive})
    plain.palette.setColor(group, QPalette::Highlight, Qt::transparent);
  QTreeView::drawRow(painter, plain, index);
}

void ProjectTree::report_current(const QModelIndex& current) {
  if (quiet_ || !current.parent().isValid()) return;
  emit selected(static_cast<models::compare::ProjectSection>(
                    current.data(models::compare::ProjectTreeModel::section_role).toInt()),
                current.data(models::compare::ProjectTreeModel::id_role).toInt());
}

void ProjectTree::contextMenuEvent(QContextMenuEvent* event) {
  const bool by_key = event->reason() == QContextMenuEvent::Keyboard;
  const QModelIndex index = by_key ? currentIndex() : indexAt(event->pos());
  if (!index.isValid()) return;
  const auto& actions =
      context_actions_[static_cast<std::size_t>(index.data(models::compare::ProjectTreeModel::section_role).toInt())];
  if (actions.isEmpty()) return;
  setFocus();
  if (!selectionModel()->isSelected(index)) setCurrentIndex(index);
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addActions(actions);
  menu->popup(by_key ? viewport()->mapToGlobal(visualRect(index).bottomLeft()) : event->globalPos());
}

}  // namespace pipedeck::views::compare
