// SPDX-License-Identifier: GPL-3.0-or-later
// The project's profiles, clusters, plans and runs.
#pragma once

#include <array>
#include <vector>

#include <QList>
#include <QTreeView>

#include "app/models/project_tree_model.hpp"

class QAction;

namespace pipedeck::app {

class ProjectTree : public QTreeView {
  Q_OBJECT

 public:
  explicit ProjectTree(ProjectTreeModel* model, QWidget* parent = nullptr);

  /// Shown at a right click, and with the menu key, on an entry of the section (which becomes selected first).
  void set_context_actions(ProjectSection section, QList<QAction*> actions);
  /// Makes the entry current without emitting selected().
  void select(ProjectSection section, int id);
  /// The same, but of an entry that was followed before only where nothing is selected: what was picked since stays.
  void follow(ProjectSection section, int id);
  void clear_selection();
  /// Ids of the selected entries of a section, in their order.
  std::vector<int> selected_entries(ProjectSection section) const;
  void select_all_plans();
  /// Opens a field for the current entry's name in its place.
  void edit_current_name();

 signals:
  void selected(pipedeck::app::ProjectSection section, int id);
  void selection_changed();

 protected:
  void drawRow(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  void report_current(const QModelIndex& current);

  ProjectTreeModel* model_;
  std::array<QList<QAction*>, project_section_count> context_actions_;
  bool quiet_ = false;
  int followed_ = 0;
};

}  // namespace pipedeck::app
