// SPDX-License-Identifier: GPL-3.0-or-later
// A tree of the project's profiles, clusters, plans and runs.
#pragma once

#include <array>
#include <vector>

#include <QList>
#include <QTreeView>

#include "app/models/compare/project_tree_model.hpp"

class QAction;

namespace pipedeck::views::compare {

class ProjectTree : public QTreeView {
  Q_OBJECT

 public:
  explicit ProjectTree(models::compare::ProjectTreeModel* model, QWidget* parent = nullptr);

  /// Sets the context menu of a section, opened by a right click or the menu key. The entry is selected first.
  void set_context_actions(models::compare::ProjectSection section, QList<QAction*> actions);
  /// Makes the entry current without emitting selected().
  void select(models::compare::ProjectSection section, int id);
  /// Selects an entry like select(). If it is the entry followed last, a later selection by the user stays.
  void follow(models::compare::ProjectSection section, int id);
  void clear_selection();
  /// Returns the ids of the selected entries of a section, in order.
  std::vector<int> selected_entries(models::compare::ProjectSection section) const;
  void select_all_plans();
  /// Opens an editor in place for the current entry's name.
  void edit_current_name();

 signals:
  void selected(models::compare::ProjectSection section, int id);
  void selection_changed();

 protected:
  void drawRow(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  void report_current(const QModelIndex& current);

  models::compare::ProjectTreeModel* model_;
  std::array<QList<QAction*>, models::compare::project_section_count> context_actions_;
  bool quiet_ = false;
  int followed_ = 0;
};

}  // namespace pipedeck::views::compare
