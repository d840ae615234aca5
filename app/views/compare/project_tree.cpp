// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/compare/project_tree.hpp"

#include <QContextMenuEvent>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::compare {

namespace {

using TreeModel = models::compare::ProjectTreeModel;

class TreeDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const widgets::Theme& theme = widgets::Theme::of(option.palette);
    const bool section = !index.parent().isValid(), question = TreeModel::is_question(index);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (option.state & QStyle::State_Selected) {
      painter->setPen(Qt::NoPen);
      painter->setBrush(theme.accent_soft);
      painter->drawRoundedRect(QRectF(option.rect).adjusted(0, 1, -4, -1), widgets::ThemeSizes::radius,
                               widgets::ThemeSizes::radius);
    }
    QRect rect = option.rect.adjusted(6, 0, -8, 0);
    const QString figure = index.data(TreeModel::figure_role).toString(),
                  detail = index.data(TreeModel::detail_role).toString();
    const QFont strong = widgets::title_font(option.font);
    painter->setFont(question ? strong : option.font);
    painter->setPen(theme.text);
    painter->drawText(rect, Qt::AlignVCenter | Qt::AlignRight, figure);
    if (!figure.isEmpty()) rect.setRight(rect.right() - painter->fontMetrics().horizontalAdvance(figure) - 8);
    if (question) {  // two lines
      const int half = rect.height() / 2;
      draw(painter, QRect(rect.left(), rect.top() + 3, rect.width(), half - 2), index.data().toString());
      painter->setFont(widgets::caption_font(option.font));
      painter->setPen(theme.muted);
      draw(painter, QRect(rect.left(), rect.top() + half, rect.width(), half - 2), detail);
    } else {
      painter->setFont(section ? strong : option.font);
      painter->setPen(index.data(TreeModel::failed_role).toBool() ? theme.bad : theme.text);
      draw(painter, rect, index.data().toString());
      rect.setLeft(rect.left() + painter->fontMetrics().horizontalAdvance(index.data().toString()) + 8);
      painter->setPen(theme.muted);
      if (rect.width() > 20) draw(painter, rect, detail);
    }
    painter->restore();
  }

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const int width = option.fontMetrics.horizontalAdvance(index.data().toString()) + 16;
    if (TreeModel::is_question(index))
      return {width, option.fontMetrics.height() + QFontMetrics(widgets::caption_font(option.font)).height() + 8};
    return {width, option.fontMetrics.height() + (index.parent().isValid() ? 7 : 13)};
  }

 private:
  /// Draws a text that is cut at its end: names differ at their begin.
  static void draw(QPainter* painter, const QRect& rect, const QString& text) {
    painter->drawText(rect, Qt::AlignVCenter | Qt::AlignLeft,
                      painter->fontMetrics().elidedText(text, Qt::ElideRight, rect.width()));
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
  setTextElideMode(Qt::ElideRight);
  setSelectionMode(QAbstractItemView::ExtendedSelection);
  expandAll();
  connect(model, &QAbstractItemModel::modelAboutToBeReset, this, &ProjectTree::remember);
  connect(model, &QAbstractItemModel::modelReset, this, &ProjectTree::restore);
  connect(model, &QAbstractItemModel::rowsInserted, this, &ProjectTree::apply_filter);
  connect(model, &QAbstractItemModel::dataChanged, this, &ProjectTree::apply_filter);
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
  std::vector<int> ids = model_->ids(section);
  std::erase_if(ids, [&](int id) { return !selectionModel()->isSelected(model_->entry_index(section, id)); });
  return ids;
}

void ProjectTree::select_all_plans() {
  QItemSelection all;
  for (const int id : model_->ids(models::compare::ProjectSection::plans)) {
    const QModelIndex index = model_->entry_index(models::compare::ProjectSection::plans, id);
    all.select(index, index);
  }
  if (!all.isEmpty()) selectionModel()->select(all, QItemSelectionModel::ClearAndSelect);
}

/// Notes what is selected and closed, before all indices change.
void ProjectTree::remember() {
  quiet_ = true;
  kept_ = {};
  for (int row = 0; row < models::compare::project_section_count; ++row) {
    const auto section = static_cast<models::compare::ProjectSection>(row);
    if (!isExpanded(model_->section_index(section))) kept_.closed_sections.insert(row);
    kept_.selected[static_cast<std::size_t>(row)] = selected_entries(section);
  }
  for (std::size_t i = 0; i < model_->questions().size(); ++i)
    if (!isExpanded(model_->question_index(static_cast<int>(i))))
      for (const auto& plan : model_->questions()[i].plans) kept_.closed_plans.insert(plan.id);
  kept_.section = currentIndex().data(TreeModel::section_role);
  kept_.current = currentIndex().data(TreeModel::id_role).toInt();
  kept_.scrolled = verticalScrollBar()->value();
}

void ProjectTree::restore() {
  for (int row = 0; row < models::compare::project_section_count; ++row)
    setExpanded(model_->section_index(static_cast<models::compare::ProjectSection>(row)),
                !kept_.closed_sections.contains(row));
  for (std::size_t i = 0; i < model_->questions().size(); ++i) {
    const auto& plans = model_->questions()[i].plans;
    setExpanded(model_->question_index(static_cast<int>(i)),
                plans.empty() || !kept_.closed_plans.contains(plans.front().id));
  }
  for (int row = 0; row < models::compare::project_section_count; ++row) {
    const auto section = static_cast<models::compare::ProjectSection>(row);
    for (const int id : kept_.selected[static_cast<std::size_t>(row)])
      if (const QModelIndex index = model_->entry_index(section, id); index.isValid())
        selectionModel()->select(index, QItemSelectionModel::Select);
  }
  if (kept_.section.isValid()) {
    const auto section = static_cast<models::compare::ProjectSection>(kept_.section.toInt());
    selectionModel()->setCurrentIndex(model_->entry_index(section, kept_.current), QItemSelectionModel::NoUpdate);
  }
  quiet_ = false;
  apply_filter();
  verticalScrollBar()->setValue(kept_.scrolled);
}

/// Hides entries whose texts do not contain the filter. A question that contains it shows all its plans.
void ProjectTree::apply_filter() {
  const auto contains = [&](const QModelIndex& index) {
    for (const int role : {int(Qt::DisplayRole), int(Qt::ToolTipRole), int(TreeModel::detail_role)})
      if (index.data(role).toString().contains(filter_, Qt::CaseInsensitive)) return true;
    return false;
  };
  for (int row = 0; row < model_->rowCount(); ++row) {
    const QModelIndex section = model_->index(row, 0);
    for (int i = 0; i < model_->rowCount(section); ++i) {
      const QModelIndex entry = model_->index(i, 0, section);
      bool shown = filter_.isEmpty() || contains(entry);
      const bool all = shown;
      for (int plan = 0; plan < model_->rowCount(entry); ++plan) {
        const bool match = all || contains(model_->index(plan, 0, entry));
        setRowHidden(plan, entry, !match);
        shown |= match;
      }
      setRowHidden(i, section, !shown);
    }
  }
}

void ProjectTree::set_filter(const QString& text) {
  filter_ = text.trimmed();
  apply_filter();
}

ProjectPane::ProjectPane(ProjectTree* tree, QWidget* parent) : QWidget(parent) {
  auto* filter = new QLineEdit;
  filter->setObjectName(QStringLiteral("project_filter"));
  filter->setPlaceholderText(tr("Filter"));
  filter->setAccessibleName(tr("Filter of the project"));
  filter->setClearButtonEnabled(true);
  connect(filter, &QLineEdit::textChanged, tree, &ProjectTree::set_filter);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins({});
  column->setSpacing(0);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(6, 4, 6, 4);
  row->addWidget(filter);
  column->addLayout(row);
  column->addWidget(tree, 1);
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
