// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/project_tree.hpp"

#include <QContextMenuEvent>
#include <QMenu>
#include <QPainter>
#include <QStyledItemDelegate>

#include "app/views/theme.hpp"

namespace pipedeck::app {

namespace {

class TreeDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const Theme& theme = Theme::of(option.palette);
    const bool section = !index.parent().isValid();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (option.state & QStyle::State_Selected) {
      painter->setPen(Qt::NoPen);
      painter->setBrush(theme.accent_soft);
      painter->drawRoundedRect(QRectF(option.rect).adjusted(0, 1, -4, -1), ThemeSizes::radius, ThemeSizes::radius);
    }
    painter->setFont(section ? title_font(option.font) : option.font);
    painter->setPen(index.data(ProjectTreeModel::failed_role).toBool() ? theme.bad : theme.text);
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

ProjectTree::ProjectTree(ProjectTreeModel* model, QWidget* parent) : QTreeView(parent), model_(model) {
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

void ProjectTree::set_context_actions(ProjectSection section, QList<QAction*> actions) {
  context_actions_[static_cast<std::size_t>(section)] = std::move(actions);
}

void ProjectTree::select(ProjectSection section, int id) {
  const QModelIndex index = model_->entry_index(section, id);
  if (!index.isValid()) return clear_selection();
  if (index == currentIndex() && selectionModel()->isSelected(index)) return;
  quiet_ = true;
  selectionModel()->setCurrentIndex(
      index, selectionModel()->isSelected(index) ? QItemSelectionModel::NoUpdate : QItemSelectionModel::ClearAndSelect);
  quiet_ = false;
}

std::vector<int> ProjectTree::selected_entries(ProjectSection section) const {
  std::vector<int> ids;
  const QModelIndex above = model_->section_index(section);
  for (int row = 0; row < model_->rowCount(above); ++row) {
    const QModelIndex index = model_->index(row, 0, above);
    if (selectionModel()->isSelected(index)) ids.push_back(index.data(ProjectTreeModel::id_role).toInt());
  }
  return ids;
}

void ProjectTree::select_all_plans() {
  const QModelIndex above = model_->section_index(ProjectSection::plans);
  const int count = model_->rowCount(above);
  if (count == 0) return;
  selectionModel()->select(QItemSelection(model_->index(0, 0, above), model_->index(count - 1, 0, above)),
                           QItemSelectionModel::ClearAndSelect);
}

void ProjectTree::edit_current_name() {
  if (currentIndex().isValid() && currentIndex().parent().isValid()) edit(currentIndex());
}

void ProjectTree::follow(ProjectSection section, int id) {
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
  emit selected(static_cast<ProjectSection>(current.data(ProjectTreeModel::section_role).toInt()),
                current.data(ProjectTreeModel::id_role).toInt());
}

void ProjectTree::contextMenuEvent(QContextMenuEvent* event) {
  const bool by_key = event->reason() == QContextMenuEvent::Keyboard;
  const QModelIndex index = by_key ? currentIndex() : indexAt(event->pos());
  if (!index.isValid()) return;
  const auto& actions = context_actions_[static_cast<std::size_t>(index.data(ProjectTreeModel::section_role).toInt())];
  if (actions.isEmpty()) return;
  setFocus();
  if (!selectionModel()->isSelected(index)) setCurrentIndex(index);
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addActions(actions);
  menu->popup(by_key ? viewport()->mapToGlobal(visualRect(index).bottomLeft()) : event->globalPos());
}

}  // namespace pipedeck::app
