// SPDX-License-Identifier: GPL-3.0-or-later
// The project's profiles, clusters, plans and runs.
#pragma once

#include <array>

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
  void clear_selection();

 signals:
  void selected(pipedeck::app::ProjectSection section, int id);
  void activated_entry(pipedeck::app::ProjectSection section, int id);  ///< double click or Enter
  void section_selected(pipedeck::app::ProjectSection section);

 protected:
  void drawRow(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  void report_current(const QModelIndex& current);

  ProjectTreeModel* model_;
  std::array<QList<QAction*>, project_section_count> context_actions_;
  bool quiet_ = false;
};

}  // namespace pipedeck::app
