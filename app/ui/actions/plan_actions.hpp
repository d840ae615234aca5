// SPDX-License-Identifier: GPL-3.0-or-later
// Actions on plans and other entries of the project tree: cut, copy, paste, duplicate, rename, annotate, delete. They
// apply to the selection of the focused widget: the tree, otherwise the table.
#pragma once

#include <QObject>

#include "app/session/project/entry_edits.hpp"
#include "app/ui/dialogs/dialogs.hpp"

class QAction;
class QMenu;

namespace pipedeck::models::compare {
class ProjectTreeModel;
}  // namespace pipedeck::models::compare

namespace pipedeck::views::compare {
class PlanTable;
class ProjectTree;
}  // namespace pipedeck::views::compare

namespace pipedeck::views::widgets {
class NotesEdit;
}  // namespace pipedeck::views::widgets

namespace pipedeck::ui::actions {

/// A set of the window's parts that the actions use.
struct PlanContext {
  session::Session* session = nullptr;
  QWidget* window = nullptr;
  views::compare::PlanTable* table = nullptr;
  views::compare::ProjectTree* tree = nullptr;
  models::compare::ProjectTreeModel* tree_model = nullptr;
  views::widgets::NotesEdit* notes = nullptr;
  dialogs::Dialogs dialogs;
};

class PlanActions : public QObject {
  Q_OBJECT

 public:
  explicit PlanActions(PlanContext scene);

  /// Adds the neighbours of Undo: cut, copy, paste, select all.
  void fill_edit_menu(QMenu* menu);
  void fill_plan_menu(QMenu* menu);
  /// Limits the shortcuts to these widgets and their children; other pages have their own objects.
  void scope_shortcuts(const QList<QWidget*>& widgets);
  /// Returns all actions, for context menus of plans.
  QList<QAction*> for_plans() const;
  /// Updates the actions after a change of the project, the selection or the focus.
  void update();

 private:
  struct Chosen {
    session::project::Ids profiles, clusters, plans, runs;
    bool empty() const { return profiles.empty() && clusters.empty() && plans.empty() && runs.empty(); }
    std::size_t size() const { return profiles.size() + clusters.size() + plans.size() + runs.size(); }
  };

  QAction* make(const QString& text, const char* name, const QKeySequence& shortcut, void (PlanActions::*run)());
  bool in_tree() const;
  Chosen chosen() const;
  void cut();
  void copy();
  void paste();
  void select_all();
  void duplicate();
  void rename();
  void note();
  void tick();
  void remove();
  void rename_entry(int section, int id, const QString& name);

  PlanContext scene_;
  QAction *cut_, *copy_, *paste_, *select_all_, *duplicate_, *rename_, *note_, *tick_, *remove_;
};

}  // namespace pipedeck::ui::actions
