// SPDX-License-Identifier: GPL-3.0-or-later
// A tree of the project's questions with their plans, profiles, clusters and runs, with a filter above it.
#pragma once

#include <array>
#include <set>
#include <vector>

#include <QList>
#include <QTreeView>
#include <QVariant>

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
  /// Hides entries whose texts do not contain this one; empty: none.
  void set_filter(const QString& text);
  /// Returns true if the current item is a question.
  bool question_current() const { return models::compare::ProjectTreeModel::is_question(currentIndex()); }
  /// Opens an editor in place for the current entry's name.
  void edit_current_name();

 signals:
  void selected(models::compare::ProjectSection section, int id);
  void selection_changed();

 protected:
  void drawRow(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  void remember();
  void restore();
  void apply_filter();
  void report_current(const QModelIndex& current);

  models::compare::ProjectTreeModel* model_;
  std::array<QList<QAction*>, models::compare::project_section_count> context_actions_;
  QString filter_;
  /// The state of the view while the model is reset.
  struct Kept {
    std::set<int> closed_sections, closed_plans;
    std::array<std::vector<int>, models::compare::project_section_count> selected;
    QVariant section{};
    int current = 0;
    int scrolled = 0;
  };
  Kept kept_;
  bool quiet_ = false;
  int followed_ = 0;
};

/// A tree below a field that filters it.
class ProjectPane : public QWidget {
  Q_OBJECT

 public:
  explicit ProjectPane(ProjectTree* tree, QWidget* parent = nullptr);
};

}  // namespace pipedeck::views::compare
